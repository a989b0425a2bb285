import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { CommandError, type Run } from '../../src/cluster/linux/commands.ts';

/** A network of its own, with one address of each family besides those of the loopback. */
export interface Network {
  /** Runs a program in it. */
  readonly run: Run;
  /** Answers every connection to these ports with a word of its own. */
  serve(words: Readonly<Record<number, string>>): Promise<void>;
  /** What a connection is answered. */
  ask(address: string, port: number, localAddress?: string): Promise<string>;
  end(): void;
}

export const ADDRESS = '10.9.0.1';
export const ADDRESS_6 = 'fd09::1';

const SERVER = `
const net = require('net');
for (const [port, word] of Object.entries(JSON.parse(process.argv[1])))
  net.createServer((socket) => socket.end(word)).listen(Number(port), '::', () => console.log(port));
`;
const CLIENT = `
const [host, port, localAddress] = process.argv.slice(1);
const socket = require('net').connect({ host, port: Number(port), ...(localAddress && { localAddress }) });
socket.setTimeout(2000, () => socket.destroy(new Error('no answer')));
socket.on('error', (error) => { console.log(error.code ?? error.message); process.exit(0); });
socket.pipe(process.stdout);
`;

export async function openNetwork(): Promise<Network> {
  const holder = spawn('unshare', [
    '--net',
    '--map-root-user',
    'sh',
    '-c',
    'ip link set lo up && echo up && exec sleep 600',
  ]);
  await once(holder.stdout, 'data');
  const enter = ['--target', String(holder.pid), '--user', '--net', '--preserve-credentials'];
  const children = [holder];
  const run: Run = (program, args, input) =>
    new Promise((resolve, reject) => {
      const child = execFile('nsenter', [...enter, program, ...args], (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new CommandError(program, stderr, error));
      });
      child.stdin?.on('error', () => {});
      child.stdin?.end(input ?? '');
    });
  await run('ip', ['address', 'add', `${ADDRESS}/32`, 'dev', 'lo']);
  // Of Services.
  await run('ip', ['route', 'add', '10.96.0.0/16', 'dev', 'lo']);
  await run('ip', ['address', 'add', `${ADDRESS_6}/128`, 'dev', 'lo', 'nodad']);
  return {
    run,
    serve: async (words) => {
      const server = spawn('nsenter', [...enter, process.execPath, '-e', SERVER, JSON.stringify(words)]);
      children.push(server);
      let count = 0;
      for await (const chunk of server.stdout as AsyncIterable<Buffer>) {
        count += chunk.toString().trim().split('\n').length;
        if (count === Object.keys(words).length) return;
      }
    },
    ask: (address, port, localAddress = '') =>
      run(process.execPath, ['-e', CLIENT, address, String(port), localAddress]).then((text) => text.trim()),
    end: () => {
      for (const child of children.toReversed()) child.kill('SIGKILL');
    },
  };
}
