import { expect, test } from 'vitest';
import { attempt, run } from './commands.ts';

test('a command gets its input and gives what it printed and its status', async () => {
  expect(await attempt(['sh', '-c', 'cat; echo said >&2; exit 3'], { input: 'in' })).toEqual({
    status: 3,
    stdout: 'in',
    stderr: 'said\n',
  });
});

test('a command that fails says what it was and the end of what it said', async () => {
  await expect(run(['sh', '-c', 'seq 100 >&2; exit 1'])).rejects.toThrow(/^sh -c seq .*status 1:\n89\n(.*\n)*100$/s);
});

test('a command that is not there is an error with its name', async () => {
  await expect(attempt(['no-such-command'])).rejects.toThrow('cannot run no-such-command');
});

test('a command is over at its time with everything that it started', async () => {
  const before = performance.now();
  const { status } = await attempt(['sh', '-c', 'sleep 20 & wait'], { timeout: 200 });
  expect(status).not.toBe(0);
  expect(performance.now() - before).toBeLessThan(10_000);
});

test('a command ends when its caller wants that', async () => {
  const ending = new AbortController();
  setTimeout(() => ending.abort(), 100);
  expect((await attempt(['sleep', '20'], { signal: ending.signal })).status).not.toBe(0);
});
