import type { Faults } from '../../src/cluster/simulated/cluster.ts';
import type { Cluster } from '../../src/cluster/api.ts';
import type { Host } from '../../src/cluster/host.ts';
import { CONTROL_PLANE_COMPONENTS, type ControlPlaneComponent } from '../../src/control-plane/index.ts';
import type { StrategyContext, StrategyPlan } from '../../src/control-plane/strategies/context.ts';
import {
  editedKubeadmConfig,
  readKubeadmConfig,
  type ConfigEdit,
} from '../../src/control-plane/strategies/kubeadm-config.ts';
import { takeInventory } from '../../src/control-plane/strategies/inventory.ts';
import { beginRun } from '../../src/control-plane/journal/runs.ts';
import { otherVerbosity } from '../../src/control-plane/strategies/manifest-edit.ts';
import type { StepsOutcome } from '../../src/control-plane/strategies/steps.ts';
import { STRATEGIES, type StrategyName } from '../../src/control-plane/strategies/strategies.ts';
import type { Login, SimulatedCluster } from '../../src/testing/index.ts';

const PARKING = '/etc/kubernetes/bootlace/';

export interface Change {
  readonly strategy?: StrategyName;
  readonly components?: readonly ControlPlaneComponent[];
  readonly relayPort?: number;
  /** Whether everything is made that a run may make: a snapshot of etcd, and for a roll the edit of what kubeadm has. */
  readonly isWhole?: boolean;
  /** The node as the run has it. */
  readonly on?: (host: Host) => Host;
  /** Asked for each request and each action of the run, once it has been planned. */
  readonly faults?: Faults;
  /** Called as each step begins. */
  readonly onStep?: (name: string) => void;
}

/** What a strategy would do on the first node. */
export async function plan(
  cluster: SimulatedCluster,
  change: Change = {},
): Promise<StrategyPlan & { readonly context: StrategyContext; readonly login: Login }> {
  const { strategy = 'relay', components = CONTROL_PLANE_COMPONENTS, relayPort = 6444, isWhole = false } = change;
  const { on = (host) => host } = change;
  let isPlanned = false;
  const { api = () => undefined, host: onHost = () => undefined } = change.faults ?? {};
  const login = cluster.login('cp1', {
    api: (call) => (isPlanned ? api(call) : undefined),
    host: (action) => (isPlanned ? onHost(action) : undefined),
  });
  const { context } = await takeInventory({
    host: on(login.host),
    cluster: login.cluster,
    clock: login.clock,
    manifestsDir: '/etc/kubernetes/manifests',
    components,
    relayPort,
    log: () => {},
  });
  const given: StrategyContext = {
    ...context!,
    hasSnapshot: isWhole,
    ...(strategy === 'roll' && { definitions: otherVerbosity(context!) }),
    ...(strategy === 'roll' && isWhole && { kubeadmConfig: await configEdit(login.cluster, components) }),
  };
  isPlanned = true;
  return { ...STRATEGIES[strategy].plan(given), context: given, login };
}

/** The edit that {@link otherVerbosity} is, where kubeadm keeps its configuration. */
async function configEdit(cluster: Cluster, components: readonly ControlPlaneComponent[]): Promise<ConfigEdit> {
  const before = (await readKubeadmConfig(cluster))!;
  return { before, after: (await editedKubeadmConfig(before, components, { setFlags: { v: '2' } }))! };
}

/** Carries a strategy out on the first node. */
export async function run(cluster: SimulatedCluster, change: Change = {}): Promise<StepsOutcome> {
  const { context, steps } = await plan(cluster, change);
  return beginRun({
    context,
    strategy: change.strategy ?? 'relay',
    id: 'test',
    steps,
    onEvent: ({ type, step }) => {
      if (type === 'started') change.onStep?.(step.name);
    },
  });
}

/** What bootlace keeps on the disk of the first node. */
export function keptOn(cluster: SimulatedCluster): readonly string[] {
  const paths = cluster.node('cp1').disk.paths();
  return paths.filter((path) => path.startsWith(PARKING)).map((path) => path.slice(PARKING.length));
}
