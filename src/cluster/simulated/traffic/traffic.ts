import type { SimulatedCluster } from '../cluster.ts';
import { NAMESPACE } from './records.ts';
import { reportOf, type TrafficReport } from './report.ts';
import { startWatcher } from './watcher.ts';
import { startWriter } from './writer.ts';

export interface TrafficSettings {
  /** Milliseconds between two writes of one client. Default: 50. */
  readonly interval?: number;
}

export interface Traffic {
  /** What was seen so far. */
  report(): TrafficReport;
  /** Ends it, waits a second for answers that are on their way, and says what was seen: what has none then has failed. */
  stop(): Promise<TrafficReport>;
}

/** Milliseconds after which a server that answers has done so, and a watch has seen what was written. */
const SETTLED = 1000;

/**
 * Clients of a simulated cluster, as people have them: from outside, with a connection for each request and with one that
 * is kept; on each node through the Service of the API; and a watch.
 */
export function startTraffic(cluster: SimulatedCluster, { interval = 50 }: TrafficSettings = {}): Traffic {
  const { world, clock, endpoint, service, nodes, events } = cluster;
  const from = clock.now();
  // Several may run, and none writes what another one has written.
  const name = `traffic-${world.number('traffic')}`;
  const outside = { traffic: name, vantage: 'outside', origin: {}, endpoint };
  const writers = [
    startWriter(world, { ...outside, connection: 'fresh', interval }),
    startWriter(world, { ...outside, connection: 'kept', interval: 4 * interval }),
    ...nodes.map(({ name: node }) =>
      startWriter(world, {
        traffic: name,
        vantage: node,
        origin: { node },
        endpoint: service,
        connection: 'fresh',
        interval,
      }),
    ),
  ];
  const watcher = startWatcher(world, name, endpoint);

  function report(to: number): TrafficReport {
    const present = new Set(
      world.store
        .list('ConfigMap')
        .filter(({ metadata }) => metadata.namespace === NAMESPACE)
        .map((object) => object.metadata.name!),
    );
    const clients = writers.map(({ record }) => record);
    return reportOf({ from, to, clients, watch: watcher.record, present, events });
  }

  return {
    report: () => report(clock.now()),
    stop: async () => {
      const to = clock.now();
      for (const writer of writers) writer.stop();
      await clock.sleep(SETTLED);
      for (const writer of writers) writer.giveUp();
      watcher.stop();
      return report(to);
    },
  };
}
