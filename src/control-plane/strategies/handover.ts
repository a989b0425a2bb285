import type { Redirect } from '../../cluster/host.ts';
import type { Pod } from '../../cluster/objects.ts';
import { reasonOf } from '../../core/redact.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import type { StrategyContext } from './context.ts';
import { startOffline, type Definition } from './definition.ts';
import { holdEndpoint, releaseEndpoint, untilEndpoint } from './endpoints.ts';
import { proveServer } from './proof.ts';
import { addStaticPod, bringBackStaticPod, forgetStaticPod, staticPodPath, takeStaticPod } from './static-pods.ts';
import { StepError, type Step } from './steps.ts';
import { isListening, isServing, untilAnsweredBy, untilGone, untilServing } from './waits.ts';

/** From what a node has to what it is to have. */
export interface Handover {
  readonly from: Definition;
  readonly to: Definition;
}

/**
 * Seconds that the redirect outlives whoever refreshes it, while the server behind it serves as well: if the run ends
 * there, clients are back on the server by themselves.
 */
const REFRESH_SECONDS = 30;

/** How long a relay may be away, in milliseconds: longer than one answer that is late. */
export const RELAY_PATIENCE = 3000;

/** Milliseconds after which every kube-proxy has written a change of endpoints. */
const PROXIES = 6000;

export function firewallMessage(port: number): string {
  return `The firewall of the node would drop what the redirect sends to port ${port}: it sees that port and not the server's.`;
}

export const FIREWALL_UNKNOWN =
  'Whether the firewall of the node lets in what the redirect sends to the relay cannot be told.';
export const FIREWALL_HINT = 'Let in what was translated, as by `ct status dnat accept` in nftables.';

/**
 * Hands the connections of an API server over to another definition of it: a second server on another port takes them
 * while the first one gives way, and no moment is without somebody who listens and is ready. The relay runs with what the
 * new server will have, so that a definition that does not work is found while nothing was touched.
 */
export function serverSteps(context: StrategyContext, relayed: Pod, { from, to }: Handover): readonly Step[] {
  const { host, clock, server, service, relayPort } = context;
  const component: ControlPlaneComponent = 'kube-apiserver';
  const name = (step: string): string => `${host.nodeName}/${component}/${step}`;
  const asked = [server, service];
  const relay = { address: server.address, port: relayPort };
  // Connections depend on it: a node that boots with the relay has it again.
  const lasting = { atBootWith: staticPodPath(context, relayed) };

  /** Whoever asks the server at another address of the node, as a virtual one or that of a second card, is not to be refused. */
  async function redirect(): Promise<Redirect> {
    const others = (await host.addresses()).filter((address) =>
      asked.every((endpoint) => endpoint.address !== address),
    );
    return { from: [...asked, ...others.map((address) => ({ address, port: server.port }))], to: relay };
  }

  /** On the way back most clients are better than none. */
  async function redirectAtLeast(): Promise<Redirect> {
    try {
      return await redirect();
    } catch (error) {
      context.log(
        `The addresses of the node are unknown, and only ${server.address} is redirected: ${reasonOf(error)}`,
      );
      return { from: asked, to: relay };
    }
  }

  async function removeRelay(): Promise<void> {
    await takeStaticPod(context, relayed);
    await untilGone(context, component, relayPort);
    await host.redirect.forget();
  }

  /**
   * After a reboot nothing on the disk starts a hosted server, and the kubelet learns of it from the API alone: the relay
   * is that API until it has.
   */
  async function reviveServer(): Promise<void> {
    if (await isServing(host.connect(server, { direct: true }))) return host.redirect.remove();
    await bringBackStaticPod(context, relayed);
    await untilServing(context, relayPort);
    await host.redirect.set(await redirectAtLeast(), lasting);
    await untilServing(context, server.port);
    return host.redirect.remove();
  }

  /** On the way back, which a full disk must not stop: what a boot would do is then brought back by going on. */
  async function redirectAgain(): Promise<void> {
    const again = await redirectAtLeast();
    try {
      await host.redirect.set(again, lasting);
    } catch (error) {
      context.log(`The redirect is not kept for a boot: ${reasonOf(error)}`);
      await host.redirect.set(again);
    }
  }

  /** The firewall may have been loaded anew since the plan. */
  async function checkFirewall(): Promise<void> {
    if ((await host.admits(relayPort, true)) === 'no')
      throw new StepError('STEP_FAILED', `${firewallMessage(relayPort)} ${FIREWALL_HINT}`);
  }

  /** Once the server is stopped, clients have the relay alone: when that is gone, the way back must not wait. */
  function relayGuard(): () => Promise<void> {
    const api = host.connect(relay, { direct: true });
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
      title: `start a relay with the new definition on port ${relayPort}, and prove that it serves`,
      about: {
        checks: 'the firewall lets in what is redirected to the port',
        proves: 'its process listens on the port, and takes reads, writes and watches of a certificate and of a token',
        back: 'remove its manifest and wait for its process to end',
        seconds: 8,
      },
      run: async () => {
        await checkFirewall();
        await addStaticPod(context, relayed);
        await proveServer(context, relayPort, relayed);
      },
      undo: async () => {
        await removeRelay();
        await forgetStaticPod(context, relayed);
      },
      offline: async () => {
        await takeStaticPod(context, relayed);
        await forgetStaticPod(context, relayed);
        await host.redirect.forget();
      },
      ...(from.needsApi && { restore: reviveServer }),
    },
    {
      name: name('endpoint'),
      title: 'hold the place of the node in the Service of the API',
      about: {
        proves: 'the API has stored the slice',
        back: 'delete the slice',
        seconds: 1,
      },
      run: () => holdEndpoint(context),
      undo: () => releaseEndpoint(context),
      finish: () => releaseEndpoint(context),
      ...(from.needsApi && { restore: reviveServer }),
    },
    {
      name: name('redirect'),
      title: 'send new connections to the relay, and prove that it is the relay that answers',
      about: {
        checks: 'the firewall lets in what is redirected to the port',
        proves: 'the process that answers at every address is the one of the relay, by its start time',
        back: 'remove the redirect',
        seconds: 7,
        gap: 'new connections go to the relay; open ones stay where they are',
      },
      run: async () => {
        await checkFirewall();
        const startedAt = await host.connect(relay, { direct: true }).startedAt();
        await host.redirect.set(await redirect(), { seconds: REFRESH_SECONDS });
        await untilAnsweredBy(context, asked, startedAt);
        await clock.sleep(PROXIES);
        await checkFirewall();
        await untilAnsweredBy(context, asked, startedAt);
        await host.redirect.set(await redirect(), lasting);
      },
      undo: () => host.redirect.remove(),
      offline: () => host.redirect.remove(),
      restore: redirectAgain,
    },
    {
      name: name('stop'),
      title: `stop ${from.noun}, and wait for its process to end`,
      about: {
        checks: 'the relay serves, and the definition is what it was',
        proves: 'its process is gone and nothing listens on its port; the relay serves all the time',
        back: 'bring the old definition back and wait until it serves',
        seconds: 32,
        gap: 'connections that were open on the server are answered 429 or 503 with Retry-After, and close; exec, attach and port-forward break',
      },
      run: async () => {
        await checkRelay();
        await from.stop(relayGuard());
        await from.settle();
      },
      undo: async () => {
        await from.start();
        await untilServing(context, server.port);
        await untilEndpoint(context);
      },
      ...(from.needsApi ? { needsApi: true } : { offline: () => startOffline(context, component, server.port, to) }),
    },
    {
      name: name('start'),
      title: `${to.title}, and prove that it serves`,
      about: {
        checks: 'the relay serves',
        proves: 'it takes reads, writes and watches past the redirect, and the Service of the API names it',
        back: 'take the new definition away and wait for its process to end, while the relay serves',
        seconds: 12,
      },
      run: async () => {
        await checkRelay();
        await to.start();
        await proveServer(context, server.port);
        await untilEndpoint(context);
        // From here on both serve: should the run end, the redirect does too. What the disk has of it stays until the relay
        // is not needed any more: it is by the relay that the kubelet learns of a hosted server after a boot.
        await host.redirect.set(await redirect(), { seconds: REFRESH_SECONDS, ...lasting });
      },
      undo: async () => {
        // Put off, it comes when the redirect is gone for good; and to a relay that is gone nothing may be sent.
        if ((await host.redirect.get()) !== undefined) {
          if (await isListening(context, relayPort)) await redirectAgain();
          else await host.redirect.remove();
        }
        await to.stop();
        await to.settle();
      },
      finish: () => to.forget(),
    },
    {
      name: name('hand-back'),
      coveredBy: name('redirect'),
      title: 'send new connections to the new server, and prove that it is the one that answers',
      about: {
        checks: 'the new server serves',
        proves: 'the process that answers is the new one, by its start time',
        back: 'send new connections to the relay again',
        seconds: 8,
        gap: 'new connections go to the new server; open ones stay on the relay',
      },
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
        await redirectAgain();
      },
      restore: reviveServer,
    },
    {
      name: name('remove-relay'),
      coveredBy: name('relay'),
      title: 'stop the relay, and wait for its process to end',
      about: {
        proves: 'its process is gone and the new server serves',
        back: 'bring the relay back and wait until it serves',
        seconds: 32,
        gap: 'connections that were open on the relay are answered 429 or 503 with Retry-After, and close',
      },
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
