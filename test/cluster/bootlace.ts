import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import type { Cluster } from '../../bench/cluster/bench.ts';
import { enterNode } from '../../bench/cluster/machines.ts';
import type { ProbeResult } from '../../bench/cluster/probe/probe.ts';
import type { Status } from '../../src/control-plane/operations/status.ts';

const BUILD = resolve(import.meta.dirname, '../../scripts/build-binary.ts');
const PATH = '/usr/local/bin/bootlace';

/** Builds the executable, in a folder that the caller removes. */
export function buildBinary(): { readonly binary: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'bootlace-binary-'));
  const binary = join(folder, 'bootlace');
  execFileSync(process.execPath, [BUILD, binary], { stdio: ['ignore', 'ignore', 'inherit'] });
  return { binary, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Puts the executable on a node, where a person would. */
export async function install(cluster: Cluster, node: string, binary: string): Promise<void> {
  const script = `cat > ${PATH}.new && chmod 755 ${PATH}.new && mv ${PATH}.new ${PATH}`;
  const [program, ...args] = await enterNode(cluster, node, ['bash', '-c', script]);
  const file = openSync(binary, 'r');
  try {
    execFileSync(program!, args, { stdio: [file, 'ignore', 'inherit'] });
  } finally {
    closeSync(file);
  }
}

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that goes on: it may be killed, with what it started. */
export interface Running {
  readonly ended: Promise<Ran>;
  /** Ends once what it says on standard error has the text. */
  says(text: string): Promise<void>;
}

/** Runs `bootlace control-plane` on a node, as root does there. */
export async function start(cluster: Cluster, node: string, args: readonly string[]): Promise<Running> {
  const [program, ...rest] = await enterNode(cluster, node, [PATH, 'control-plane', ...args]);
  const child = spawn(program!, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  const listeners = new Set<() => void>();
  child.stdout.on('data', (chunk: Buffer) => void (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
    for (const listener of listeners) listener();
  });
  const ended = new Promise<Ran>((done) => child.on('close', (status) => done({ status, stdout, stderr })));
  return {
    ended,
    says: (text) =>
      new Promise((done, fail) => {
        const look = (): void => {
          if (!stderr.includes(text)) return;
          listeners.delete(look);
          done();
        };
        listeners.add(look);
        void ended.then(() => fail(new Error(`It ended without ${JSON.stringify(text)}:\n${stderr}`)));
        look();
      }),
  };
}

export async function bootlaceOn(cluster: Cluster, node: string, ...args: readonly string[]): Promise<Ran> {
  return (await start(cluster, node, args)).ended;
}

export async function statusOn(cluster: Cluster, node: string): Promise<Status> {
  return JSON.parse((await bootlaceOn(cluster, node, 'status', '-o', 'json')).stdout) as Status;
}

/** How a connection breaks that the other side closes meanwhile. */
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/**
 * That clients lost nothing: no connection that was made anew failed, wherever it came from, and neither did one over
 * HTTP/2. A server closes idle connections of HTTP/1.1 as it stops, with a request on its way or not; that one may break.
 */
export function expectNothingLost({ report }: ProbeResult): void {
  for (const { vantage, client, requests, failed, reasons, missing } of report.clients) {
    expect(requests, `${vantage} ${client}`).toBeGreaterThan(0);
    const mayBreak = client === 'http1' && Object.keys(reasons).every((reason) => BROKEN.has(reason));
    expect({ vantage, client, failed: mayBreak && failed <= 2 ? 0 : failed, missing, reasons }).toEqual({
      vantage,
      client,
      failed: 0,
      missing: 0,
      reasons: mayBreak ? reasons : {},
    });
  }
  for (const { vantage, watch, lost } of report.watches)
    expect({ vantage, watch, lost }).toEqual({ vantage, watch, lost: 0 });
  // A lease that had to run out would cost 15 s. What is promised is 5 s, on a machine that has time.
  expect(report.totals.longestLeaderGap).toBeLessThanOrEqual(8000);
}
