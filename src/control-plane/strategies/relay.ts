import type { Pod } from '../../cluster/objects.ts';
import { hasErrors, ProblemList } from '../../core/problem.ts';
import { relayPod } from '../selfhosting/modern/relay.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import type { ComponentProblem, Strategy, StrategyContext, StrategyPlan } from './context.ts';
import { convertComponents } from './conversions.ts';
import { holdEndpoint, releaseEndpoint, untilEndpoint } from './endpoints.ts';
import { withOtherVerbosity } from './manifest-edit.ts';
import { standbyPod, standbyProblems, standbySteps } from './standby.ts';
import {
  addStaticPod,
  bringBackStaticPod,
  forgetManifest,
  forgetStaticPod,
  parkManifest,
  restoreManifest,
  takeStaticPod,
} from './static-pods.ts';
import { steadyCluster } from './steady.ts';
import { StepError, type Step } from './steps.ts';
import { hosted, redefined, type Successor } from './successor.ts';
import { isServing, untilAnsweredBy, untilGone, untilServing } from './waits.ts';

/**
 * Seconds that the redirect outlives whoever refreshes it, while the server behind it serves as well: if the run ends
 * there, clients are back on the server by themselves.
 */
const REFRESH_SECONDS = 30;

/** How long a relay may be away, in milliseconds: longer than one answer that is late. */
const RELAY_PATIENCE = 3000;

/** Milliseconds after which every kube-proxy has written a change of endpoints. */
const PROXIES = 6000;

/**
 * A second API server on another port takes the connections of the first one while that is replaced: no moment without
 * somebody who listens and is ready.
 */
export const relay: Strategy = {
  summary: 'a second API server takes the connections while the first one gives way to a hosted one',
  isPerNode: true,
  plan: (given) => {
    const { daemonSets, problems } = convertComponents(given);
    if (daemonSets === undefined) return { steps: [], problems };
    // The manifests stay where a person finds them who has to bring the control plane back by hand.
    return planned(given, problems, false, (component, context, hasty) =>
      hosted(context, component, daemonSets[component]!, hasty),
    );
  },
};

/** The same with a static Pod at the end: a new flag, an image or a restart for what stays what it is. */
export const roll: Strategy = {
  summary: 'a flag of the API server is changed in its manifest, while a second one takes the connections',
  isPerNode: true,
  components: ['kube-apiserver'],
  plan: (given) =>
    planned(given, [], true, (component, context) =>
      redefined(context, component, withOtherVerbosity(given.manifests[component].pod, component)),
    ),
};

function planned(
  given: StrategyContext,
  problems: readonly ComponentProblem[],
  forgetsManifests: boolean,
  successorOf: (component: ControlPlaneComponent, context: StrategyContext, hasty: StrategyContext) => Successor,
): StrategyPlan {
  const context = { ...given, cluster: steadyCluster(given.cluster, given.clock) };
  // For a way back that other ways back wait for: it is put off where the API is away.
  const hasty = { ...given, cluster: steadyCluster(given.cluster, given.clock, RELAY_PATIENCE) };
  const { pod, problems: found } = relayOf(context);
  const standing = context.components.flatMap((component) =>
    component === 'kube-apiserver' ? [] : standbyProblems(context, component),
  );
  const all = [...found, ...problems, ...standing];
  if (hasErrors(all)) return { steps: [], problems: all };
  const parts = context.components.map((component) => {
    const successor = successorOf(component, context, hasty);
    if (component === 'kube-apiserver') return { added: pod!, steps: serverSteps(context, pod!, successor) };
    const added = standbyPod(context, component);
    return { added, steps: standbySteps(context, component, added, successor) };
  });
  const added = parts.map((part) => part.added);
  return { steps: [...parts.flatMap(({ steps }) => steps), cleanUp(context, added, forgetsManifests)], problems: all };
}

/** The last step: until then a way back finds every static Pod that it needs on the disk. */
function cleanUp(context: StrategyContext, added: readonly Pod[], forgetsManifests: boolean): Step {
  return {
    name: `${context.host.nodeName}/clean-up`,
    title: 'remove what was kept for the way back',
    run: async () => {
      for (const pod of added) await forgetStaticPod(context, pod);
      if (forgetsManifests) for (const component of context.components) await forgetManifest(context, component);
    },
    // A way back writes them again.
    undo: async () => {},
  };
}

/** The relay, where the API server is to change. */
function relayOf(context: StrategyContext): { readonly pod?: Pod; readonly problems: readonly ComponentProblem[] } {
  const { manifests, components, relayPort, takenPorts } = context;
  const component = 'kube-apiserver';
  if (!components.includes(component)) return { problems: [] };
  const { pod: server, source } = manifests[component];
  const { pod, problems } = relayPod(server, { port: relayPort, takenPorts, source });
  const list = new ProblemList(false, source);
  if (context.admitsRelay === 'no') list.error('FIREWALL_CLOSED', '', firewallMessage(relayPort), FIREWALL_HINT);
  if (context.admitsRelay === 'unknown') list.warn('FIREWALL_CLOSED', '', FIREWALL_UNKNOWN, FIREWALL_HINT);
  const all = [...problems, ...list.sorted()];
  return { ...(pod && { pod }), problems: all.map((problem) => ({ ...problem, component })) };
}

function firewallMessage(port: number): string {
  return `The firewall of the node would drop what the redirect sends to port ${port}: it sees that port and not the server's.`;
}

const FIREWALL_UNKNOWN =
  'Whether the firewall of the node lets in what the redirect sends to the relay cannot be told.';
const FIREWALL_HINT = 'Let in what was translated, as by `ct status dnat accept` in nftables.';

function serverSteps(context: StrategyContext, relayed: Pod, successor: Successor): readonly Step[] {
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

  /**
   * After a reboot nothing on the disk starts the hosted server, and the kubelet learns of it from the API alone: the relay
   * is that API until it has.
   */
  async function reviveServer(): Promise<void> {
    if (await isServing(host.connect(server, { direct: true }))) return host.redirect.remove();
    await bringBackStaticPod(context, relayed);
    await untilServing(context, relayPort);
    await host.redirect.set(redirect);
    await untilServing(context, server.port);
    return host.redirect.remove();
  }

  /** The firewall may have been loaded anew since the plan. */
  async function checkFirewall(): Promise<void> {
    if ((await host.admits(relayPort, true)) === 'no')
      throw new StepError('STEP_FAILED', `${firewallMessage(relayPort)} ${FIREWALL_HINT}`);
  }

  /** Once the server is stopped, clients have the relay alone: when that is gone, the way back must not wait. */
  function relayGuard(): () => Promise<void> {
    const api = host.connect(redirect.to, { direct: true });
    let servedAt = clock.now();
    return async () => {
      await checkFirewall();
      if (await isServing(api)) servedAt = clock.now();
      else if (clock.now() - servedAt >= RELAY_PATIENCE)
        throw new StepError('STEP_FAILED', `The relay on port ${relayPort} does not serve any more.`);
    };
  }

  async function checkRelay(): Promise<void> {
    await checkFirewall();
    await untilServing(context, relayPort, RELAY_PATIENCE);
  }

  return [
    {
      name: name('relay'),
      title: `start a relay on port ${relayPort}, and prove that it serves`,
      run: async () => {
        await checkFirewall();
        await addStaticPod(context, relayed);
        await untilServing(context, relayPort);
      },
      undo: async () => {
        await removeRelay();
        await forgetStaticPod(context, relayed);
      },
    },
    {
      name: name('endpoint'),
      title: 'hold the place of the node in the Service of the API',
      run: () => holdEndpoint(context),
      undo: () => releaseEndpoint(context),
    },
    {
      name: name('redirect'),
      title: 'send new connections to the relay, and prove that it is the relay that answers',
      run: async () => {
        await checkFirewall();
        const startedAt = await host.connect(redirect.to, { direct: true }).startedAt();
        await host.redirect.set(redirect, REFRESH_SECONDS);
        await untilAnsweredBy(context, redirect.from, startedAt);
        await clock.sleep(PROXIES);
        await checkFirewall();
        await untilAnsweredBy(context, redirect.from, startedAt);
        await host.redirect.set(redirect);
      },
      undo: () => host.redirect.remove(),
      restore: () => host.redirect.set(redirect),
    },
    {
      name: name('stop'),
      title: 'stop the static server, and wait for its process to end',
      run: async () => {
        await checkRelay();
        await parkManifest(context, component);
        await untilGone(context, component, server.port, relayGuard());
      },
      undo: async () => {
        // A server that has not ended yet has the port, and the kubelet starts the next one when it has.
        await restoreManifest(context, component);
        await untilServing(context, server.port);
        await untilEndpoint(context);
      },
    },
    {
      name: name('start'),
      title: `${successor.title}, and prove that it serves`,
      run: async () => {
        await checkRelay();
        await successor.start();
        await untilServing(context, server.port);
        await untilEndpoint(context);
        // From here on both serve: should the run end, the redirect does too.
        await host.redirect.set(redirect, REFRESH_SECONDS);
      },
      undo: async () => {
        // Put off, it comes when the redirect is gone for good.
        if ((await host.redirect.get()) !== undefined) await host.redirect.set(redirect);
        await successor.stop();
      },
    },
    {
      name: name('hand-back'),
      title: 'send new connections to the new server, and prove that it is the one that answers',
      run: async () => {
        await untilServing(context, server.port);
        const startedAt = await host.connect(server, { direct: true }).startedAt();
        await host.redirect.remove();
        await untilAnsweredBy(context, [server], startedAt);
        await releaseEndpoint(context);
        await clock.sleep(PROXIES);
      },
      undo: async () => {
        await holdEndpoint(context);
        await host.redirect.set(redirect);
      },
      restore: reviveServer,
    },
    {
      name: name('remove-relay'),
      title: 'stop the relay, and wait for its process to end',
      run: async () => {
        await removeRelay();
        await untilServing(context, server.port);
      },
      undo: async () => {
        await bringBackStaticPod(context, relayed);
        await untilServing(context, relayPort);
      },
      restore: async () => {
        await reviveServer();
        await removeRelay();
      },
    },
  ];
}
