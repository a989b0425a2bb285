#!/usr/bin/env node
// A real Kubernetes cluster on this computer, for tests and for people who develop against it: docs/cluster-bench.md.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runBench } from './program.ts';

const { env } = process;
const interrupt = new AbortController();
process.once('SIGINT', () => interrupt.abort());
process.once('SIGTERM', () => interrupt.abort());

process.exitCode = await runBench(process.argv.slice(2), {
  stdout: {
    isTTY: process.stdout.isTTY ?? false,
    // A terminal may not know its width, and says 0.
    columns: process.stdout.columns || 100,
    write: (text) => void process.stdout.write(text),
  },
  stderr: { write: (text) => void process.stderr.write(text) },
  state:
    env['BOOTLACE_CLUSTER_STATE'] || join(env['XDG_STATE_HOME'] || join(homedir(), '.local/state'), 'bootlace/cluster'),
  cache: join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'bootlace'),
  cwd: env['INIT_CWD'] || process.cwd(),
  now: () => performance.now(),
  signal: interrupt.signal,
});
