import { appendFileSync, closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AGENT_FILES,
  marksOf,
  type AgentConfiguration,
  type AgentRecord,
  type Client,
  type LeaseRecord,
  type Watch,
} from '../records.ts';
import { freshConnections, keptHttp1, keptHttp2, type Connection, type Target } from './connections.ts';
import { watch, type Watching } from './watcher.ts';
import { writeSteadily } from './writer.ts';

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const FLUSH_EVERY = 100;
const LOOK_EVERY = 100;

/**
 * Stands somewhere in the cluster, writes at a fixed rate, watches, and writes down what became of it. It is told what
 * to do by files in its folder, since nothing else reaches a Pod while the API is away.
 */
export async function runAgent(folder: string): Promise<void> {
  const configuration = JSON.parse(readFileSync(join(folder, AGENT_FILES.configuration), 'utf8')) as AgentConfiguration;
  const target = targetOf(configuration);
  const { record, flush } = recorder(join(folder, AGENT_FILES.records));
  const flushing = setInterval(flush, FLUSH_EVERY);
  record({ kind: 'start', at: Date.now() });
  const prefix = `${configuration.name}-${incarnation(folder)}`;
  const watches = configuration.watches.map((one) => startWatch(one, target, configuration, record));
  const leases = configuration.leases ? [watchLeases(target, record)] : [];
  const stopping = new AbortController();
  const writers = configuration.writers.map((client) =>
    writeSteadily(writerFor(client, target, configuration, prefix), stopping.signal, record),
  );
  while (!existsSync(join(folder, AGENT_FILES.stopWriting)) && !existsSync(join(folder, AGENT_FILES.stop)))
    await sleep(LOOK_EVERY);
  stopping.abort();
  await Promise.all(writers);
  // Not until all writers everywhere have stopped can watches have seen everything.
  while (!existsSync(join(folder, AGENT_FILES.stop))) await sleep(LOOK_EVERY);
  await sleep(configuration.catchUp);
  for (const one of watches) one.renew();
  await sleep(configuration.catchUp);
  for (const one of [...watches, ...leases]) one.close();
  clearInterval(flushing);
  flush();
  writeFileSync(join(folder, AGENT_FILES.done), '');
}

function targetOf({ host, port, timeout, login }: AgentConfiguration): Target {
  const ca = login.ca ?? readFileSync(`${ACCOUNT}/ca.crt`, 'utf8');
  const tls = {
    ca,
    ...(login.cert !== undefined && { cert: login.cert }),
    ...(login.key !== undefined && { key: login.key }),
  };
  if (login.cert !== undefined) return { host, port, timeout, tls };
  // The kubelet replaces the token long before it expires.
  let token = '';
  let read = Number.NEGATIVE_INFINITY;
  const current = (): string => {
    if (performance.now() - read > 60_000) {
      token = readFileSync(`${ACCOUNT}/token`, 'utf8');
      read = performance.now();
    }
    return token;
  };
  return { host, port, timeout, tls, token: current };
}

/** How many agents have run in this folder: a Pod that is restarted must not write under the same names again. */
function incarnation(folder: string): number {
  for (let number = 0; ; number += 1) {
    try {
      closeSync(openSync(join(folder, `incarnation-${number}`), 'wx'));
      return number;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function recorder(path: string): { record: (one: AgentRecord) => void; flush: () => void } {
  let lines = '';
  return {
    record: (one) => void (lines += `${JSON.stringify(one)}\n`),
    flush: () => {
      if (lines !== '') appendFileSync(path, lines);
      lines = '';
    },
  };
}

function connectionFor(client: Client, target: Target): Connection {
  switch (client) {
    case 'fresh':
    case 'quiet':
      return freshConnections(target);
    case 'http1':
      return keptHttp1(target);
    case 'http2':
      return keptHttp2(target);
  }
}

function pathOf(watched: Watch, namespace: string): string {
  return `/api/v1/namespaces/${namespace}/${watched === 'busy' ? 'configmaps' : 'limitranges'}`;
}

function writerFor(
  client: Client,
  target: Target,
  { namespace, interval, quietInterval, timeout }: AgentConfiguration,
  prefix: string,
) {
  const isQuiet = client === 'quiet';
  return {
    client,
    connection: connectionFor(client, target),
    path: pathOf(isQuiet ? 'quiet' : 'busy', namespace),
    object: `${prefix}-${client}`,
    mark: (write: string) => (isQuiet ? { metadata: { annotations: { [write]: '' } } } : { data: { [write]: '' } }),
    interval: isQuiet ? quietInterval : interval,
    objects: isQuiet ? 1 : Math.ceil(timeout / interval) + 1,
  };
}

function startWatch(
  name: Watch,
  target: Target,
  { namespace }: AgentConfiguration,
  record: (one: AgentRecord) => void,
): Watching {
  const seen = new Set<string>();
  return watch(target, pathOf(name, namespace), {
    onEvent: (event, reason) =>
      record({ kind: 'watch', watch: name, at: Date.now(), event, ...(reason !== undefined && { reason }) }),
    onObject: (object) => {
      const writes = marksOf(object).filter((write) => !seen.has(write));
      for (const write of writes) seen.add(write);
      if (writes.length > 0) record({ kind: 'seen', watch: name, at: Date.now(), writes });
    },
  });
}

function watchLeases(target: Target, record: (one: AgentRecord) => void): Watching {
  return watch(target, '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases', {
    onEvent: () => {},
    onObject: ({ metadata, spec }) => {
      const name = metadata?.name ?? '';
      if (name !== 'kube-controller-manager' && name !== 'kube-scheduler') return;
      record(leaseRecord(name, spec as LeaseSpec));
    },
  });
}

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly acquireTime?: string;
  readonly renewTime?: string;
}

function leaseRecord(name: string, { holderIdentity = '', acquireTime = '', renewTime = '' }: LeaseSpec): LeaseRecord {
  // Kubernetes writes microseconds.
  const time = (text: string): number => (text === '' ? 0 : Date.parse(text));
  return {
    kind: 'lease',
    at: Date.now(),
    name,
    holder: holderIdentity,
    acquired: time(acquireTime),
    renewed: time(renewTime),
  };
}
