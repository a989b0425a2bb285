import type { LeaseObject } from '../../cluster/api.ts';
import type { DaemonSet, Pod } from '../../cluster/objects.ts';
import { removeFlag, setFlag } from '../../format/flags.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import { KUBEADM_LABELS } from '../selfhosting/modern/facts.ts';
import type { StrategyContext } from './context.ts';
import { hostOnNode, unhostFromNode } from './hosting.ts';
import { addStaticPod, parkManifest, restoreManifest, takeStaticPod } from './static-pods.ts';
import type { Step } from './steps.ts';
import { argvOf, portOf, serversOn, until, untilGone, untilListening } from './waits.ts';

export type LeaderComponent = Exclude<ControlPlaneComponent, 'kube-apiserver'>;

/** Ports of the copies that stand by, outside of those that nodes give to Services and to outgoing connections. */
const STANDBY_PORTS: Readonly<Record<LeaderComponent, number>> = {
  'kube-controller-manager': 20257,
  'kube-scheduler': 20259,
};

/** How often a copy asks for the lease. The default, 2 s with a jitter up to 2.4 s more, is most of a gap. */
const RETRY_PERIOD = '500ms';

/**
 * Moves a component that works only while it holds a lease: a copy on another port stands by, takes over when the static
 * Pod has ended, and hands over to the hosted one in the same way.
 */
export function standbySteps(
  context: StrategyContext,
  component: LeaderComponent,
  copy: Pod,
  daemonSet: DaemonSet,
): readonly Step[] {
  const { host, manifests } = context;
  const port = portOf(argvOf(manifests[component].pod, component), component);
  const standbyPort = STANDBY_PORTS[component];
  const name = (step: string): string => `${host.nodeName}/${component}/${step}`;

  /** Who led on this node as what: known from the order of the steps, since a lease names no process. */
  const leaders: { static?: string | undefined; copy?: string | undefined } = {};

  async function stopCopy(): Promise<void> {
    await handLeaseOver(context, component, standbyPort, leaders.copy, () => takeStaticPod(context, copy));
  }

  return [
    {
      name: name('standby'),
      title: `let a copy stand by on port ${standbyPort}`,
      run: async () => {
        leaders.static = await leaderHere(context, component);
        await addStaticPod(context, copy);
        await untilListening(context, component, standbyPort);
      },
      undo: stopCopy,
    },
    {
      name: name('stop'),
      title: 'stop the static Pod, and let somebody else lead',
      run: async () => {
        await handLeaseOver(context, component, port, leaders.static, () => parkManifest(context, component));
        leaders.copy = await leaderHere(context, component);
      },
      undo: async () => {
        await restoreManifest(context, component);
        await untilListening(context, component, port);
      },
    },
    {
      name: name('host'),
      title: `let the cluster host it, and wait until it listens`,
      run: async () => {
        const before = serversOn(await host.processes(), component, port).map(({ pid }) => pid);
        await hostOnNode(context, component, daemonSet);
        await untilListening(context, component, port, before);
      },
      undo: async () => {
        await unhostFromNode(context, component, daemonSet);
        await untilGone(context, component, port);
      },
    },
    {
      name: name('remove-standby'),
      title: 'stop the copy, and let somebody else lead',
      run: stopCopy,
      undo: async () => {
        await addStaticPod(context, copy);
        await untilListening(context, component, standbyPort);
      },
    },
  ];
}

/** The holder of the lease, if it is on this node. */
async function leaderHere({ cluster, host }: StrategyContext, component: LeaderComponent): Promise<string | undefined> {
  const { holderIdentity } = (await cluster.get(leaseOf(component))).spec;
  return holderIdentity?.startsWith(`${host.nodeName}_`) ? holderIdentity : undefined;
}

function leaseOf(name: LeaderComponent) {
  return { kind: 'Lease', namespace: 'kube-system', name } as const;
}

/**
 * Stops a process, and where it led ends when somebody else does. A controller-manager keeps its lease when it ends, and
 * the next one would wait for it to run out: so once the process is gone, and nobody else has taken the lease, it is
 * cleared, in that version of it alone.
 */
async function handLeaseOver(
  context: StrategyContext,
  component: LeaderComponent,
  port: number,
  leader: string | undefined,
  stop: () => Promise<void>,
): Promise<void> {
  const { cluster, clock } = context;
  await stop();
  await untilGone(context, component, port);
  if (leader === undefined) return;
  await until(clock, `another ${component} leads`, async () => {
    const lease = await cluster.get(leaseOf(component));
    const { holderIdentity } = lease.spec;
    if (holderIdentity === leader) await cluster.update(cleared(lease));
    return Boolean(holderIdentity) && holderIdentity !== leader;
  });
}

function cleared(lease: LeaseObject): LeaseObject {
  return { ...lease, spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 } };
}

/** A copy of the static Pod of a component that may run beside it. */
export function standbyPod({ manifests }: StrategyContext, component: LeaderComponent): Pod {
  const { pod } = manifests[component];
  const { labels = {}, ...metadata } = pod.metadata;
  return {
    ...pod,
    metadata: {
      ...metadata,
      name: `${component}-standby`,
      labels: Object.fromEntries(Object.entries(labels).filter(([key]) => !KUBEADM_LABELS.includes(key))),
    },
    spec: {
      ...pod.spec,
      containers: pod.spec.containers
        .filter((container) => container.name === component)
        .map(
          ({
            ports: _ports,
            livenessProbe: _live,
            readinessProbe: _ready,
            startupProbe: _start,
            resources: _resources,
            ...container
          }) => {
            const field = container.command && container.command.length > 0 ? 'command' : 'args';
            const argv = setFlag(container[field] ?? [], 'secure-port', String(STANDBY_PORTS[component]));
            return {
              ...container,
              [field]: setFlag(removeFlag(argv, RETRY_FLAG), RETRY_FLAG, RETRY_PERIOD),
            };
          },
        ),
    },
  };
}

const RETRY_FLAG = 'leader-elect-retry-period';
