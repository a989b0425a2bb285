import { runAgent } from './agent.ts';

await runAgent(process.argv[2]!);
