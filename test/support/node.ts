import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a node did with a script. */
export interface NodeRun {
  readonly status: number | null;
  readonly stderr: string;
  /** The environment that the image's own start script saw; absent when it did not run. */
  readonly environment: ReadonlyMap<string, string> | undefined;
  /** Text of files on the node, by path, for the paths asked for. */
  readonly files: ReadonlyMap<string, string>;
}

export interface NodeSettings {
  /** Seconds after which the image's script is whole; `never` leaves it away. */
  readonly readyAfter?: number | 'never';
  /** Exit status of the image's start script. */
  readonly startStatus?: number;
  /** Whether `sleep` returns at once. */
  readonly fastSleep?: boolean;
  readonly files?: readonly string[];
}

/**
 * Runs a script in a real bash on a throw-away node: the folders that it writes into are mounted in a namespace
 * of its own, with a stub for the image's start script that keeps the environment which it is given.
 */
export function runOnNode(script: string, settings: NodeSettings = {}): NodeRun {
  const { readyAfter = 0, startStatus = 0, fastSleep = false, files = [] } = settings;
  const folder = mkdtempSync(join(tmpdir(), 'bootlace-node-'));
  try {
    writeFileSync(join(folder, 'script.sh'), script, { mode: 0o700 });
    const setUp = [
      'set -e',
      'mount -t tmpfs tmpfs /opt',
      'mount -t tmpfs tmpfs /var/log',
      'mkdir -p /opt/azure/containers',
      `printf '%s\\n' 'env -0 > ${folder}/environment' 'exit ${startStatus}' > /opt/azure/containers/provision_start.sh`,
      readyAfter === 'never' ? ':' : `{ sleep ${readyAfter}; echo '#EOF' > /opt/azure/containers/provision.sh; } &`,
      fastSleep
        ? `mkdir ${folder}/stubs; printf '#!/bin/sh\\necho >> ${folder}/sleeps\\n' > ${folder}/stubs/sleep; chmod +x ${folder}/stubs/sleep`
        : ':',
      'set +e',
      `env -i PATH=${fastSleep ? `${folder}/stubs:` : ''}/usr/sbin:/usr/bin:/sbin:/bin ${folder}/script.sh`,
      'status=$?',
      ...files.map((file, index) => `cat '${file}' > ${folder}/file-${index} 2>/dev/null`),
      'exit $status',
    ].join('\n');
    const run = spawnSync('unshare', ['--mount', '--map-root-user', 'bash', '-c', setUp], { encoding: 'utf8' });
    return {
      status: run.status,
      stderr: run.stderr,
      environment: readEnvironment(join(folder, 'environment')),
      files: new Map(files.map((file, index) => [file, read(join(folder, `file-${index}`)) ?? ''])),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readEnvironment(path: string): ReadonlyMap<string, string> | undefined {
  const text = read(path);
  return text === undefined ? undefined : parseEnvironment(text);
}

/** Reads what `env -0` prints. */
export function parseEnvironment(text: string): ReadonlyMap<string, string> {
  const entries = text.split('\0').filter(Boolean);
  return new Map(entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]));
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** What a bash makes of assignments, one process for all of them. */
export function evaluate(assignments: string, names: readonly string[]): string[] {
  const dump = names.map((name) => `printf '%s\\0' "$${name}"`).join('\n');
  const output = execFileSync('bash', ['-c', `${assignments}\n${dump}`], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return output.split('\0').slice(0, -1);
}
