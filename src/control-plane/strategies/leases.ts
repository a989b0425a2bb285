import type { LeaseObject } from '../../cluster/api.ts';
import type { HostProcess } from '../../cluster/host.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import type { StrategyContext } from './context.ts';
import { portOf, programOf, until } from './waits.ts';

/** A component that works only while it holds a lease. */
export type LeaderComponent = Exclude<ControlPlaneComponent, 'kube-apiserver'>;

/**
 * Milliseconds after which a lease that nobody renews has no living holder: a leader renews every 2 s unless flags say
 * otherwise, and has 10 s for it.
 */
const ABANDONED = 3000;

/** Longest time without a leader until a change is given up, in milliseconds: a lease runs for 15 s. */
const PATIENCE = 40_000;

/**
 * Stops a process of a component, which is gone when `stop` has ended, and ends when somebody leads who lives. A
 * controller-manager keeps its lease when it ends, and the next one would wait for it to run out: so once the process is
 * gone its lease is cleared, in the version that was seen and no other. A lease that somebody renews is left alone, and so
 * is one of another node.
 */
export async function handLeaseOver(
  context: StrategyContext,
  component: LeaderComponent,
  port: number,
  stop: () => Promise<void>,
): Promise<void> {
  const { cluster, clock, host } = context;
  const reference = { kind: 'Lease', namespace: 'kube-system', name: component } as const;
  const stopping = (await host.processes()).filter((process) => isOn(process, component, port));
  const before = await cluster.get(reference);
  const wasLeader = isHeldBy(before, stopping, await processesOf(context, component), host.hostName);
  await stop();
  // A way back that is gone twice stops nothing the second time, and who is on the port by then leads and lives.
  const left = await host.processes();
  const isLeader = wasLeader && !left.some(({ pid }) => stopping.some((process) => process.pid === pid));

  let seen: { readonly version: string | undefined; readonly at: number } | undefined;
  let ours: string | undefined;
  await until(
    clock,
    `a ${component} leads that lives`,
    async () => {
      const lease = await cluster.get(reference);
      const { resourceVersion: version } = lease.metadata;
      const isHeld = Boolean(lease.spec.holderIdentity);
      if (seen?.version !== version) {
        // Whoever wrote it after the process was gone lives.
        if (seen !== undefined && isHeld && version !== ours) return true;
        seen = { version, at: clock.now() };
      }
      // Somebody else may have taken it meanwhile, and lives.
      const isOurs = isLeader && lease.spec.holderIdentity === before.spec.holderIdentity;
      const isAbandoned = clock.now() - seen!.at >= ABANDONED;
      if (!isHeld || version === ours || !(isOurs || isAbandoned)) return false;
      ours = (await cluster.update(cleared(lease))).metadata.resourceVersion;
      seen = { version: ours, at: clock.now() };
      return false;
    },
    PATIENCE,
  );
}

/**
 * Whether the holder of a lease is among processes that are about to stop: it is on this node, and no other process of
 * the component here is old enough to have taken the lease.
 */
function isHeldBy(
  { spec }: LeaseObject,
  stopping: readonly HostProcess[],
  all: readonly HostProcess[],
  hostName: string,
): boolean {
  if (!spec.holderIdentity?.startsWith(`${hostName}_`)) return false;
  const acquired = Date.parse(spec.acquireTime ?? '');
  const able = all.filter(({ startedAt }) => startedAt <= acquired);
  return able.length === 1 && stopping.some(({ pid }) => pid === able[0]!.pid);
}

async function processesOf({ host }: StrategyContext, component: LeaderComponent): Promise<readonly HostProcess[]> {
  return (await host.processes()).filter(({ argv }) => programOf(argv) === component);
}

function isOn({ argv }: HostProcess, component: LeaderComponent, port: number): boolean {
  return programOf(argv) === component && portOf(argv, component) === port;
}

function cleared(lease: LeaseObject): LeaseObject {
  return { ...lease, spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 } };
}
