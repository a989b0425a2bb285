import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { bootlace } from '../../../test/support/command.ts';
import type { Rehearsal } from '../../control-plane/index.ts';

const MANIFESTS = fileURLToPath(new URL('../../../test/golden/manifests/v1.35.4/default', import.meta.url));
const run = (...args: readonly string[]) => bootlace(['control-plane', 'rehearse', ...args]);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bootlace-rehearse-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function copyManifests(...names: readonly string[]): void {
  for (const name of names) writeFileSync(join(folder, name), readFileSync(join(MANIFESTS, name)));
}

test('shows who served when, and that no request failed', () => {
  const { status, stdout, stderr } = run();
  expect(status).toBe(0);
  expect(stdout).toMatch(/^ {2}relay :6444 +▒*█+░+$/m);
  expect(stdout).toContain('relay on 1 control plane, seed 1: done');
  expect(stdout).toMatch(/requests {4}0 of [\d,]+ failed/);
  expect(stderr).toMatch(/done +cp1\/kube-apiserver\/relay/);
});

test('json is one document with everything in it', () => {
  const { status, stdout } = run('-o', 'json', '--seed', '7');
  const rehearsal = JSON.parse(stdout) as Rehearsal;
  expect(status).toBe(0);
  expect(rehearsal).toMatchObject({ outcome: 'done', seed: 7, failedRequests: 0, outages: [], restarts: [] });
  expect(rehearsal.requests).toBeGreaterThan(1000);
  expect(rehearsal.simulatedSeconds).toBeGreaterThan(60);
  expect(rehearsal.realSeconds).toBeLessThan(10);
  for (const { at, seconds } of rehearsal.steps) expect(at + seconds).toBeGreaterThan(at - 1);
});

test('json is the same for the same seed, but for the real seconds', () => {
  const print = (): string => run('-o', 'json', '--nodes', '3').stdout.replace(/"realSeconds": [\d.]+/, '');
  expect(print()).toBe(print());
});

test('yaml says the same', () => {
  expect(run('-o', 'yaml').stdout).toContain('\noutcome: done\n');
});

describe('the exit status is that of the change', () => {
  test.each([
    ['done', 0, []],
    ['failed', 1, ['--strategy', 'kubeadm']],
    ['refused', 3, ['--relay-port', '6443']],
    ['stopped', 4, ['--fault', 'kill@stop']],
    ['undone', 5, ['--fault', 'disk-full@relay']],
    ['done', 0, ['--fault', 'power-cut@start', '--afterwards', 'resume']],
    ['undone', 5, ['--fault', 'kill@start', '--afterwards', 'rollback']],
  ])('%s is %i', (outcome, expected, flags) => {
    const { status, stdout } = run('-o', 'json', ...flags);
    expect({ status, outcome: (JSON.parse(stdout) as Rehearsal).outcome }).toEqual({ status: expected, outcome });
  });

  test.each([
    [['--strategy', 'magic'], 'no strategy "magic"'],
    [['--nodes', '2'], 'no number of nodes "2"'],
    [['--seed', '-1'], '--seed'],
    [['--seed', '99999999999'], '--seed takes a whole number'],
    [['--fault', 'power-cut'], '--fault needs a step'],
    [['--fault', 'flood@stop'], 'no fault "flood"'],
    [['--fault', 'kill@stop', '--afterwards', 'pray'], 'no way "pray"'],
    [['--afterwards', 'resume'], 'needs a fault'],
    [['--relay-port', '0'], '--relay-port takes a whole number from 1 to 65535'],
    [['--fault', 'kill@nowhere'], 'there is no step "nowhere"'],
    [['--manifests-dir', '/does/not/exist'], 'cannot be read (ENOENT)'],
    [['extra'], 'takes no argument'],
  ])('%j is a mistake, and nothing is printed', (flags, message) => {
    const { status, stdout, stderr } = run(...flags);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('a directory of manifests', () => {
  test('is rehearsed with all that is in it', () => {
    const { status, stdout } = run('--manifests-dir', MANIFESTS, '-o', 'json');
    expect(status).toBe(0);
    expect(stdout).toContain('"etcd-cp1"');
  });

  test('with a fault in it is refused by the name of its file and the line', () => {
    copyManifests('etcd.yaml', 'kube-apiserver.yaml', 'kube-controller-manager.yaml');
    const bad = readFileSync(join(MANIFESTS, 'kube-scheduler.yaml'), 'utf8').replace('kind: Pod', 'kind: Job');
    writeFileSync(join(folder, 'kube-scheduler.yaml'), bad);
    const { status, stdout, stderr } = run('--manifests-dir', folder);
    expect({ status, stdout }).toEqual({ status: 3, stdout: '' });
    expect(stderr).toContain(`${join(folder, 'kube-scheduler.yaml')}:2:1  error  /kind  MANIFEST_KIND`);
  });

  test('may hold hidden files and folders, which the kubelet does not read either', () => {
    copyManifests('etcd.yaml', 'kube-apiserver.yaml', 'kube-controller-manager.yaml', 'kube-scheduler.yaml');
    writeFileSync(join(folder, '.kube-apiserver.yaml.swp'), Buffer.from([0xff, 0xfe, 0x00]));
    expect(run('--manifests-dir', folder).status).toBe(0);
  });

  test('may hold what cannot be read or is no file: it is passed over with a warning', () => {
    copyManifests('etcd.yaml', 'kube-apiserver.yaml', 'kube-controller-manager.yaml', 'kube-scheduler.yaml');
    writeFileSync(join(folder, 'picture.yaml'), Buffer.from([0xff, 0xd8, 0xff, 0xe0]));
    symlinkSync('/does/not/exist', join(folder, 'broken.yaml'));
    symlinkSync('loop.yaml', join(folder, 'loop.yaml'));
    mkdirSync(join(folder, 'more'));
    const { status, stdout, stderr } = run('--manifests-dir', folder);
    expect(status).toBe(0);
    expect(stdout).toContain(': done');
    for (const name of ['picture.yaml', 'broken.yaml', 'loop.yaml'])
      expect(stderr).toContain(`${join(folder, name)}  warning`);
    expect(stderr).not.toContain(join(folder, 'more'));
  });

  test('in which a manifest cannot be read is refused', () => {
    copyManifests('etcd.yaml', 'kube-apiserver.yaml', 'kube-controller-manager.yaml');
    symlinkSync('/does/not/exist', join(folder, 'kube-scheduler.yaml'));
    const { status, stdout } = run('--manifests-dir', folder, '-o', 'json');
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'refused',
      problems: [{ code: 'DOCUMENT_UNREADABLE', file: join(folder, 'kube-scheduler.yaml') }],
    });
  });

  test('with which no cluster comes up is refused', () => {
    copyManifests('etcd.yaml', 'kube-controller-manager.yaml', 'kube-scheduler.yaml');
    const manifest = readFileSync(join(MANIFESTS, 'kube-apiserver.yaml'), 'utf8');
    const local = manifest.replace('- --secure-port=6443', '- --secure-port=6443\n    - --bind-address=127.0.0.1');
    writeFileSync(join(folder, 'kube-apiserver.yaml'), local);
    const { status, stdout } = run('--manifests-dir', folder, '-o', 'json');
    expect(status).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ problems: [{ code: 'CLUSTER_NOT_SERVING', file: folder }] });
  });
});

test('a reader that leaves standard error alone still gets the result', () => {
  const command = `"$0" "$1" control-plane rehearse -o json 2> >(exec 0<&-)`;
  const { status, stdout } = spawnSync('bash', ['-c', command, process.execPath, inject('command')], {
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'done' });
});

test('help names every strategy and every fault', () => {
  const { stdout } = run('--help');
  for (const name of ['relay', 'port-sharing', 'crash-loop', 'kubeadm', 'manifest-edit', 'power-cut', 'disk-full'])
    expect(stdout).toContain(name);
});
