import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodePlan } from './addresses.ts';
import { files, type Cluster } from './bench.ts';
import { joining, kill, makeCgroup, processesIn, readHierarchies, removeCgroup } from './cgroups.ts';
import { attempt, run, type Ran, type RunOptions } from './commands.ts';
import { BenchError } from './errors.ts';

const SCRIPTS = join(import.meta.dirname, 'machines');
/** The search path inside a node. */
export const NODE_PATH =
  '/opt/kubernetes/bin:/opt/cri-tools/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Folders of programs that are mounted into each node. */
export interface Programs {
  readonly kubernetes: string;
  readonly tools: string;
}

/** What a node boots with. */
export interface Equipment {
  readonly programs: Programs;
  /** Name of the image that holds a Pod. */
  readonly pauseImage: string;
}

/** Cgroup of a machine; `lan` is the one outside of the nodes. */
function cgroupOf(cluster: Cluster, machine: string): string {
  return `${cluster.bench.cgroup}/${machine}`;
}

/** Starts the network of the bench, with the load balancer's place in it. */
export async function startLan(cluster: Cluster): Promise<void> {
  const folder = files.lan(cluster.bench);
  await mkdir(folder, { recursive: true });
  const addresses = cluster.plan.outside.map(cluster.plan.withPrefix);
  await writeFile(join(folder, 'lan.env'), environment({ ADDRESSES: addresses.join(' ') }));
  await rm(join(folder, 'up'), { force: true });
  const cgroups = await makeCgroup(cgroupOf(cluster, 'lan'));
  const command = [
    'unshare',
    '--net',
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    'bash',
    join(SCRIPTS, 'lan.sh'),
    folder,
  ];
  await startAlone(joining(cgroups, command), join(folder, 'lan.log'));
  await until(
    'the network of the bench',
    30_000,
    () => Promise.resolve(existsSync(join(folder, 'up'))),
    join(folder, 'lan.log'),
  );
}

/** Boots a node from what its disk holds, which is nothing the first time. */
export async function bootNode(cluster: Cluster, node: NodePlan, { programs, pauseImage }: Equipment): Promise<void> {
  const folder = files.node(cluster.bench, node.name);
  const log = join(folder, 'machine.log');
  await mkdir(folder, { recursive: true });
  const variables = {
    NODE_NAME: node.name,
    ADDRESSES: node.addresses.map(cluster.plan.withPrefix).join(' '),
    GATEWAYS: cluster.plan.outside.join(' '),
    KUBERNETES: programs.kubernetes,
    CRI_TOOLS: programs.tools,
    PAUSE_IMAGE: pauseImage,
  };
  await writeFile(join(folder, 'machine.env'), environment(variables));
  const lan = await lanProcess(cluster);
  // Of a boot that ended by itself.
  await removeCgroup(cgroupOf(cluster, node.name));
  const cgroups = await makeCgroup(cgroupOf(cluster, node.name));
  const namespaces = ['--net', '--mount', '--uts', '--ipc', '--pid', '--cgroup'];
  const enter = ['nsenter', '-t', `${lan}`, '--pid', '--'];
  const machine = ['unshare', ...namespaces, '--fork', '--kill-child', 'bash', join(SCRIPTS, 'node.sh'), folder];
  await startAlone(joining(cgroups, [...enter, ...machine]), log);
  await until(
    `the first process of ${node.name}`,
    30_000,
    async () => (await nodeProcess(cluster, node.name)) !== undefined,
    log,
  );
  const first = await nodeProcess(cluster, node.name);
  await moveInside(cluster, node.name);
  // The old cable goes when the last process of an earlier boot has ended, which may be now.
  await attempt(inLan(lan, ['ip', 'link', 'delete', cable(node)]));
  const card = ['name', 'eth0', 'address', hardwareAddress(node.name), 'netns', `${first}`];
  await run(inLan(lan, ['ip', 'link', 'add', cable(node), 'type', 'veth', 'peer', ...card]));
  await run(inLan(lan, ['ip', 'link', 'set', cable(node), 'master', 'lan', 'up']));
  await until(
    `containerd on ${node.name}`,
    180_000,
    // Fails at once if the machine has ended meanwhile.
    async () => (await onNode(cluster, node.name, ['test', '-f', '/run/machine-up'])).status === 0,
    log,
  );
}

/**
 * The address of a node's network card, which is the same at each boot. With another one its neighbours send to the old one
 * until they doubt it, which takes some 40 s while their connections keep them from doubting.
 */
function hardwareAddress(name: string): string {
  const bytes = createHash('sha256').update(name).digest('hex').slice(0, 10).match(/../g)!;
  return ['02', ...bytes].join(':');
}

/**
 * Cuts the power of a node: its cable first, so that nobody hears a word of its end, then every process in it at
 * once. What was written stays written, flushed or not, since the page cache is this computer's and goes on.
 */
export async function cutPower(cluster: Cluster, node: NodePlan): Promise<void> {
  const first = await nodeProcess(cluster, node.name);
  if (first === undefined) throw new BenchError(`${node.name} is off`, { hint: `Boot it with \`boot ${node.name}\`.` });
  await attempt(inLan(await lanProcess(cluster), ['ip', 'link', 'delete', cable(node)]));
  kill(first);
  await removeCgroup(cgroupOf(cluster, node.name));
}

/** Whether a node has power. */
export async function isOn(cluster: Cluster, node: NodePlan): Promise<boolean> {
  return (await nodeProcess(cluster, node.name)) !== undefined;
}

export interface EnterOptions {
  /** Namespaces to enter; default all of them. Without `mount` the program and its files are this computer's. */
  readonly namespaces?: readonly ('mount' | 'uts' | 'ipc' | 'net' | 'pid' | 'cgroup')[];
}

const ALL_NAMESPACES = ['mount', 'uts', 'ipc', 'net', 'pid', 'cgroup'] as const;

/** The command that runs a command inside a node. It ends with the node's power. */
export async function enterNode(
  cluster: Cluster,
  name: string,
  command: readonly string[],
  options: EnterOptions = {},
): Promise<string[]> {
  const first = await nodeProcess(cluster, name);
  if (first === undefined)
    throw new BenchError(`${name} is off`, { hint: `Boot it with \`npm run cluster -- boot ${name}\`.` });
  const namespaces = options.namespaces ?? ALL_NAMESPACES;
  const clean = namespaces.includes('mount')
    ? ['env', '-i', `PATH=${NODE_PATH}`, 'HOME=/root', `TERM=${process.env['TERM'] ?? 'dumb'}`]
    : [];
  // The root of a mount namespace is not always the one of its processes: under a chroot it is the one outside.
  const root = namespaces.includes('mount') ? ['--root', '--wd'] : [];
  const enter = ['nsenter', '-t', `${first}`, ...namespaces.map((one) => `--${one}`), ...root, '--'];
  return joining(await foldersOf(cluster, name), [...enter, ...clean, ...command]);
}

/** Runs a command inside a node, whatever its status is. */
export async function onNode(
  cluster: Cluster,
  name: string,
  command: readonly string[],
  options: RunOptions = {},
): Promise<Ran> {
  return await attempt(await enterNode(cluster, name, command), options);
}

/** Runs a command inside a node, and fails if its status is not 0. */
export async function runOnNode(
  cluster: Cluster,
  name: string,
  command: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  return await run(await enterNode(cluster, name, command), options);
}

/** Writes a file on a node, with the folders above it. The text never stands on a command line. */
export async function writeOnNode(
  cluster: Cluster,
  name: string,
  path: string,
  text: string,
  mode = '0644',
): Promise<void> {
  const script = 'umask 077; mkdir -p "${1%/*}" && cat > "$1" && chmod "$2" "$1"';
  await runOnNode(cluster, name, ['bash', '-c', script, 'write', path, mode], { input: text });
}

/** The command that runs a program of this computer outside of the nodes, in their network. */
export async function enterLan(cluster: Cluster, command: readonly string[]): Promise<string[]> {
  const lan = await lanProcess(cluster);
  return joining(await foldersOf(cluster, 'lan'), inLan(lan, command));
}

function inLan(lan: number, command: readonly string[]): string[] {
  return ['nsenter', '-t', `${lan}`, '--net', '--', ...command];
}

/** Whether the network of the bench is there. No node is without it. */
export async function hasLan(cluster: Cluster): Promise<boolean> {
  return (await firstProcess(cgroupOf(cluster, 'lan'), 2)) !== undefined;
}

async function lanProcess(cluster: Cluster): Promise<number> {
  const first = await firstProcess(cgroupOf(cluster, 'lan'), 2);
  if (first !== undefined) return first;
  throw new BenchError('the network of the bench is gone, and all nodes with it', {
    hint: 'Run `npm run cluster -- down`, then `up`.',
  });
}

/** The first process of a node, or nothing if it is off. */
export async function nodeProcess(cluster: Cluster, name: string): Promise<number | undefined> {
  return await firstProcess(cgroupOf(cluster, name), 3);
}

/** The process of a cgroup that is number 1 of its own PID namespace, so many namespaces deep. */
async function firstProcess(cgroup: string, depth: number): Promise<number | undefined> {
  for (const candidate of await processesIn(cgroup)) {
    const status = await readFile(`/proc/${candidate}/status`, 'utf8').catch(() => '');
    const numbers = /^NSpid:\s+(.*)$/m.exec(status)?.[1]?.split(/\s+/) ?? [];
    const isZombie = /^State:\s+Z/m.test(status);
    if (numbers.length === depth && numbers.at(-1) === '1' && !isZombie) return candidate;
  }
  return undefined;
}

/** In version 2 a node's processes live in a cgroup below its root, where node.sh waits for them. */
async function moveInside(cluster: Cluster, machine: string): Promise<void> {
  for (const folder of await foldersOf(cluster, machine)) {
    if (!folder.endsWith('/init')) continue;
    await mkdir(folder, { recursive: true });
    const outer = join(folder, '../cgroup.procs');
    for (;;) {
      const processes = (await readFile(outer, 'utf8')).split('\n').filter(Boolean);
      if (processes.length === 0) break;
      for (const one of processes) {
        await writeFile(join(folder, 'cgroup.procs'), one).catch((error: NodeJS.ErrnoException) => {
          // It has ended since it was listed.
          if (error.code !== 'ESRCH') throw error;
        });
      }
    }
  }
}

/** The folders of a cgroup that a process of its machine may join. */
async function foldersOf(cluster: Cluster, machine: string): Promise<string[]> {
  const hierarchies = await readHierarchies();
  const only2 = hierarchies.every(({ version }) => version === 2);
  const inside = only2 && machine !== 'lan' ? 'init' : '';
  return hierarchies.map(({ path }) => join(path, cgroupOf(cluster, machine), inside));
}

function cable(node: NodePlan): string {
  return `cable-${node.name}`;
}

/** Starts a process in a session of its own, which outlives this one. */
async function startAlone([program, ...args]: readonly string[], log: string): Promise<void> {
  const output = await open(log, 'a');
  try {
    // Nothing of the user's environment gets into a machine: neither secrets nor proxies.
    const env = { PATH: process.env['PATH'], HOME: '/root', LANG: 'C' };
    const child = spawn(program!, args, { detached: true, stdio: ['ignore', output.fd, output.fd], cwd: '/', env });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (cause) => reject(new BenchError(`cannot run ${program}`, { cause })));
    });
    child.unref();
  } finally {
    await output.close();
  }
}

/** Waits for something that a machine does by itself. Fails with the end of its log. */
async function until(what: string, timeout: number, isThere: () => Promise<boolean>, log: string): Promise<void> {
  const deadline = Date.now() + timeout;
  try {
    while (!(await isThere())) {
      if (Date.now() > deadline) throw new BenchError(`it took more than ${timeout / 1000} s`);
      await sleep(50);
    }
  } catch (cause) {
    const said = (await readFile(log, 'utf8').catch(() => '')).trim().split('\n').slice(-8).join('\n');
    throw new BenchError(`${what} did not come up:\n${said}`, { cause });
  }
}

// Values are names, addresses and paths without a character that bash would act on (openBench sees to that).
function environment(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join('');
}
