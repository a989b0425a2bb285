import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(root, 'node_modules/.bin');
const example = join(root, 'examples/aks-node.yaml');

let folder: string;
let tarball: string;

// The package as a user gets it: packed, and installed into an empty project.
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bootlace-package-'));
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root, encoding: 'utf8' });
  // npm 12 prints the packages by name, older ones a list of them.
  const [first] = Object.values(JSON.parse(packed) as Record<string, { filename: string }>);
  tarball = join(folder, first!.filename);
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"name": "user", "private": true, "type": "module"}');
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', '--engine-strict=false', tarball], {
    cwd: project,
  });
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function inProject(code: string): string {
  return execFileSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: join(folder, 'project'),
    encoding: 'utf8',
  });
}

test('the installed command renders the example', () => {
  const command = join(folder, 'project/node_modules/.bin/bootlace');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [command, 'node', 'render', '-f', example, '-o', 'script'],
    { encoding: 'utf8' },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toBe(readFileSync(join(root, 'test/golden/scripts/example.sh'), 'utf8'));
});

test('every entry of the exports map can be imported', () => {
  const names = (entry: string) =>
    JSON.parse(inProject(`console.log(JSON.stringify(Object.keys(await import('${entry}'))))`)) as string[];
  expect(names('bootlace')).toEqual(
    expect.arrayContaining(['AKS', 'check', 'joinParameterArgsToMap', 'kubeletConfigToMap', 'render']),
  );
  expect(names('bootlace/node')).toEqual(expect.arrayContaining(['check', 'render', 'RefusedError']));
  expect(names('bootlace/control-plane')).toEqual(
    expect.arrayContaining(['buildDaemonSet', 'convertStaticPod', 'relayPod']),
  );
  expect(names('bootlace/testing')).toEqual(
    expect.arrayContaining(['createMemoryCluster', 'createSimulatedCluster', 'startTraffic']),
  );
  expect(names('bootlace/node/aks')).toEqual(expect.arrayContaining(['AKS', 'VARIABLES']));
});

test('a refusal is an instance of the exported error with its problems', () => {
  const printed = inProject(`
    import { AKS, RefusedError } from 'bootlace';
    try { new AKS({ arch: 'mips' }).script(); } catch (error) { console.log(error instanceof RefusedError, error.code, error.problems.some((p) => p.path === '/arch')); }
  `);
  expect(printed).toBe('true OPTIONS_REFUSED true\n');
});

test('the types compile in the strictest settings, and refuse a misspelt option', () => {
  const project = join(folder, 'project');
  writeFileSync(
    join(project, 'user.ts'),
    `import { AKS, type AKSOptions, type Bootstrapper, type NodeBootstrapVariables, type Options, check, kubeletConfigToMap, joinParameterArgsToMap } from 'bootlace';
     import { render, type Rendering } from 'bootlace/node';
     import type { KubeletConfiguration, Taint } from 'bootlace/node/aks';
     declare const options: AKSOptions;
     const bootstrapper: Bootstrapper = new AKS(options, { bootstrapper: 'aks/v0.4.0', lenient: true });
     export const script: string = bootstrapper.script();
     export const rendering: Rendering = render(options, { bootstrapper: 'aks' });
     export const codes = check(options).map((problem) => problem.code);
     export const taint: Taint = { key: 'k', effect: 'NoSchedule' };
     export const config: KubeletConfiguration = { maxPods: 110, clusterDNSServiceIP: '10.0.0.10' };
     export const flags: Record<string, string> = kubeletConfigToMap(config);
     joinParameterArgsToMap(flags, '--kube-reserved', { cpu: '100m' }, '=');
     export type Field = NodeBootstrapVariables['kubeCACrt'] | Options['caBundle'];
     // @ts-expect-error a misspelt field
     export const misspelt: KubeletConfiguration = { maxPod: 110 };
    `,
  );
  const flags = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--noEmit',
    '--types',
    '',
  ];
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), ...flags, 'user.ts'],
    { cwd: project, encoding: 'utf8' },
  );
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});

test('publint finds nothing', () => {
  const { status, stdout } = spawnSync(process.execPath, [join(bin, 'publint'), 'run', tarball, '--strict'], {
    encoding: 'utf8',
  });
  expect({ status, stdout: stdout.trim() }).toEqual({
    status: 0,
    stdout: expect.stringContaining('All good!') as unknown,
  });
});

test('attw finds nothing for users of ES modules', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(bin, 'attw'), tarball, '--profile', 'esm-only', '--no-color', '--no-emoji'],
    { encoding: 'utf8' },
  );
  expect({ status, stdout: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, stdout: '' });
});

test('the package has no install scripts, and holds what it should', () => {
  const listed = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
  const manifest = JSON.parse(
    execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' }),
  ) as { scripts: Record<string, string> };
  for (const script of ['preinstall', 'install', 'postinstall', 'prepare'])
    expect(manifest.scripts[script]).toBeUndefined();
  for (const file of [
    'LICENSE',
    'README.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'dist/bin/bootlace.cjs',
    'dist/bin/THIRD-PARTY.txt',
  ])
    expect(listed).toContain(`package/${file}`);
  expect(listed.filter((file) => /\.test\.|golden|^package\/(?:test|scripts|bench)\//.test(file))).toEqual([]);
});

test('an old Node is told so in one line with status 2, before anything else is loaded', () => {
  const command = join(folder, 'project/node_modules/bootlace/dist/bin/bootlace.cjs');
  const pretend = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });";
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['-e', `${pretend} require(${JSON.stringify(command)});`],
    { encoding: 'utf8' },
  );
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toBe('bootlace needs Node.js 22.19 or newer; this is 20.20.2\n');
});
