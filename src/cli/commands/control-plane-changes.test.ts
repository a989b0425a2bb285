import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bootlace, type CommandRun } from '../../../test/support/command.ts';
import type { Plan } from '../../control-plane/operations/plan.ts';
import type { Status } from '../../control-plane/operations/status.ts';
import type { RunReport } from '../control-plane/run.ts';
import type { Io } from '../io.ts';
import { run as runProgram } from '../program.ts';

const MANIFESTS = fileURLToPath(new URL('../../../test/golden/manifests/v1.35.4/default', import.meta.url));

let folder: string;
let cluster: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bootlace-changes-'));
  cluster = join(folder, 'cluster.json');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function run(verb: string, ...args: readonly string[]): CommandRun {
  return bootlace(['control-plane', verb, '--simulated', cluster, ...args]);
}

function json<T>(verb: string, ...args: readonly string[]): T {
  return JSON.parse(run(verb, '-o', 'json', ...args).stdout) as T;
}

test('a node is planned, pivoted, rolled, looked at and taken back, one command after the other', () => {
  const plan = run('plan');
  expect(plan.status).toBe(0);
  expect(plan.stdout).toContain('pivot of cp1: ready, no problems');
  expect(plan.stdout).toMatch(/^ 5 {2}cp1\/kube-apiserver\/stop {2}~32 s$/m);
  expect(plan.stdout).toContain('What breaks anyway:');

  const pivot = run('pivot');
  expect(pivot.status).toBe(0);
  expect(pivot.stdout).toMatch(
    /^pivot of cp1, pivot-1: done\n {2}steps {2}18 done in [\d.]+ s\n {2}risk {3}after a reboot nothing .+\n$/,
  );
  expect(pivot.stderr).toMatch(/done +cp1\/kube-apiserver\/relay/);

  const roll = run('roll', '--component', 'kube-scheduler', '--set-flag', 'v=4');
  expect(roll.status).toBe(0);
  expect(roll.stderr).toContain('KUBEADM_CONFIG_DIFFERS');

  const found = run('status');
  expect(found.status).toBe(0);
  expect(found.stdout).toContain('cp1: the API serves, pivoted');
  expect(found.stdout).toContain('Nothing is left to do.');

  const rollback = run('rollback');
  expect(rollback.status).toBe(0);
  expect(rollback.stdout).toMatch(/18 taken back/);
  expect(rollback.stdout).not.toContain('risk');
  expect(json<Status>('status')).toMatchObject({ isPivoted: false, next: [] });
  expect(run('rollback').status).toBe(3);
});

test('a run that was killed has status 4 and says what goes on from there, and that works', () => {
  const killed = run('pivot', '--fault', 'kill@kube-apiserver/stop');
  expect(killed.status).toBe(4);
  expect(killed.stdout).toContain(`next   bootlace control-plane resume --simulated ${cluster}`);
  expect(run('status').status).toBe(1);
  const again = run('pivot');
  expect(again.status).toBe(3);
  expect(again.stderr).toContain('RUN_OPEN');
  const resumed = run('resume');
  expect(resumed.status).toBe(0);
  expect(resumed.stdout).toContain('risk   after a reboot nothing on the disk starts');
  expect(run('resume').status).toBe(3);
});

test('a run that takes itself back has status 5, and says why', () => {
  const { status, stdout } = run('roll', '--set-flag', 'v=4', '--fault', 'bad-definition@relay');
  expect(status).toBe(5);
  expect(stdout).toMatch(/kube-apiserver\/relay: kube-apiserver-relay has ended 3 times/);
});

test('a way back without an API is finished later', () => {
  run('pivot', '--fault', 'power-cut@kube-scheduler/start');
  expect(run('rollback', '--offline').status).toBe(0);
  const found = run('status');
  expect(found.status).toBe(1);
  expect(found.stdout).toContain('rollback --finish');
  expect(run('rollback', '--finish').status).toBe(0);
  expect(run('rollback', '--finish').status).toBe(3);
  expect(run('status').status).toBe(0);
});

test('three control planes are pivoted one after the other', () => {
  for (const node of ['cp1', 'cp2', 'cp3'])
    expect(run('pivot', '--node', node, ...(node === 'cp1' ? ['--nodes', '3'] : [])).status).toBe(0);
  expect(json<Status>('status', '--node', 'cp3')).toMatchObject({ node: 'cp3', isPivoted: true });
});

describe('a plan in a file', () => {
  test('is carried out, and refused once something has changed', () => {
    const file = join(folder, 'plan.yaml');
    writeFileSync(file, run('plan', '--set-flag', 'v=4', '-o', 'yaml').stdout);
    const report = json<RunReport>('roll', '-f', file);
    expect(report).toMatchObject({ verb: 'roll', outcome: 'done', problems: [{ code: 'KUBEADM_CONFIG_DIFFERS' }] });
    const again = run('roll', '-f', file);
    expect(again.status).toBe(3);
    expect(again.stderr).toContain('PLAN_STALE');
  });

  test('comes from standard input as well', () => {
    const plan = run('plan', '-o', 'json').stdout;
    const { status } = bootlace(['control-plane', 'pivot', '--simulated', cluster, '-f', '-'], plan);
    expect(status).toBe(0);
  });

  test('is the same each time that it is made', () => {
    expect(run('plan', '-o', 'json').stdout).toBe(run('plan', '-o', 'json').stdout);
    expect(json<Plan>('plan').fingerprint).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  test.each([
    ['kind: ControlPlanePlan\n', 'holds a plan that cannot be read'],
    ['', 'holds no plan'],
    ['{{', 'holds no plan'],
  ])('%j is none', (text, message) => {
    const file = join(folder, 'plan.yaml');
    writeFileSync(file, text);
    const { status, stderr } = run('pivot', '-f', file);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });

  test('of a roll is not one of a pivot, and takes no flags beside it', () => {
    const file = join(folder, 'plan.yaml');
    writeFileSync(file, run('plan', '--restart', '-o', 'yaml').stdout);
    expect(run('pivot', '-f', file).stderr).toContain('the plan is of a roll');
    expect(run('roll', '-f', file, '--set-flag', 'v=4').stderr).toContain('is given a plan and --set-flag');
  });
});

describe('a whole manifest', () => {
  test('is rolled to', () => {
    const text = readFileSync(join(MANIFESTS, 'kube-scheduler.yaml'), 'utf8');
    const file = join(folder, 'mine.yaml');
    writeFileSync(file, text.replace('- kube-scheduler\n', '- kube-scheduler\n    - --v=5\n'));
    const started = ['--manifests-dir', MANIFESTS];
    const report = json<RunReport>('roll', '-f', file, ...started);
    expect(report).toMatchObject({ outcome: 'done' });
    expect(report.steps.map(({ name }) => name)).toContain('cp1/kube-scheduler/standby');
  });

  test('of something else is refused', () => {
    const file = join(folder, 'mine.yaml');
    writeFileSync(file, 'apiVersion: v1\nkind: Pod\nmetadata: {name: x}\nspec: {containers: [{name: x}]}\n');
    const { status, stderr } = run('roll', '-f', file);
    expect(status).toBe(2);
    expect(stderr).toContain('holds neither a plan nor a manifest of a control plane');
  });
});

test('json is one document on standard output, also with progress as json on standard error', () => {
  const { stdout, stderr } = run('roll', '--restart', '-o', 'json', '--progress', 'json');
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'done', node: 'cp1', id: 'roll-1' });
  const events = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly type: string });
  expect(events[0]).toMatchObject({ type: 'plan' });
  expect(events.at(-1)).toMatchObject({ type: 'ended', outcome: 'done' });
});

describe('Ctrl-C', () => {
  /** Runs a pivot in this process, and presses so often as the text of progress says. */
  async function pressed(times: (written: string) => number) {
    const presses: (() => void)[] = [];
    const exits: number[] = [];
    let [stdout, stderr, count] = ['', '', 0];
    const io: Io = {
      stdin: process.stdin,
      stdout: { write: (text) => (stdout += text) },
      stderr: {
        write: (text) => {
          stderr += text;
          while (count < times(stderr)) {
            count += 1;
            presses.forEach((press) => press());
          }
        },
      },
      env: {},
      now: () => new Date(0),
      onInterrupt: (listener) => {
        presses.push(listener);
        if (times('') > 0) listener();
        return () => {};
      },
      exit: (status) => void exits.push(status),
    };
    const status = await runProgram(['control-plane', 'pivot', '--simulated', cluster], io);
    return { status, stdout, stderr, exits };
  }

  test('before anything was changed ends with 130, and nothing is open', async () => {
    const { status, stdout } = await pressed(() => 1);
    expect(status).toBe(130);
    expect(stdout).toContain('interrupted');
    expect(run('status').status).toBe(0);
  });

  test('once lets the step come to its end, and going on works', async () => {
    const { status, stdout, stderr, exits } = await pressed((written) => (written.includes('endpoint') ? 1 : 0));
    expect([status, exits]).toEqual([4, []]);
    expect(stderr).toContain('stops when this step has come to its end');
    expect(stdout).toContain('steps  3 done');
    expect(run('resume').status).toBe(0);
  });

  test('twice ends the program at once', async () => {
    const { exits } = await pressed((written) => (written.includes('endpoint') ? 2 : 0));
    expect(exits).toEqual([4]);
  });
});

test('what was refused is not kept', () => {
  run('status');
  const before = readFileSync(cluster, 'utf8');
  expect(run('resume').status).toBe(3);
  expect(run('roll', '--set-flag', 'etcd-servers=https://other:2379').status).toBe(3);
  expect(readFileSync(cluster, 'utf8')).toBe(before);
});

describe('wrong usage has status 2 and changes nothing:', () => {
  test.each<[string, readonly string[], string]>([
    ['roll', [], 'needs something to change'],
    ['roll', ['--restart', '--image', 'x'], '--restart is given with an edit'],
    ['roll', ['--set-flag', 'v'], 'takes NAME=VALUE'],
    ['roll', ['--set-flag', 'v=1', '--set-flag', 'v=2'], 'gives v twice'],
    ['roll', ['--set-flag', 'V x=1'], 'no name of a flag'],
    ['roll', ['--remove-flag', '$(reboot)'], 'no name of a flag'],
    ['roll', ['--restart', '--component', 'etcd'], 'knows no component "etcd"'],
    ['roll', ['--restart', '--component', 'kube-scheduler', '--component', 'kube-scheduler'], 'given twice'],
    ['roll', ['-f', '/does/not/exist'], 'cannot be read'],
    ['pivot', ['--node', 'cp7'], 'no control plane on "cp7"'],
    ['pivot', ['--node', 'w1'], 'no control plane on "w1"'],
    ['pivot', ['--fault', 'flood@stop'], 'no fault "flood"'],
    ['pivot', ['--progress', 'songs'], 'no form of progress "songs"'],
    ['pivot', ['--relay-port', '70000'], 'takes a whole number'],
    ['rollback', ['--offline', '--finish'], 'at once'],
    ['status', ['-o', 'xml'], 'no output form "xml"'],
    ['plan', ['--nodes', '2'], 'no number of nodes "2"'],
  ])('%s %j', (verb, args, message) => {
    const { status, stdout, stderr } = run(verb, ...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(existsSync(cluster)).toBe(false);
  });

  test('a file that holds something else is left alone', () => {
    writeFileSync(cluster, '{"version": 2}');
    const { status, stderr } = run('status');
    expect(status).toBe(2);
    expect(stderr).toContain('holds no simulated cluster');
    expect(readFileSync(cluster, 'utf8')).toBe('{"version": 2}');
  });

  test('settings of a new cluster do not fit one that is there', () => {
    run('status');
    const { status, stderr } = run('status', '--nodes', '3');
    expect(status).toBe(2);
    expect(stderr).toContain('--nodes is of a new cluster');
  });

  test.each([
    ['status', ['--nodes', '3'], '--nodes is given'],
    ['status', ['--kubeconfig', 'x'], '--kubeconfig is given'],
    ['roll', ['--restart', '--cri-socket', 'x'], '--cri-socket is given'],
  ])('%s with flags of another place: %j', (verb, flags, message) => {
    const place = flags.includes('--nodes') ? [] : ['--simulated', cluster];
    const { status, stderr } = bootlace(['control-plane', verb, ...place, ...flags]);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });

  test('a fault on a real node', () => {
    const { status, stderr } = bootlace(['control-plane', 'roll', '--restart', '--fault', 'kill@stop']);
    expect(status).toBe(2);
    expect(stderr).toContain('--fault is of a simulated cluster alone');
  });

  test('a machine that is no node', () => {
    const { status, stderr } = bootlace(['control-plane', 'status', '--kubeconfig', join(folder, 'none')]);
    expect(status).toBe(2);
    expect(stderr).toContain('--simulated FILE');
  });
});

describe('a pivot of a real node', () => {
  test.each([[[]], [['--yes']]])('is refused where nobody says that they know what a reboot does: %j', (flags) => {
    const { status, stdout, stderr } = bootlace(['control-plane', 'pivot', ...flags]);
    expect([status, stdout]).toEqual([3, '']);
    expect(stderr).toContain('nothing was changed');
    expect(stderr).toContain('--accept-reboot-risk');
  });
});
