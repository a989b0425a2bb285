import { runAgent } from './agent.ts';

const [, , folder, attached] = process.argv;
// Outside of a Pod it must not outlive whoever started it, and who holds the other end of its standard input.
if (attached) process.stdin.on('end', () => process.exit(1)).resume();
await runAgent(folder!);
// A connection to somebody who no longer answers would keep it here.
process.exit(0);
