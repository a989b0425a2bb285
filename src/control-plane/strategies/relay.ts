import type { DaemonSet, Pod } from '../../cluster/objects.ts';
import { hasErrors } from '../../core/problem.ts';
import { relayPod } from '../selfhosting/modern/relay.ts';
import type { ComponentProblem, Strategy, StrategyContext } from './context.ts';
import { convertComponents } from './conversions.ts';
import { holdEndpoint, releaseEndpoint, untilEndpoint } from './endpoints.ts';
import { hostOnNode, unhostFromNode } from './hosting.ts';
import { standbyPod, standbySteps } from './standby.ts';
import { steadyCluster } from './steady.ts';
import { addStaticPod, forgetStaticPod, parkManifest, restoreManifest, takeStaticPod } from './static-pods.ts';
import type { Step } from './steps.ts';
import { untilGone, untilServing } from './waits.ts';

/**
 * Seconds that the redirect outlives whoever refreshes it, while the server behind it serves as well: if the run ends
 * there, clients are back on the server by themselves.
 */
const REFRESH_SECONDS = 30;

/** Milliseconds after which every kube-proxy has written a change of endpoints. */
const PROXIES = 6000;

/**
 * A second API server on another port takes the connections of the first one while that is replaced: no moment without
 * somebody who listens and is ready.
 */
export const relay: Strategy = {
  summary: 'a second API server takes the connections while the first one is replaced',
  isPerNode: true,
  plan: (given) => {
    const context = { ...given, cluster: steadyCluster(given.cluster, given.clock) };
    const { daemonSets, problems } = convertComponents(context);
    const { pod, problems: found } = relayOf(context);
    const all = [...found, ...problems];
    if (daemonSets === undefined || hasErrors(all)) return { steps: [], problems: all };
    const parts = context.components.map((component) => {
      const daemonSet = daemonSets[component]!;
      if (component === 'kube-apiserver') return { added: pod!, steps: serverSteps(context, pod!, daemonSet) };
      const added = standbyPod(context, component);
      return { added, steps: standbySteps(context, component, added, daemonSet) };
    });
    const added = parts.map((part) => part.added);
    return { steps: [...parts.flatMap(({ steps }) => steps), cleanUp(context, added)], problems: all };
  },
};

/** The last step: until then a way back finds every static Pod that it needs on the disk. */
function cleanUp(context: StrategyContext, added: readonly Pod[]): Step {
  return {
    name: `${context.host.nodeName}/clean-up`,
    title: 'remove what was kept for the way back',
    run: async () => {
      for (const pod of added) await forgetStaticPod(context, pod);
    },
    undo: async () => {},
  };
}

/** The relay, where the API server is to change. */
function relayOf({ manifests, components, relayPort }: StrategyContext): {
  readonly pod?: Pod;
  readonly problems: readonly ComponentProblem[];
} {
  const component = 'kube-apiserver';
  if (!components.includes(component)) return { problems: [] };
  const { pod: server, source } = manifests[component];
  const { pod, problems } = relayPod(server, { port: relayPort, source });
  return { ...(pod && { pod }), problems: problems.map((problem) => ({ ...problem, component })) };
}

function serverSteps(context: StrategyContext, relayed: Pod, daemonSet: DaemonSet): readonly Step[] {
  const { host, clock, server, service, relayPort } = context;
  const component = 'kube-apiserver';
  const name = (step: string): string => `${host.nodeName}/${component}/${step}`;
  const redirect = {
    from: [server, service],
    to: { address: server.address, port: relayPort },
  };

  async function removeRelay(): Promise<void> {
    await takeStaticPod(context, relayed);
    await untilGone(context, component, relayPort);
  }

  return [
    {
      name: name('relay'),
      title: `start a relay on port ${relayPort}, and prove that it serves`,
      run: async () => {
        await addStaticPod(context, relayed);
        await untilServing(context, relayPort);
      },
      undo: removeRelay,
    },
    {
      name: name('endpoint'),
      title: 'hold the place of the node in the Service of the API',
      run: () => holdEndpoint(context),
      undo: () => releaseEndpoint(context),
    },
    {
      name: name('redirect'),
      title: `send new connections to the relay, and prove that they arrive`,
      run: async () => {
        await host.redirect.set(redirect, REFRESH_SECONDS);
        await untilServing({ ...context, host: throughRedirect(context) }, server.port);
        await clock.sleep(PROXIES);
        await host.redirect.set(redirect);
      },
      undo: () => host.redirect.remove(),
    },
    {
      name: name('stop'),
      title: `stop the static server, and wait for its process to end`,
      run: async () => {
        await parkManifest(context, component);
        await untilGone(context, component, server.port);
      },
      undo: async () => {
        // A server that has not ended yet has the port, and the kubelet starts the next one when it has.
        await restoreManifest(context, component);
        await untilServing(context, server.port);
        await untilEndpoint(context);
      },
    },
    {
      name: name('host'),
      title: 'let the cluster host the server, and prove that it serves',
      run: async () => {
        await hostOnNode(context, component, daemonSet);
        await untilServing(context, server.port);
        await untilEndpoint(context);
      },
      undo: async () => {
        await unhostFromNode(context, component, daemonSet);
        await untilGone(context, component, server.port);
      },
    },
    {
      name: name('hand-back'),
      title: 'send new connections to the hosted server',
      run: async () => {
        // From here on the server serves: should the run end, the redirect does too.
        await host.redirect.set(redirect, REFRESH_SECONDS);
        await host.redirect.remove();
        await releaseEndpoint(context);
        await clock.sleep(PROXIES);
      },
      undo: async () => {
        await holdEndpoint(context);
        await host.redirect.set(redirect);
      },
    },
    {
      name: name('remove-relay'),
      title: 'stop the relay, and wait for its process to end',
      run: async () => {
        await removeRelay();
        await untilServing(context, server.port);
      },
      undo: async () => {
        await addStaticPod(context, relayed);
        await untilServing(context, relayPort);
      },
    },
  ];
}

/** The node as its clients have it: what is asked goes where the redirect sends it. */
function throughRedirect({ host }: StrategyContext): StrategyContext['host'] {
  return { ...host, connect: (endpoint) => host.connect(endpoint) };
}
