import type { Cluster, Kind, ObjectOf, Selection } from '../../cluster/api.ts';
import { ClusterError } from '../../cluster/api.ts';
import type { Clock } from '../../core/clock.ts';
import type { ClusterErrorCode } from '../../core/errors.ts';

/** What may pass by itself: a server that is away, starts, stops or is busy, and an answer that did not come. */
const PASSING: ReadonlySet<ClusterErrorCode> = new Set(['UNREACHABLE', 'TIMEOUT', 'UNAVAILABLE', 'TOO_MANY_REQUESTS']);

/** A server that has just started knows nobody yet; one that goes on to say so means it. */
const SOON_PASSING: ReadonlySet<ClusterErrorCode> = new Set(['FORBIDDEN', 'UNAUTHORIZED']);

/** How long that may last, and how often is asked: milliseconds. */
const PATIENCE = 45_000;
const SHORT_PATIENCE = 10_000;
const INTERVAL = 500;

/**
 * The API, asked again while it is away. Only what may be done twice is sent twice: a `create` may have happened although
 * nobody heard of it, and so may an `update` without a version; these fail at once. Default patience: 45 s.
 */
export function steadyCluster(cluster: Cluster, clock: Clock, patienceMilliseconds = PATIENCE): Cluster {
  async function again<T>(call: () => Promise<T>): Promise<T> {
    const start = clock.now();
    for (;;) {
      try {
        return await call();
      } catch (error) {
        if (clock.now() - start >= Math.min(patienceMilliseconds, patienceWith(error))) throw error;
      }
      await clock.sleep(INTERVAL);
    }
  }

  return {
    get: <K extends Kind>(reference: { readonly kind: K; readonly namespace?: string; readonly name: string }) =>
      again<ObjectOf<K>>(() => cluster.get(reference)),
    list: <K extends Kind>(selection: Selection<K>) => again(() => cluster.list(selection)),
    watch: (selection, from) => cluster.watch(selection, from),
    create: (object, options) => cluster.create(object, options),
    update: (object, options) => cluster.update(object, options),
    isHealthy: (check) => cluster.isHealthy(check),
    startedAt: () => again(() => cluster.startedAt()),
    version: () => again(() => cluster.version()),
    whoAmI: () => again(() => cluster.whoAmI()),
    // A token that nobody heard of ends by itself.
    requestToken: (serviceAccount, seconds) => again(() => cluster.requestToken(serviceAccount, seconds)),
    discover: (groupVersion) => again(() => cluster.discover(groupVersion)),
    apply: (object, options) => again(() => cluster.apply(object, options)),
    // What is gone at the second time may have gone at the first: callers take NOT_FOUND for done.
    delete: (reference, options) => again(() => cluster.delete(reference, options)),
  };
}

/** Milliseconds that are waited for an error to pass. */
function patienceWith(error: unknown): number {
  if (!(error instanceof ClusterError)) return 0;
  if (PASSING.has(error.code)) return PATIENCE;
  return SOON_PASSING.has(error.code) ? SHORT_PATIENCE : 0;
}
