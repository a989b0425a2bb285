import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { alone, type Bench } from './bench.ts';
import { dropCgroup, joining, makeCgroup, removeCgroup } from './cgroups.ts';
import { run } from './commands.ts';
import { BenchError } from './errors.ts';
import type { Programs } from './machines.ts';
import type { Progress } from './progress.ts';
import { PARTS, PROGRAMS, stagingVersion } from './versions.ts';

/** Folders of everything that was built for one version of Kubernetes. */
export interface Built extends Programs {
  readonly etcd: string;
  readonly pause: string;
}

/** Builds what the cache lacks for a version of Kubernetes, all at once: much of it waits for the network. */
export async function build(
  { cache, cgroup }: Bench,
  kubernetes: string,
  progress: Progress,
  signal?: AbortSignal,
): Promise<Built> {
  const make = (folder: string, what: string, work: (into: string, go: Go) => Promise<void>): Promise<string> =>
    cached(join(cache, folder), what, progress, signal, (into) =>
      inCgroup(`${buildCgroup(cgroup)}/${basename(into)}`, signal, (go) => work(into, go)),
    );
  const part = (one: Part): Promise<string> =>
    make(`${one.binary}/${one.version}`, `building ${one.binary} ${one.version}`, (into, go) =>
      buildPart(one, into, go),
    );
  try {
    const [kubernetesFolder, etcd, tools, pause] = await Promise.all([
      make(`kubernetes/${kubernetes}`, `building Kubernetes ${kubernetes}`, (into, go) =>
        buildKubernetes(kubernetes, into, go),
      ),
      part(PARTS.etcd),
      part(PARTS.crictl),
      make('pause', 'building the pause program', (into, go) => buildPause(into, go)),
    ]);
    return { kubernetes: kubernetesFolder, etcd, tools, pause };
  } finally {
    if (process.platform === 'linux') await dropCgroup(buildCgroup(cgroup));
  }
}

/** Runs Go, and returns what it printed. */
type Go = (args: readonly string[], cwd?: string) => Promise<string>;

/** The cgroup of everything that a bench builds. It is none of its machines. */
export function buildCgroup(cgroup: string): string {
  return `${cgroup}-build`;
}

/** Root runs Go in a cgroup of the bench, where `down` finds it after a crash. */
async function inCgroup(name: string, signal: AbortSignal | undefined, work: (go: Go) => Promise<void>): Promise<void> {
  const folders = await cgroupFolders(name);
  const go: Go = (args, cwd) =>
    run(folders.length > 0 ? joining(folders, ['go', ...args]) : ['go', ...args], {
      signal,
      env: { CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-buildvcs=false' },
      ...(cwd !== undefined && { cwd }),
    });
  try {
    await work(go);
  } finally {
    if (folders.length > 0) await removeCgroup(name);
  }
}

async function cgroupFolders(name: string): Promise<string[]> {
  if (process.getuid?.() !== 0) return [];
  try {
    return await makeCgroup(name);
  } catch (error) {
    // A container may show its cgroups and let nobody change them.
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM' || error instanceof BenchError) return [];
    throw error;
  }
}

// A change of how things are built makes what was built before stale.
const RECIPE = 'stripped, static, without the paths of the builder; 1';
const GO_FLAGS = ['-mod=mod', '-trimpath'];

/** A folder that is whole or not there: built beside its place, then moved there. */
async function cached(
  folder: string,
  what: string,
  progress: Progress,
  signal: AbortSignal | undefined,
  work: (into: string) => Promise<void>,
): Promise<string> {
  const isBuilt = async (): Promise<boolean> =>
    (await readFile(join(folder, '.recipe'), 'utf8').catch(() => undefined)) === RECIPE;
  if (await isBuilt()) return folder;
  let isToldOfWait = false;
  const wait = async (): Promise<void> => {
    if (!isToldOfWait) progress.say(`${what}: somebody else is at it, waiting`);
    isToldOfWait = true;
    signal?.throwIfAborted();
    await sleep(500);
  };
  const make = async (): Promise<string> => {
    if (await isBuilt()) return folder;
    await mkdir(dirname(folder), { recursive: true });
    await removeRemains(folder);
    const temporary = await mkdtemp(join(dirname(folder), `.${basename(folder)}-`));
    try {
      await progress.step(what, () => work(temporary));
      await writeFile(join(temporary, '.recipe'), RECIPE);
      await rm(folder, { recursive: true, force: true });
      await rename(temporary, folder);
      return folder;
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  };
  return await alone(`build/${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`, make, wait);
}

/** Removes what a build left that was killed. Nobody else is at it, since the lock is ours. */
async function removeRemains(folder: string): Promise<void> {
  for (const name of await readdir(dirname(folder))) {
    if (name.startsWith(`.${basename(folder)}-`))
      await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}

interface Part {
  readonly module: string;
  readonly package: string;
  readonly version: string;
  readonly binary: string;
}

async function buildPause(into: string, go: Go): Promise<void> {
  const source = join(import.meta.dirname, 'pause/main.go');
  await go(['build', ...GO_FLAGS, '-ldflags', '-s -w', '-o', `${into}/pause`, source]);
}

/** Builds a program in a Go module of its own, so that its dependencies do not meet those of others. */
async function buildPart(part: Part, into: string, go: Go): Promise<void> {
  await inModule(into, go, async (cwd) => {
    await go(['get', `${part.package}@${part.version}`], cwd);
    const stamp = part.binary === 'crictl' ? ` -X ${part.module}/pkg/version.Version=${part.version}` : '';
    const flags = [...GO_FLAGS, '-ldflags', `-s -w${stamp}`, '-o', join(into, part.binary)];
    await go(['build', ...flags, part.package], cwd);
  });
}

async function buildKubernetes(version: string, into: string, go: Go): Promise<void> {
  await inModule(into, go, async (cwd) => {
    const { GoMod: path } = JSON.parse(await go(['mod', 'download', '-json', `k8s.io/kubernetes@${version}`], cwd)) as {
      GoMod: string;
    };
    await writeFile(join(cwd, 'go.mod'), moduleOf(version, await readFile(path, 'utf8')));
    await writeFile(join(cwd, 'programs.go'), programsOf());
    await go(['mod', 'tidy'], cwd);
    const packages = PROGRAMS.map((program) => `k8s.io/kubernetes/cmd/${program}`);
    await go(['build', ...GO_FLAGS, '-ldflags', `-s -w ${stamps(version)}`, '-o', `${into}/`, ...packages], cwd);
  });
}

async function inModule(into: string, go: Go, work: (cwd: string) => Promise<void>): Promise<void> {
  const cwd = join(into, '.module');
  await mkdir(cwd);
  await go(['mod', 'init', 'bench'], cwd);
  await work(cwd);
  await rm(cwd, { recursive: true });
}

/**
 * The module that builds a release. Kubernetes requires its staging modules at v0.0.0 and replaces them by folders
 * of its own repository; who depends on it has to name the published versions.
 */
export function moduleOf(version: string, goMod: string): string {
  const language = /^go \S+$/m.exec(goMod)?.[0] ?? 'go 1.24.0';
  const staging = [...goMod.matchAll(/^\s*(\S+) => \.\/staging\/\S+$/gm)].map((match) => match[1]!);
  return [
    'module bench',
    language,
    `require k8s.io/kubernetes ${version}`,
    ...staging.map((module) => `replace ${module} => ${module} ${stagingVersion(version)}`),
    '',
  ].join('\n');
}

function programsOf(): string {
  const imports = PROGRAMS.map((program) => `\t_ "k8s.io/kubernetes/cmd/${program}"\n`).join('');
  return `//go:build programs\n\npackage programs\n\nimport (\n${imports})\n`;
}

/** Linker flags for the version that the programs report. kubeadm refuses to work without one. */
function stamps(version: string): string {
  const [, minor] = version.split('.');
  const values = {
    gitVersion: version,
    gitMajor: '1',
    gitMinor: minor!,
    gitTreeState: 'clean',
    gitCommit: '0'.repeat(40),
    buildDate: '1970-01-01T00:00:00Z',
  };
  return ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version']
    .flatMap((module) => Object.entries(values).map(([name, value]) => `-X ${module}.${name}=${value}`))
    .join(' ');
}
