import { rehearse } from '../../src/control-plane/rehearsal/rehearse.ts';
import type { Rehearsal } from '../../src/control-plane/rehearsal/rehearsal.ts';
import type { RehearsalSettings } from '../../src/control-plane/rehearsal/rehearse.ts';
import {
  createSimulatedCluster,
  startTraffic,
  type SimulatedCluster,
  type TrafficReport,
} from '../../src/testing/index.ts';
import { kubeadmStyleDaemonSet } from './daemonset.ts';

/** Something that was measured on a real cluster, and what the model makes of it. */
export interface Row {
  readonly what: string;
  /** As it was measured, for the table. */
  readonly measured: string;
  /** One figure of the model: seconds, unless the row says otherwise. */
  readonly model: (seed: number) => Promise<number>;
}

const MANIFESTS = '/etc/kubernetes/manifests';

export const ROWS: readonly Row[] = [
  {
    what: 'edited manifest of the API server: outage from outside',
    measured: '44; 38 to 42',
    model: (seed) => outage({ strategy: 'manifest-edit', seed }),
  },
  {
    what: 'crash loop of the API server, removed after the second failure: outage from outside',
    measured: '13.3; 11.6 to 13.1',
    model: async (seed) => longestOutage((await crashLoop('kube-apiserver', seed, { failures: 2 })).report),
  },
  {
    what: 'the same, removed before the second start',
    measured: '1.3',
    model: async (seed) => longestOutage((await crashLoop('kube-apiserver', seed, { failures: 1 })).report),
  },
  {
    what: 'the same, removed 45 s after the Pod was running',
    measured: '39.1',
    model: async (seed) => longestOutage((await crashLoop('kube-apiserver', seed, { seconds: 45 })).report),
  },
  {
    what: 'crash loop of the controller-manager, removed after the second failure: nobody leads',
    measured: '27; 28.3',
    model: async (seed) => longestGap((await crashLoop('kube-controller-manager', seed, { failures: 2 })).report),
  },
  {
    what: 'port sharing: requests from outside that failed in the overlap',
    measured: '2; 7 and 11 requests',
    model: async (seed) => {
      const { outages, steps } = await rehearse({ strategy: 'port-sharing', components: ['kube-apiserver'], seed });
      const overlap = steps.find(({ name }) => name.endsWith('/host'))!;
      return outages
        .filter(
          ({ client, at }) => client === 'outside fresh' && at >= overlap.at && at <= overlap.at + overlap.seconds,
        )
        .reduce((sum, { failed }) => sum + failed, 0);
    },
  },
  {
    what: 'relay: failed requests of all clients',
    measured: '0 requests',
    model: async (seed) => (await rehearse({ seed })).failedRequests,
  },
  {
    what: 'relay: longest time without a leader',
    measured: 'not measured; 5 are allowed',
    model: async (seed) => Math.max(...(await rehearse({ seed })).leaderGaps.map(({ seconds }) => seconds)),
  },
  {
    what: 'a static API server where none was: from its file until it is ready',
    measured: '2.4 to 2.8',
    model: backByHand,
  },
  {
    what: 'boot of a static control plane: from power on until the API is ready',
    measured: '4.3 to 4.6',
    model: boot,
  },
];

async function outage(settings: RehearsalSettings): Promise<number> {
  const { outages } = await rehearse({ ...settings, components: ['kube-apiserver'] });
  return longest(outages, 'outside fresh');
}

function longest(outages: Rehearsal['outages'], client: string): number {
  return Math.max(0, ...outages.filter((one) => one.client === client).map(({ seconds }) => seconds));
}

function longestOutage({ clients }: TrafficReport): number {
  const outside = clients.find(({ vantage, connection }) => vantage === 'outside' && connection === 'fresh')!;
  return Math.max(0, ...outside.outages.map(({ seconds }) => seconds));
}

function longestGap({ leaderGaps }: TrafficReport): number {
  return Math.max(0, ...leaderGaps.map(({ seconds }) => seconds));
}

/**
 * The pivot of a component by its crash loop, with its static Pod removed at a certain moment: when its new container has
 * failed so often, or so long after it began.
 */
export async function crashLoop(
  component: 'kube-apiserver' | 'kube-controller-manager',
  seed: number,
  removal: { readonly failures: number } | { readonly seconds: number },
): Promise<{ readonly cluster: SimulatedCluster; readonly report: TrafficReport; readonly manifest: string }> {
  const cluster = createSimulatedCluster({ seed });
  await cluster.start();
  const node = cluster.node('cp1');
  const path = `${MANIFESTS}/${component}.yaml`;
  const failures = (): number =>
    cluster.events.filter((event) => event.type === 'process' && event.state === 'ended' && event.program === component)
      .length;
  const traffic = startTraffic(cluster);
  const manifest = node.disk.read(path)!;
  await cluster.connect().create(kubeadmStyleDaemonSet(component, manifest));
  if ('failures' in removal) while (failures() < removal.failures) await cluster.clock.sleep(10);
  else await cluster.clock.sleep(removal.seconds * 1000);
  node.disk.remove(path);
  await cluster.clock.sleep(60_000);
  return { cluster, manifest, report: await traffic.stop() };
}

/** Seconds from a parked manifest that is put back after a power cut to a ready API server. */
export async function backByHand(seed: number): Promise<number> {
  const { cluster, manifest } = await crashLoop('kube-apiserver', seed, { failures: 2 });
  const node = cluster.node('cp1');
  node.cutPower();
  node.boot();
  await cluster.clock.sleep(60_000);
  const from = cluster.clock.now();
  node.disk.write(`${MANIFESTS}/kube-apiserver.yaml`, manifest);
  return readyAfter(cluster, from);
}

async function boot(seed: number): Promise<number> {
  const cluster = createSimulatedCluster({ seed });
  await cluster.start();
  const node = cluster.node('cp1');
  node.cutPower();
  const from = cluster.clock.now();
  node.boot();
  return readyAfter(cluster, from);
}

async function readyAfter({ clock, events }: SimulatedCluster, from: number): Promise<number> {
  for (;;) {
    const ready = events.find(
      (event) =>
        event.type === 'process' && event.program === 'kube-apiserver' && event.state === 'ready' && event.at >= from,
    );
    if (ready !== undefined) return (ready.at - from) / 1000;
    await clock.sleep(100);
  }
}
