import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { files, type Cluster } from '../bench.ts';
import { BenchError } from '../errors.ts';
import { kubectl, kubectlApply, kubectlGet, tryKubectl } from '../kubectl.ts';
import { nodeProcess, onNode } from '../machines.ts';
import { runAgentIn, startPod, type Agent } from './agents.ts';
import { parseContainers, type ContainersByNode, type ContainerState } from './containers.ts';
import { bundleAgent } from './image.ts';
import { watchProcesses } from './processes.ts';
import {
  AGENT_FILES,
  marksOf,
  outcomeOf,
  parseRecords,
  type AgentConfiguration,
  type AgentRecord,
  type Marked,
} from './records.ts';
import { reportOf, type Observations, type Report } from './report.ts';
import { vantagesOf, type Vantage } from './vantages.ts';

export interface ProbeOptions {
  /** Milliseconds between two writes of one client; default 50. */
  readonly interval?: number;
  /** Milliseconds after which a write has failed; default 2,000. */
  readonly timeout?: number;
  /** Milliseconds between two changes of the quiet resource; default 10,000. */
  readonly quietInterval?: number;
  /** Ends the preparations. */
  readonly signal?: AbortSignal;
}

/** A probe that runs. */
export interface Probe {
  /** Where everything that it saw is written down. */
  readonly folder: string;
  /** Ends it and says what it saw. */
  stop(): Promise<ProbeResult>;
}

export interface ProbeResult {
  readonly report: Report;
  readonly observations: Observations;
}

const CATCH_UP = 1500;
const PATIENCE = 60_000;

/**
 * Starts to measure from every place that a client can stand. It has started when the first write of each client is
 * acknowledged. Whatever fails, nothing goes on in the background.
 */
export async function startProbe(cluster: Cluster, options: ProbeOptions = {}): Promise<Probe> {
  const { folder, namespace } = await newFolder(cluster);
  const bundle = await bundleAgent(folder);
  const vantages = await vantagesOf(cluster, folder, namespace);
  // Of a probe that was killed, whose Pod may still write.
  await kubectl(cluster, ['delete', 'namespaces', '--selector', 'bench=probe', '--wait=false'], { timeout: 30_000 });
  await kubectlApply(cluster, permissions(namespace));
  await configure(cluster, vantages, namespace, options);
  const containersBefore = await readContainers(cluster);
  const processes = watchProcesses(cluster.bench);
  const agents = new Map<Vantage, Agent>();
  const finish = async () => {
    // Writes that are under way end within their time-out, and only then can watches have seen everything.
    await tell(vantages, AGENT_FILES.stopWriting);
    await sleep((options.timeout ?? 2000) + 500);
    await tell(vantages, AGENT_FILES.stop);
    const ends = [...agents].map(async ([vantage, agent]) => [vantage.name, await agent.end()] as const);
    const results = await Promise.allSettled(ends);
    const lives = await processes.stop();
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    return { lives, done: new Map(results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))) };
  };
  try {
    for (const vantage of vantages) {
      const agent = vantage.isPod
        ? await startPod(cluster, vantage, namespace, bundle)
        : runAgentIn(cluster, vantage, bundle);
      agents.set(vantage, agent);
    }
    await firstWrites(vantages, options.signal);
  } catch (error) {
    await finish();
    await removeNamespace(cluster, namespace);
    throw error;
  }
  const start = Date.now();
  return {
    folder,
    stop: async () => {
      const end = Date.now();
      const { lives, done } = await finish();
      const observed = vantages.map(async (vantage) => ({
        ...vantage,
        records: await readRecords(vantage),
        isDone: done.get(vantage.name) ?? false,
      }));
      const observations: Observations = {
        settings: cluster.settings,
        start,
        end,
        vantages: await Promise.all(observed),
        present: await presentWrites(cluster, namespace),
        lives,
        containersBefore,
        containersAfter: await readContainers(cluster),
      };
      const report = reportOf(observations);
      await writeFile(join(folder, 'report.json'), `${JSON.stringify(report, undefined, 2)}\n`);
      await removeNamespace(cluster, namespace);
      return { report, observations };
    },
  };
}

/** Each probe has a folder and a namespace with a number: an earlier one's may still be going away. */
async function newFolder(cluster: Cluster): Promise<{ folder: string; namespace: string }> {
  const all = files.probes(cluster.bench);
  await mkdir(all, { recursive: true, mode: 0o700 });
  const numbers = (await readdir(all)).map(Number).filter(Number.isInteger);
  const number = Math.max(0, ...numbers) + 1;
  const folder = join(all, `${number}`);
  await mkdir(folder);
  return { folder, namespace: `bench-probe-${number}` };
}

async function configure(
  cluster: Cluster,
  vantages: readonly Vantage[],
  namespace: string,
  options: ProbeOptions,
): Promise<void> {
  const login = await adminLogin(cluster);
  for (const { name, host, port, writers, watches, node, isPod, folder } of vantages) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const configuration: AgentConfiguration = {
      name,
      host,
      port,
      login: isPod ? {} : login,
      namespace,
      writers,
      watches,
      leases: node === undefined,
      interval: options.interval ?? 50,
      timeout: options.timeout ?? 2000,
      quietInterval: options.quietInterval ?? 10_000,
      catchUp: CATCH_UP,
    };
    await writeFile(join(folder, AGENT_FILES.configuration), JSON.stringify(configuration), { mode: 0o600 });
  }
}

function permissions(namespace: string): object[] {
  const subject = { kind: 'ServiceAccount', name: 'probe', namespace };
  const rbac = 'rbac.authorization.k8s.io';
  const resources = ['configmaps', 'limitranges'];
  const verbs = ['get', 'list', 'watch', 'create', 'patch'];
  const metadata = { name: 'probe', namespace };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: { bench: 'probe' } } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules: [{ apiGroups: [''], resources, verbs }] },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'Role', name: 'probe' },
      subjects: [subject],
    },
  ];
}

async function removeNamespace(cluster: Cluster, namespace: string): Promise<void> {
  // If the API is away, the next probe does it; if the whole bench is, there is nothing to do.
  await ifThere(tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false'], { timeout: 15_000 }));
}

/** Nothing instead of a failure that a machine which went off brings about. */
async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof BenchError) return undefined;
    throw error;
  }
}

async function adminLogin(cluster: Cluster): Promise<AgentConfiguration['login']> {
  const text = await kubectl(cluster, ['config', 'view', '--raw', '--flatten', '--minify', '-o', 'json']);
  const view = JSON.parse(text) as {
    clusters: [{ cluster: { 'certificate-authority-data': string } }];
    users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }];
  };
  const decode = (data: string): string => Buffer.from(data, 'base64').toString('utf8');
  const { user } = view.users[0];
  return {
    ca: decode(view.clusters[0].cluster['certificate-authority-data']),
    cert: decode(user['client-certificate-data']),
    key: decode(user['client-key-data']),
  };
}

/** Waits until every client has written, so that starting up is not measured. */
async function firstWrites(vantages: readonly Vantage[], signal?: AbortSignal): Promise<void> {
  const deadline = Date.now() + PATIENCE;
  for (const vantage of vantages) {
    const hasAll = async (): Promise<boolean> => {
      const records = await readRecords(vantage);
      return vantage.writers.every((client) =>
        records.some((one) => one.kind === 'request' && one.client === client && outcomeOf(one) === 'acknowledged'),
      );
    };
    while (!(await hasAll())) {
      signal?.throwIfAborted();
      if (Date.now() > deadline) {
        const log = await readFile(join(vantage.folder, 'agent.log'), 'utf8').catch(() => '');
        throw new BenchError(`the probe on ${vantage.name} does not write: ${log.trim().slice(-500)}`);
      }
      await sleep(200);
    }
  }
}

async function tell(vantages: readonly Vantage[], file: string): Promise<void> {
  for (const { folder } of vantages) {
    await writeFile(join(folder, file), '').catch((error: NodeJS.ErrnoException) => {
      // Removed with the cluster, and its agent too.
      if (error.code !== 'ENOENT') throw error;
    });
  }
}

async function readRecords({ folder }: Vantage): Promise<AgentRecord[]> {
  const text = await readFile(join(folder, AGENT_FILES.records), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return parseRecords(text);
}

/** Every mark that is there. Nothing when the API does not answer within half a minute. */
async function presentWrites(cluster: Cluster, namespace: string): Promise<Set<string> | undefined> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const present = await ifThere(readMarks(cluster, namespace));
    if (present !== undefined || Date.now() > deadline) return present;
    await sleep(1000);
  }
}

async function readMarks(cluster: Cluster, namespace: string): Promise<Set<string>> {
  const present = new Set<string>();
  for (const resource of ['configmaps', 'limitranges']) {
    const { items } = await kubectlGet<{ readonly items: readonly Marked[] }>(
      cluster,
      ['--namespace', namespace, resource],
      { timeout: 15_000 },
    );
    for (const mark of items.flatMap(marksOf)) present.add(mark);
  }
  return present;
}

async function readContainers(cluster: Cluster): Promise<ContainersByNode> {
  const all = cluster.plan.nodes.map(async ({ name }) => [name, await containersOn(cluster, name)] as const);
  return new Map(await Promise.all(all));
}

async function containersOn(cluster: Cluster, name: string): Promise<ContainerState[] | undefined> {
  for (let tries = 0; tries < 3; tries += 1) {
    if ((await nodeProcess(cluster, name)) === undefined) return undefined;
    const list = ['crictl', 'ps', '--all', '--output', 'json'];
    const ran = await ifThere(onNode(cluster, name, list, { timeout: 20_000 }));
    if (ran?.status === 0) return parseContainers(name, ran.stdout);
    await sleep(1000);
  }
  return undefined;
}
