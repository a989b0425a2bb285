import type { Cluster, Kind, ObjectOf, Selection } from '../../cluster/api.ts';
import { ClusterError } from '../../cluster/api.ts';
import type { Clock } from '../../core/clock.ts';
import type { ClusterErrorCode } from '../../core/errors.ts';

/** What may pass by itself: a server that is away, starts, stops or is busy, and an answer that did not come. */
const PASSING: ReadonlySet<ClusterErrorCode> = new Set([
  'UNREACHABLE',
  'TIMEOUT',
  'UNAVAILABLE',
  'TOO_MANY_REQUESTS',
  // A server that has just started knows nobody yet.
  'FORBIDDEN',
  'UNAUTHORIZED',
]);

/** How long that may last, and how often is asked: milliseconds. */
const PATIENCE = 90_000;
const INTERVAL = 500;

/**
 * The API, asked again while it is away. Only what may be done twice is sent twice: a `create` may have happened although
 * nobody heard of it, and so may an `update` without a version; these fail at once.
 */
export function steadyCluster(cluster: Cluster, clock: Clock): Cluster {
  async function again<T>(call: () => Promise<T>): Promise<T> {
    const deadline = clock.now() + PATIENCE;
    for (;;) {
      try {
        return await call();
      } catch (error) {
        const isPassing = error instanceof ClusterError && PASSING.has(error.code);
        if (!isPassing || clock.now() >= deadline) throw error;
      }
      await clock.sleep(INTERVAL);
    }
  }

  return {
    ...cluster,
    get: <K extends Kind>(reference: { readonly kind: K; readonly namespace?: string; readonly name: string }) =>
      again<ObjectOf<K>>(() => cluster.get(reference)),
    list: <K extends Kind>(selection: Selection<K>) => again(() => cluster.list(selection)),
    apply: (object, options) => again(() => cluster.apply(object, options)),
    // What is gone at the second time may have gone at the first: callers take NOT_FOUND for done.
    delete: (reference, options) => again(() => cluster.delete(reference, options)),
  };
}
