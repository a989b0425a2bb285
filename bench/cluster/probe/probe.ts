import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodePlan } from '../addresses.ts';
import { files, type Cluster } from '../bench.ts';
import { BenchError } from '../errors.ts';
import { kubectl, kubectlApply, kubectlGet, tryKubectl } from '../kubectl.ts';
import { enterLan, enterNode, isOn, nodeProcess, onNode, runOnNode } from '../machines.ts';
import { importImages } from '../up.ts';
import { parseContainers, type ContainerState } from './containers.ts';
import { bundleAgent, packAgent } from './image.ts';
import { watchProcesses } from './processes.ts';
import {
  AGENT_FILES,
  outcomeOf,
  parseRecords,
  type AgentConfiguration,
  type AgentRecord,
  type Client,
  type Watch,
} from './records.ts';
import { reportOf, type Report } from './report.ts';

export interface ProbeOptions {
  /** Milliseconds between two writes of one client; default 50. */
  readonly interval?: number;
  /** Milliseconds after which a write has failed; default 2,000. */
  readonly timeout?: number;
  /** Milliseconds between two changes of the quiet resource; default 10,000. */
  readonly quietInterval?: number;
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
  readonly records: ReadonlyMap<string, readonly AgentRecord[]>;
  /** Milliseconds since 1970. */
  readonly start: number;
}

/** A place to measure from. */
interface Vantage {
  readonly name: string;
  /** Folder of the agent as this computer sees it. */
  readonly folder: string;
  /** The node that it goes down with; none for the one outside. */
  readonly node?: NodePlan;
  readonly isPod: boolean;
  readonly host: string;
  readonly port: number;
  readonly writers: readonly Client[];
  readonly watches: readonly Watch[];
}

const CATCH_UP = 1500;
// Inside a node that has the Pod.
const POD_FOLDER = '/var/lib/bench-probe';

/**
 * Starts to measure: from outside through the API's endpoint, on every node that is on through the Service address, and
 * from a Pod on the first worker. Ends the preparations when the first write of each is acknowledged.
 */
export async function startProbe(cluster: Cluster, options: ProbeOptions = {}): Promise<Probe> {
  const { folder, namespace } = await newFolder(cluster);
  const bundle = await bundleAgent(folder);
  const vantages = await vantagesOf(cluster, folder, namespace);
  // Of a probe that was killed, whose Pod may still write.
  await kubectl(cluster, ['delete', 'namespaces', '--selector', 'bench=probe', '--wait=false']);
  await kubectlApply(cluster, permissions(namespace));
  const login = await adminLogin(cluster);
  for (const vantage of vantages) {
    await mkdir(vantage.folder, { recursive: true, mode: 0o700 });
    const configuration: AgentConfiguration = {
      name: vantage.name,
      host: vantage.host,
      port: vantage.port,
      login: vantage.isPod ? {} : login,
      namespace,
      writers: vantage.writers,
      watches: vantage.watches,
      leases: vantage.node === undefined,
      interval: options.interval ?? 50,
      timeout: options.timeout ?? 2000,
      quietInterval: options.quietInterval ?? 10_000,
      catchUp: CATCH_UP,
    };
    await writeFile(join(vantage.folder, AGENT_FILES.configuration), JSON.stringify(configuration), { mode: 0o600 });
  }
  const containersBefore = await readContainers(cluster);
  const processes = watchProcesses(cluster.bench);
  const agents = await Promise.all(
    vantages.map((vantage) =>
      vantage.isPod ? startPod(cluster, vantage, namespace, bundle) : keepRunning(cluster, vantage, bundle),
    ),
  );
  await firstWrites(vantages);
  const start = Date.now();
  return {
    folder,
    stop: async () => {
      const end = Date.now();
      await tell(vantages, AGENT_FILES.stopWriting);
      // Writes that are under way end within their time-out.
      await sleep((options.timeout ?? 2000) + 500);
      await tell(vantages, AGENT_FILES.stop);
      await Promise.all(agents.map((agent) => agent.ended()));
      const records = new Map<string, readonly AgentRecord[]>();
      for (const vantage of vantages) records.set(vantage.name, within(await readRecords(vantage), start, end));
      const report = reportOf({
        settings: cluster.settings,
        start,
        end,
        records,
        present: await presentWrites(cluster, namespace),
        lives: await processes.stop(),
        containersBefore,
        containersAfter: await readContainers(cluster),
      });
      await tryKubectl(cluster, ['delete', 'namespace', namespace, '--wait=false']);
      await writeFile(join(folder, 'report.json'), `${JSON.stringify(report, undefined, 2)}\n`);
      return { report, records, start };
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

async function vantagesOf(cluster: Cluster, folder: string, namespace: string): Promise<Vantage[]> {
  const { plan, settings, bench } = cluster;
  const [host, port] = splitEndpoint(plan.endpoint);
  const outside: Vantage = {
    name: 'outside',
    folder: join(folder, 'outside'),
    isPod: false,
    host,
    port,
    writers: ['fresh', 'http1', 'http2', 'quiet'],
    watches: ['busy', 'quiet'],
  };
  // Without a proxy nobody answers at the Service address.
  if (settings.proxy === 'none') return [outside];
  const inside = { host: plan.service, port: 443, writers: ['fresh'] } as const;
  const running: NodePlan[] = [];
  for (const node of plan.nodes) if (await isOn(cluster, node)) running.push(node);
  const nodes = running.map((node) => ({
    ...inside,
    name: node.name,
    folder: join(folder, node.name),
    node,
    isPod: false,
    watches: [],
  }));
  const worker = running.find(({ role }) => role === 'worker');
  if (worker === undefined) return [outside, ...nodes];
  const disk = join(files.node(bench, worker.name), 'root', POD_FOLDER, namespace);
  const pod = {
    ...inside,
    name: `pod-${worker.name}`,
    folder: disk,
    node: worker,
    isPod: true,
    watches: ['busy', 'quiet'],
  } as const;
  return [outside, ...nodes, pod];
}

function splitEndpoint(endpoint: string): [string, number] {
  const colon = endpoint.lastIndexOf(':');
  return [endpoint.slice(0, colon).replace(/^\[|\]$/g, ''), Number(endpoint.slice(colon + 1))];
}

function permissions(namespace: string): object[] {
  const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'probe' };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: { bench: 'probe' } } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'probe', namespace } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'probe', namespace },
      rules: [
        {
          apiGroups: [''],
          resources: ['configmaps', 'limitranges'],
          verbs: ['get', 'list', 'watch', 'create', 'patch'],
        },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'probe', namespace },
      roleRef: role,
      subjects: [{ kind: 'ServiceAccount', name: 'probe', namespace }],
    },
  ];
}

async function adminLogin(cluster: Cluster): Promise<AgentConfiguration['login']> {
  const view = JSON.parse(
    await kubectl(cluster, ['config', 'view', '--raw', '--flatten', '--minify', '-o', 'json']),
  ) as {
    clusters: [{ cluster: { 'certificate-authority-data': string } }];
    users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }];
  };
  const decode = (text: string): string => Buffer.from(text, 'base64').toString('utf8');
  const { user } = view.users[0];
  return {
    ca: decode(view.clusters[0].cluster['certificate-authority-data']),
    cert: decode(user['client-certificate-data']),
    key: decode(user['client-key-data']),
  };
}

interface Agent {
  ended(): Promise<void>;
}

/** Runs an agent in a machine's network, and again each time that the machine has been off. */
async function keepRunning(cluster: Cluster, vantage: Vantage, bundle: string): Promise<Agent> {
  let child: ChildProcess | undefined;
  const isOver = (): boolean => existsSync(join(vantage.folder, AGENT_FILES.stop));
  const work = (async () => {
    while (!isOver()) {
      if (vantage.node !== undefined && (await nodeProcess(cluster, vantage.node.name)) === undefined) {
        await sleep(200);
        continue;
      }
      try {
        child = await startAgent(cluster, vantage, bundle);
        await new Promise((resolve) => child!.once('close', resolve));
      } catch (error) {
        // The machine went off in between.
        if (!(error instanceof BenchError)) throw error;
      }
      await sleep(200);
    }
  })();
  return { ended: () => work };
}

async function startAgent(cluster: Cluster, vantage: Vantage, bundle: string): Promise<ChildProcess> {
  const command = [process.execPath, bundle, vantage.folder, 'attached'];
  const [program, ...args] =
    vantage.node === undefined
      ? await enterLan(cluster, command)
      : await enterNode(cluster, vantage.node.name, command, { namespaces: ['net', 'pid'] });
  const log = await open(join(vantage.folder, 'agent.log'), 'a');
  try {
    // In a group of its own, so that Ctrl-C ends the measurement and not its agents.
    return spawn(program!, args, { stdio: ['pipe', log.fd, log.fd], detached: true });
  } finally {
    await log.close();
  }
}

async function startPod(cluster: Cluster, vantage: Vantage, namespace: string, bundle: string): Promise<Agent> {
  const { name, archive } = await packAgent(cluster, bundle);
  const node = vantage.node!;
  const there = await runOnNode(cluster, node.name, ['ctr', '--namespace', 'k8s.io', 'images', 'list', '--quiet']);
  if (!there.split('\n').includes(name)) await importImages(cluster, node, archive);
  const folder = { name: 'folder', hostPath: { path: `${POD_FOLDER}/${namespace}`, type: 'Directory' } };
  await kubectlApply(cluster, [
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'probe', namespace },
      spec: {
        serviceAccountName: 'probe',
        // Its end is the end of the measurement, but a crash is not.
        restartPolicy: 'OnFailure',
        nodeName: node.name,
        terminationGracePeriodSeconds: 0,
        tolerations: [{ operator: 'Exists' }],
        containers: [
          {
            name: 'probe',
            image: name,
            command: ['/node', '/agent.mjs', '/probe'],
            volumeMounts: [{ name: 'folder', mountPath: '/probe' }],
          },
        ],
        volumes: [folder],
      },
    },
  ]);
  // Its last records come when it has been told to stop, or never if its node is off.
  return { ended: () => sleep(2 * CATCH_UP + 1500) };
}

/** Waits until every client has written, so that starting up is not measured. */
async function firstWrites(vantages: readonly Vantage[]): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (const vantage of vantages) {
    const hasAll = async (): Promise<boolean> => {
      const records = await readRecords(vantage);
      return vantage.writers.every((client) =>
        records.some((one) => one.kind === 'request' && one.client === client && outcomeOf(one) === 'acknowledged'),
      );
    };
    while (!(await hasAll())) {
      if (Date.now() > deadline) {
        const log = await readFile(join(vantage.folder, 'agent.log'), 'utf8').catch(() => '');
        throw new BenchError(`the probe on ${vantage.name} does not write: ${log.trim().slice(-500)}`);
      }
      await sleep(200);
    }
  }
}

async function tell(vantages: readonly Vantage[], file: string): Promise<void> {
  for (const { folder } of vantages) await writeFile(join(folder, file), '');
}

async function readRecords({ folder }: Vantage): Promise<AgentRecord[]> {
  const text = await readFile(join(folder, AGENT_FILES.records), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return parseRecords(text);
}

// What watches and leases say stays whole, since it is about writes of that time.
function within(records: readonly AgentRecord[], start: number, end: number): AgentRecord[] {
  return records.filter((one) => one.kind !== 'request' || (one.at >= start && one.at < end));
}

interface Marked {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly annotations?: object };
    readonly data?: object;
  }[];
}

async function presentWrites(cluster: Cluster, namespace: string): Promise<Set<string>> {
  const present = new Set<string>();
  for (const resource of ['configmaps', 'limitranges']) {
    const { items } = await kubectlGet<Marked>(cluster, ['--namespace', namespace, resource]);
    for (const { metadata, data } of items) {
      for (const mark of Object.keys(data ?? metadata.annotations ?? {})) present.add(`${metadata.name}/${mark}`);
    }
  }
  return present;
}

async function readContainers(cluster: Cluster): Promise<ContainerState[]> {
  const all = cluster.plan.nodes.map(async ({ name }) => {
    if ((await nodeProcess(cluster, name)) === undefined) return [];
    const { status, stdout } = await onNode(cluster, name, ['crictl', 'ps', '--all', '--output', 'json'], {
      timeout: 20_000,
    });
    return status === 0 ? parseContainers(name, stdout) : [];
  });
  return (await Promise.all(all)).flat();
}
