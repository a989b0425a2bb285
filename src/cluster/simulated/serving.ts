import { BootlaceError } from '../../core/errors.ts';
import type { SimulatedNode } from './node.ts';
import { keyOf } from './network.ts';
import type { World } from './world.ts';

const LONGEST = 10 * 60_000;
/** How often is looked, in milliseconds. */
const LOOK = 250;
const LEADERS = ['kube-controller-manager', 'kube-scheduler'] as const;

/** Ends when nothing is missing any more. Throws where that takes too long, with what is. */
export async function untilServing(world: World, nodes: readonly SimulatedNode[]): Promise<void> {
  if (await settle(world, nodes, LONGEST)) return;
  throw new BootlaceError(
    'SIMULATION_STALLED',
    `The simulated control plane does not serve after ${LONGEST / 60_000} minutes: ${missingOf(world, nodes)}.`,
  );
}

/** Ends when nothing is missing any more, or when the time is up; says which. */
export async function settle(world: World, nodes: readonly SimulatedNode[], milliseconds: number): Promise<boolean> {
  const deadline = world.clock.now() + milliseconds;
  while (missingOf(world, nodes) !== undefined) {
    if (world.clock.now() >= deadline) return false;
    await world.clock.sleep(LOOK);
  }
  return true;
}

/** What keeps a control plane from serving, if anything does. */
export function missingOf(world: World, nodes: readonly SimulatedNode[]): string | undefined {
  for (const { name, isOn, pods, address, isControlPlane } of nodes) {
    if (!isOn) return `${name} is off`;
    if (isControlPlane && !pods.some(({ isComponent }) => isComponent)) return `no component runs on ${name}`;
    // Pods of users are no matter of the control plane.
    const late = pods.find(({ isReady, isComponent }) => isComponent && !isReady);
    if (late !== undefined)
      return `Pod ${late.name} is not ready${late.reason === undefined ? '' : ` (${late.reason})`}`;
    if (isControlPlane && !endpointsOf(world).includes(address)) return `the Service of the API lacks ${name}`;
    const machine = world.machines.find((one) => one.name === name)!;
    const known = machine.services.get(keyOf(world.service)) ?? [];
    if (known.length !== endpointsOf(world).length) return `kube-proxy of ${name} lags behind`;
  }
  const leaderless = LEADERS.find((name) => !world.leaders.get(name));
  return leaderless && `${leaderless} has no leader`;
}

function endpointsOf({ store }: World): readonly string[] {
  const slice = store.get('EndpointSlice', 'default', 'kubernetes');
  return slice?.endpoints.flatMap(({ addresses }) => addresses) ?? [];
}
