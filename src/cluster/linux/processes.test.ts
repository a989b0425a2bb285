import { spawn, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { needs } from '../../../test/support/needs.ts';
import { listenersIn, processesIn, programsIn } from './processes.ts';

/** Who looks into other processes has to be root. */
describe.skipIf(!needs('root'))('what runs on this machine', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  async function start(...command: readonly string[]): Promise<number> {
    const [program, ...args] = command;
    const child = spawn(program!, args, { stdio: 'ignore' });
    children.push(child);
    await sleep(300);
    return child.pid!;
  }

  const AS_SCHEDULER = ['bash', '-c', 'exec -a /usr/local/bin/kube-scheduler sleep 60'] as const;

  test('is told with its arguments and the time of its start, if it is part of a control plane', async () => {
    const before = Date.now();
    const pid = await start(...AS_SCHEDULER);
    await start('sleep', '60');
    const found = (await processesIn('/proc')).filter((process) => process.pid === pid);
    expect(found).toEqual([expect.objectContaining({ pid, argv: ['/usr/local/bin/kube-scheduler', '60'] }) as unknown]);
    expect(Math.abs(found[0]!.startedAt - before)).toBeLessThan(2000);
    expect(await programsIn('/proc')).toContain('sleep');
  });

  test('in another network is of another node', async () => {
    const pid = await start('unshare', '--net', ...AS_SCHEDULER);
    expect((await processesIn('/proc')).map((process) => process.pid)).not.toContain(pid);
  });

  test('listens on the ports that it has', async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as { port: number };
    expect(await listenersIn('/proc')).toContainEqual({ address: '127.0.0.1', port, pid: process.pid });
    server.close();
  });
});
