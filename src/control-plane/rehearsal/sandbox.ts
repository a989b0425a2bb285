import { createSimulatedCluster, type Faults, type SimulatedCluster } from '../../cluster/simulated/cluster.ts';
import { UsageError } from '../../core/errors.ts';
import { isMapping } from '../../core/mapping.ts';
import type { Change } from '../operations/change.ts';
import { executePlanned, goOn, type RunResult } from '../operations/execute.ts';
import { planChange, type Plan } from '../operations/plan.ts';
import { MANIFESTS_DIR, type Station } from '../operations/station.ts';
import type { StepEvent, StepListener } from '../strategies/steps.ts';
import { FAULT_NAMES, FAULTS, type FaultName } from './faults.ts';

/**
 * A simulated cluster that outlasts the program: what it was made of, and what was done with it. Everything follows from
 * these, so that opening it does all of it again.
 */
export interface SandboxFile {
  readonly version: 1;
  readonly seed: number;
  /** Nodes with a control plane. */
  readonly nodes: number;
  /** Manifests by the name of their file. Default: those of a new node. */
  readonly manifests?: Readonly<Record<string, string>>;
  readonly history: readonly SandboxEntry[];
}

/** One run, as it was asked for. */
export interface SandboxEntry {
  /** Of the run. */
  readonly id: string;
  readonly node: string;
  readonly verb: 'pivot' | 'roll' | 'resume' | 'rollback' | 'rollback-offline' | 'finish';
  /** Of a pivot or a roll. */
  readonly change?: Change;
  /** The plan that it went by. */
  readonly plan?: Plan;
  readonly fault?: { readonly name: FaultName; readonly step: string };
  /** How many steps were let go on until somebody asked the run to stop. */
  readonly stoppedAfter?: number;
}

export interface Sandbox {
  readonly cluster: SimulatedCluster;
  /** Where bootlace stands on a node. Throws UsageError where there is no such node. */
  station(node: string): Station;
  /** Does what an entry says. The second is the entry as it is to be kept. */
  run(entry: SandboxEntry, options?: SandboxRun): Promise<readonly [RunResult, SandboxEntry]>;
}

export interface SandboxRun {
  readonly onEvent?: (event: StepEvent, seconds: number) => void;
  readonly onFault?: (name: FaultName, seconds: number) => void;
  readonly onPlan?: (steps: readonly { readonly name: string; readonly title: string }[]) => void;
  readonly isStopping?: () => boolean;
}

/** What passes between two commands, in milliseconds: a node that lost its power boots meanwhile. */
const BETWEEN = 60_000;

/** Boots the cluster, and does again what was done with it. */
export async function openSandbox({ seed, nodes, manifests, history }: SandboxFile): Promise<Sandbox> {
  const cluster = createSimulatedCluster({ seed, controlPlanes: nodes, ...(manifests && { manifests }) });
  await cluster.start();
  await cluster.clock.sleep(BETWEEN);
  const sandbox: Sandbox = {
    cluster,
    station: (node) => stationOn(cluster, node),
    run: (...rest) => run(cluster, ...rest),
  };
  for (const entry of history) await sandbox.run(entry);
  return sandbox;
}

function stationOn(cluster: SimulatedCluster, name: string, faults?: Faults): Station & { readonly kill: () => void } {
  const nodes = cluster.nodes.filter(({ isControlPlane }) => isControlPlane);
  if (!nodes.some((node) => node.name === name))
    throw new UsageError(
      `the simulated cluster has no control plane on ${JSON.stringify(name)}`,
      `Known: ${nodes.map((node) => node.name).join(', ')}.`,
    );
  const login = cluster.login(name, faults);
  const { host, cluster: api, clock } = login;
  return { host, cluster: api, clock, manifestsDir: MANIFESTS_DIR, kill: () => login.kill() };
}

async function run(
  cluster: SimulatedCluster,
  entry: SandboxEntry,
  { onEvent = () => {}, onFault = () => {}, onPlan = () => {}, isStopping = () => false }: SandboxRun = {},
): Promise<readonly [RunResult, SandboxEntry]> {
  const switches: { api: Faults['api']; host: Faults['host'] } = { api: undefined, host: undefined };
  const station = stationOn(cluster, entry.node, {
    api: (call) => switches.api?.(call),
    host: (action) => switches.host?.(action),
  });
  const { fault } = entry;
  const start = cluster.clock.now();
  const seconds = (): number => Math.round(cluster.clock.now() - start) / 1000;
  const killed = Promise.withResolvers<RunResult>();
  const kill = (): void => {
    station.kill();
    killed.resolve({ outcome: 'stopped', problems: [], reason: 'the run was killed' });
  };
  let hasStruck = false;
  const listen: StepListener = (event) => {
    onEvent(event, seconds());
    const isBeginning = event.type === 'started' || event.type === 'undoing';
    if (fault === undefined || hasStruck || !isBeginning || !isNamed(event.step.name, fault.step)) return;
    hasStruck = true;
    onFault(fault.name, seconds());
    FAULTS[fault.name].happen({ cluster, node: cluster.node(entry.node), switches, kill });
  };
  let asked = 0;
  let stoppedAfter = entry.stoppedAfter;
  const stops = (): boolean => {
    if (stoppedAfter === undefined && isStopping()) stoppedAfter = asked;
    asked += 1;
    return stoppedAfter !== undefined && asked > stoppedAfter;
  };
  const options = { onEvent: listen, isStopping: stops };

  async function begin(): Promise<RunResult> {
    const { verb, change, plan, id } = entry;
    if (verb !== 'pivot' && verb !== 'roll') return goOn(station, verb, options);
    const planned = await planChange(station, change!);
    onPlan(planned.plan.steps);
    return executePlanned(station, planned, { ...options, id, ...(plan && { plan }) });
  }

  const result = await Promise.race([begin(), killed.promise]);
  await cluster.clock.sleep(BETWEEN);
  return [result, { ...entry, ...(stoppedAfter !== undefined && { stoppedAfter }) }];
}

/** By its whole name, or by the end of it behind a slash. */
function isNamed(name: string, wanted: string): boolean {
  return name === wanted || name.endsWith(`/${wanted}`);
}

/** The file that a text holds; nothing where it holds none. */
export function parseSandbox(text: string): SandboxFile | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isMapping(value) || value['version'] !== 1) return undefined;
  const { seed, nodes, manifests, history } = value;
  const isFile =
    Number.isInteger(seed) &&
    Number.isInteger(nodes) &&
    (manifests === undefined ||
      (isMapping(manifests) && Object.values(manifests).every((one) => typeof one === 'string'))) &&
    Array.isArray(history) &&
    history.every(isEntry);
  return isFile ? (value as unknown as SandboxFile) : undefined;
}

const VERBS: readonly unknown[] = [
  'pivot',
  'roll',
  'resume',
  'rollback',
  'rollback-offline',
  'finish',
] satisfies readonly SandboxEntry['verb'][];

function isEntry(value: unknown): boolean {
  if (!isMapping(value) || typeof value['id'] !== 'string' || typeof value['node'] !== 'string') return false;
  const { verb, change, fault } = value;
  if (!VERBS.includes(verb)) return false;
  if ((verb === 'pivot' || verb === 'roll') && !isMapping(change)) return false;
  return fault === undefined || (isMapping(fault) && FAULT_NAMES.some((name) => name === fault['name']));
}

export function printSandbox(file: SandboxFile): string {
  return `${JSON.stringify(file, undefined, 2)}\n`;
}
