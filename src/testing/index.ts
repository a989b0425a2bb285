/**
 * Clusters in memory, for the tests of those who build on bootlace and for its own.
 *
 * `createSimulatedCluster` is a whole cluster: API servers, etcd, controllers, kubelets, network and clients on a clock of
 * its own, in which minutes take milliseconds and the same seed gives the same run. `createMemoryCluster` is an API server
 * alone, in which nothing happens by itself.
 *
 * @example
 * import { createSimulatedCluster, startTraffic } from 'bootlace/testing';
 * const cluster = createSimulatedCluster({ seed: 7 });
 * await cluster.start();
 * const traffic = startTraffic(cluster);
 * cluster.node('cp1').restartKubelet();
 * await cluster.clock.sleep(60_000);
 * console.log((await traffic.stop()).failed); // 0
 */
// A whole cluster ...
export {
  createSimulatedCluster,
  type ConnectionSettings,
  type Faults,
  type Login,
  type SimulatedCluster,
  type SimulatedClusterSettings,
} from '../cluster/simulated/cluster.ts';
export type { SimulatedNode, SimulatedPod, SimulatedProcess } from '../cluster/simulated/node.ts';
export type { Disk, Firewall } from '../cluster/simulated/machine.ts';
export type { MachineFacts } from '../cluster/simulated/facts.ts';
export type { ProcessEvent, SimulatedEvent } from '../cluster/simulated/events.ts';
export type { Admission } from '../cluster/simulated/api/registry.ts';
export type { HostAction } from '../cluster/simulated/host.ts';
export { stockManifests, type StockSettings } from '../cluster/simulated/stock.ts';
export { TIMINGS, type Span, type Timings } from '../cluster/simulated/timings.ts';
// ... its clients, and what they saw.
export { startTraffic, type Traffic, type TrafficSettings } from '../cluster/simulated/traffic/traffic.ts';
export type { ClientReport, LeaderGap, Outage, Restarts, TrafficReport } from '../cluster/simulated/traffic/report.ts';
// An API server alone, and files.
export {
  createMemoryCluster,
  type ClusterCall,
  type ClusterFault,
  type MemoryCluster,
  type MemoryClusterSettings,
} from '../cluster/simulated/memory.ts';
export { createMemoryFiles, fileError, type FileOperation, type MemoryFiles } from '../cluster/simulated/files.ts';
// Time, and the interfaces that all of this stands behind.
export { createSimulatedClock, type Clock, type SimulatedClock } from '../core/clock.ts';
export { ClusterError, isClusterError, type Cluster } from '../cluster/api.ts';
export type {
  Endpoint,
  EtcdAccess,
  EtcdMember,
  Host,
  HostContainer,
  HostFiles,
  HostListener,
  HostProcess,
  NodeCertificate,
  NodeFacts,
  Redirect,
  Redirects,
} from '../cluster/host.ts';
