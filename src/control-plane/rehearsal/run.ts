import { createSimulatedCluster, type Faults, type SimulatedCluster } from '../../cluster/simulated/cluster.ts';
import { MANIFESTS_DIRECTORY } from '../../cluster/simulated/kubelet/manifests.ts';
import { stockManifests } from '../../cluster/simulated/stock.ts';
import { startTraffic } from '../../cluster/simulated/traffic/traffic.ts';
import { systemClock, type Clock } from '../../core/clock.ts';
import { isBootlaceError, UsageError } from '../../core/errors.ts';
import { hasErrors } from '../../core/problem.ts';
import { beginRun, continueRun } from '../journal/runs.ts';
import type { Strategy } from '../strategies/context.ts';
import { CONTROL_PLANE_COMPONENTS } from '../selfhosting/labels.ts';
import { DEFAULT_RELAY_PORT } from '../selfhosting/modern/relay-options.ts';
import { takeInventory, type FileProblem } from '../strategies/inventory.ts';
import type { Step, StepEvent } from '../strategies/steps.ts';
import { STRATEGIES } from '../strategies/strategies.ts';
import { otherVerbosity } from '../strategies/manifest-edit.ts';
import { isServing } from '../strategies/waits.ts';
import { checkSettings, notServing, problemsIn } from './checks.ts';
import { FAULTS } from './faults.ts';
import { createStepLog, thousandths } from './step-log.ts';
import type { RehearsalSettings } from './rehearse.ts';
import {
  redirectPeriods,
  serverLives,
  type Rehearsal,
  type RehearsalOutcome,
  type RehearsedStep,
} from './rehearsal.ts';

/** How long clients write before the run begins, and after it has ended: seconds in which nothing is to happen. */
const QUIET = { before: 5, after: 20 };
/** How much longer, in seconds, where something still comes to rest: a node that boots, a pause of the kubelet. */
const AFTERMATH = 180;
/** How long it takes until somebody sees that a run was stopped, and goes on with it. */
const ABSENCE = 30;

export async function runRehearsal(settings: RehearsalSettings = {}): Promise<Rehearsal> {
  const { strategy = 'relay', seed = 1, nodes = 1, fault, onEvent = () => {}, clock = systemClock } = settings;
  checkSettings(settings);
  const startedAt = clock.now();
  const manifests = settings.manifests ?? stockManifests({ address: '10.0.0.11' });
  const refused = (problems: readonly FileProblem[]): Rehearsal => {
    onEvent({ type: 'ended', at: 0, outcome: 'refused' });
    const realSeconds = thousandths((clock.now() - startedAt) / 1000);
    return { strategy, seed, nodes, ...(fault && { fault }), ...NOTHING, problems, realSeconds };
  };
  const found = await problemsIn(manifests, settings.unreadable);
  if (hasErrors(found)) return refused(found);
  const cluster = createSimulatedCluster({ seed, controlPlanes: nodes, manifests });
  onEvent({ type: 'cluster', state: 'booting' });
  try {
    await cluster.start();
  } catch (error) {
    if (!isBootlaceError(error) || error.code !== 'SIMULATION_STALLED') throw error;
    return refused([...found, notServing(error.message)]);
  }
  onEvent({ type: 'cluster', state: 'serving' });

  const from = cluster.clock.now();
  const traffic = startTraffic(cluster);
  await cluster.clock.sleep(QUIET.before * 1000);
  const run = await runOnNodes(cluster, settings, from);
  onEvent({ type: 'ended', at: secondsSince(from, cluster.clock), outcome: run.outcome });
  await cluster.clock.sleep(QUIET.after * 1000);
  await cluster.settle(AFTERMATH * 1000);
  const missing = cluster.missing();
  const report = await traffic.stop();

  return {
    strategy,
    seed,
    nodes,
    ...(fault && { fault }),
    // A run that came to its end has not done what it says while the control plane does not serve as a whole.
    outcome: missing !== undefined && (run.outcome === 'done' || run.outcome === 'undone') ? 'failed' : run.outcome,
    ...(missing !== undefined && { missing }),
    serving: await isServing(cluster.connect()),
    requests: report.requests,
    failedRequests: report.failed,
    retriableRequests: report.retriable,
    lostWrites: report.missing,
    outages: report.clients
      .flatMap(({ vantage, connection, outages }) =>
        outages.map((outage) => ({ client: `${vantage} ${connection}`, ...outage })),
      )
      .toSorted((a, b) => a.at - b.at),
    leaderGaps: report.leaderGaps,
    restarts: report.restarts,
    steps: run.steps,
    servers: serverLives(cluster.events, from),
    redirects: redirectPeriods(cluster.events, from),
    clients: report.clients,
    watch: report.watch,
    problems: distinct([...found, ...run.problems]),
    simulatedSeconds: report.seconds,
    realSeconds: thousandths((clock.now() - startedAt) / 1000),
  };
}

/** A rehearsal in which nothing happened. */
const NOTHING = {
  outcome: 'refused',
  serving: false,
  requests: 0,
  failedRequests: 0,
  retriableRequests: 0,
  lostWrites: 0,
  outages: [],
  leaderGaps: [],
  restarts: [],
  steps: [],
  servers: [],
  redirects: [],
  clients: [],
  watch: { seen: 0, lost: 0, resumed: 0, gone: 0 },
  simulatedSeconds: 0,
} as const;

interface Run {
  readonly outcome: RehearsalOutcome;
  readonly steps: readonly RehearsedStep[];
  readonly problems: readonly FileProblem[];
}

/**
 * One node after the other, as an administrator would; the first that does not come to its end is the last. Where nodes
 * before it were changed the whole is `stopped`, whatever became of that one: some nodes are one way and some the other.
 */
async function runOnNodes(cluster: SimulatedCluster, settings: RehearsalSettings, from: number): Promise<Run> {
  const { isPerNode } = STRATEGIES[settings.strategy ?? 'relay'];
  const names = cluster.nodes.filter(({ isControlPlane }) => isControlPlane).map(({ name }) => name);
  const steps: RehearsedStep[] = [];
  const problems: FileProblem[] = [];
  let outcome: RehearsalOutcome = 'done';
  const chosen = isPerNode ? names : names.slice(0, 1);
  for (const [index, name] of chosen.entries()) {
    const run = await runOnNode(cluster, name, chosen, settings, from);
    steps.push(...run.steps);
    problems.push(...run.problems);
    const isBetween = index > 0 && (run.outcome === 'undone' || run.outcome === 'refused');
    outcome = isBetween ? 'stopped' : run.outcome;
    if (outcome !== 'done') break;
  }
  return { outcome, steps, problems };
}

async function runOnNode(
  cluster: SimulatedCluster,
  name: string,
  names: readonly string[],
  settings: RehearsalSettings,
  from: number,
): Promise<Run> {
  const { strategy = 'relay', relayPort = DEFAULT_RELAY_PORT, fault, onEvent = () => {} } = settings;
  const chosen: Strategy = STRATEGIES[strategy];
  const components = settings.components ?? chosen.components ?? CONTROL_PLANE_COMPONENTS;
  const switches: { api: Faults['api']; host: Faults['host'] } = { api: undefined, host: undefined };
  const login = cluster.login(name, {
    api: (call) => switches.api?.(call),
    host: (action) => switches.host?.(action),
  });
  const { context, problems } = await takeInventory({
    host: login.host,
    cluster: login.cluster,
    clock: login.clock,
    manifestsDir: MANIFESTS_DIRECTORY,
    components,
    relayPort,
    log: () => {},
  });
  if (context === undefined || hasErrors(problems)) return { outcome: 'refused', steps: [], problems };
  const given = {
    ...context,
    hasSnapshot: true,
    ...(strategy === 'roll' && { definitions: otherVerbosity(context) }),
  };
  const plan = STRATEGIES[strategy].plan(given);
  const all = [
    ...problems,
    ...plan.problems.map(({ component, ...problem }) => ({ ...problem, file: context.manifests[component].path })),
  ];
  if (hasErrors(all)) return { outcome: 'refused', steps: [], problems: all };
  const struck = fault && stepNamed(plan.steps, fault.step, name, names);
  onEvent({
    type: 'plan',
    at: secondsSince(from, cluster.clock),
    steps: plan.steps.map(({ name: step, title }) => ({ name: step, title })),
  });

  const log = createStepLog();
  let hasStruck = false;
  const killed = Promise.withResolvers<'stopped'>();
  const kill = (): void => {
    login.kill();
    killed.resolve('stopped');
  };
  const listen = (event: StepEvent): void => {
    const at = secondsSince(from, cluster.clock);
    const { step, type: state } = event;
    log.note(event, at);
    onEvent({
      type: 'step',
      at,
      name: step.name,
      title: step.title,
      state,
      ...('reason' in event && { reason: event.reason }),
    });
    if (fault === undefined || hasStruck || state !== 'started' || step.name !== struck?.name) return;
    hasStruck = true;
    onEvent({ type: 'fault', at, name: fault.name });
    FAULTS[fault.name].happen({ cluster, node: cluster.node(name), switches, kill });
  };
  const run = beginRun({
    context: given,
    strategy,
    id: `rehearsal-${settings.seed ?? 1}`,
    steps: plan.steps,
    onEvent: listen,
  });
  let outcome: RehearsalOutcome = await Promise.race([run, killed.promise]);
  if (outcome === 'stopped' && settings.afterwards !== undefined) {
    await cluster.clock.sleep(ABSENCE * 1000);
    const { host, cluster: api, clock } = cluster.login(name);
    outcome = await continueRun({
      host,
      cluster: api,
      clock,
      way: settings.afterwards,
      onEvent: listen,
      log: () => {},
    });
  }
  return { outcome, steps: log.steps(secondsSince(from, cluster.clock)), problems: all };
}

/**
 * The step of a node that a name means: its number from 1, its whole name, or on the first node the first one that ends
 * with it behind a slash. Nothing where it is one of another node.
 */
function stepNamed(
  steps: readonly Step[],
  name: string,
  node: string,
  [first, ...others]: readonly string[],
): Step | undefined {
  const isFirst = node === first;
  const found =
    steps.find((step) => step.name === name) ??
    (isFirst ? (numbered(steps, name) ?? steps.find((step) => step.name.endsWith(`/${name}`))) : undefined);
  // All nodes have the same steps.
  const isElsewhere = others.some((other) => steps.some((step) => step.name === name.replace(`${other}/`, `${node}/`)));
  if (found !== undefined || !isFirst || isElsewhere) return found;
  throw new UsageError(
    `there is no step ${JSON.stringify(name)}`,
    `Write one of: ${steps.map((step) => step.name).join(', ')}.`,
  );
}

function numbered(steps: readonly Step[], name: string): Step | undefined {
  return /^[1-9]\d*$/.test(name) ? steps[Number(name) - 1] : undefined;
}

function distinct(problems: readonly FileProblem[]): readonly FileProblem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

function secondsSince(from: number, clock: Clock): number {
  return thousandths((clock.now() - from) / 1000);
}
