import type { Pod } from '../../cluster/objects.ts';
import { ProblemList } from '../../core/problem.ts';
import { flagValue, setFlag } from '../../format/flags.ts';
import { CONTROL_PLANE_COMPONENTS } from '../selfhosting/labels.ts';
import { KUBEADM_LABELS } from '../selfhosting/modern/facts.ts';
import type { ComponentProblem, StrategyContext } from './context.ts';
import type { Handover } from './handover.ts';
import { startOffline } from './definition.ts';
import { handLeaseOver, type LeaderComponent } from './leases.ts';
import { addStaticPod, bringBackStaticPod, forgetStaticPod, takeStaticPod } from './static-pods.ts';
import type { Step } from './steps.ts';
import { argvOf, portOf, refuseCrashLoop, serversOn, untilGone, untilListening, untilSteady } from './waits.ts';

/** Ports of the copies that stand by, outside of those that nodes give to Services and to outgoing connections. */
const STANDBY_PORTS: Readonly<Record<LeaderComponent, number>> = {
  'kube-controller-manager': 20257,
  'kube-scheduler': 20259,
};

/** How often a copy asks for the lease. The default, 2 s with a jitter up to 2.4 s more, is most of a gap. */
const RETRY_PERIOD = '500ms';
const RETRY_FLAG = 'leader-elect-retry-period';

/** What keeps a copy of a component from standing by. */
export function standbyProblems(context: StrategyContext, component: LeaderComponent): readonly ComponentProblem[] {
  const { pod, source } = context.manifests[component];
  const problems = new ProblemList(false, source);
  const port = STANDBY_PORTS[component];
  if (flagValue(argvOf(pod, component), 'leader-elect') === 'false')
    problems.error(
      'LEADER_ELECTION_OFF',
      '/spec/containers',
      `With --leader-elect=false two of ${component} would work at once while the one takes over from the other.`,
      'Take the flag away: one that is alone leads as well.',
    );
  const isTaken = [...context.takenPorts, ...ownPorts(context)].includes(port);
  if (isTaken)
    problems.error(
      'STANDBY_PORT_TAKEN',
      '',
      `A copy of ${component} stands by on port ${port} while it changes, and that port is taken.`,
      'Let what listens there listen elsewhere for the time of the change.',
    );
  return problems.sorted().map((problem) => ({ ...problem, component }));
}

/** Ports on which the components of the node serve, whether or not they run. */
function ownPorts({ manifests, relayPort }: StrategyContext): readonly number[] {
  return [...CONTROL_PLANE_COMPONENTS.map((name) => portOf(argvOf(manifests[name].pod, name), name)), relayPort];
}

/**
 * Moves a component that works only while it holds a lease: a copy on another port stands by, takes over when the static
 * Pod has ended, and hands over to its successor in the same way.
 */
export function standbySteps(
  context: StrategyContext,
  component: LeaderComponent,
  copy: Pod,
  { from, to }: Handover,
): readonly Step[] {
  const { host, manifests } = context;
  const port = portOf(argvOf(manifests[component].pod, component), component);
  const standbyPort = STANDBY_PORTS[component];
  const name = (step: string): string => `${host.nodeName}/${component}/${step}`;
  const stopCopy = (): Promise<void> =>
    handLeaseOver(context, component, standbyPort, async () => {
      await takeStaticPod(context, copy);
      await untilGone(context, component, standbyPort);
    });

  return [
    {
      name: name('standby'),
      title: `let a copy stand by on port ${standbyPort}`,
      about: {
        proves: 'its process listens on the port',
        back: 'remove its manifest and wait for its process to end',
        seconds: 3,
      },
      run: async () => {
        await addStaticPod(context, copy);
        await untilListening(context, component, standbyPort, [], refuseCrashLoop(context, copy));
      },
      undo: async () => {
        await takeStaticPod(context, copy);
        await untilGone(context, component, standbyPort);
        await forgetStaticPod(context, copy);
      },
      offline: async () => {
        await takeStaticPod(context, copy);
        await forgetStaticPod(context, copy);
      },
    },
    {
      name: name('stop'),
      title: `stop ${from.noun}, and let somebody else lead`,
      about: {
        checks: 'who holds the lease, and whether that is the process that is to stop',
        proves: 'its process is gone, and a holder that lives renews the lease',
        back: 'bring the old definition back and let it take over',
        seconds: 4,
        gap: 'nobody leads for up to 5 s',
      },
      run: async () => {
        await handLeaseOver(context, component, port, () => from.stop());
        await from.settle();
      },
      undo: async () => {
        await from.start();
        // What nobody served before is not waited for.
        if (!manifests[component].isDown) await untilListening(context, component, port);
        await stopCopy();
      },
      ...(from.needsApi ? { needsApi: true } : { offline: () => startOffline(context, component, port, to) }),
    },
    {
      name: name('start'),
      title: `${to.title}, and wait until it lasts`,
      about: {
        proves: 'its process has listened on its port for 5 s',
        back: 'take the new definition away and let the copy take over',
        seconds: 8,
      },
      run: async () => {
        const before = serversOn(await host.processes(), component, port).map(({ pid }) => pid);
        await to.start();
        await untilSteady(context, component, port, before);
      },
      undo: async () => {
        await handLeaseOver(context, component, port, () => to.stop());
        await to.settle();
      },
      finish: () => to.forget(),
    },
    {
      name: name('remove-standby'),
      coveredBy: name('standby'),
      title: 'stop the copy, and let somebody else lead',
      about: {
        checks: 'who holds the lease, and whether that is the copy',
        proves: 'its process is gone, and a holder that lives renews the lease',
        back: 'bring the copy back',
        seconds: 4,
        gap: 'nobody leads for up to 5 s',
      },
      run: stopCopy,
      undo: async () => {
        await bringBackStaticPod(context, copy);
        await untilListening(context, component, standbyPort);
      },
    },
  ];
}

/** A copy of a Pod of a component that may run beside it. */
export function standbyPod(pod: Pod, component: LeaderComponent): Pod {
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
            return { ...container, [field]: setFlag(argv, RETRY_FLAG, RETRY_PERIOD) };
          },
        ),
    },
  };
}
