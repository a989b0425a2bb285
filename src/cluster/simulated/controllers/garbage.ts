import type { AnyObject } from '../../api.ts';
import { FINALIZERS } from '../api/registry.ts';
import type { Process } from '../process.ts';
import type { World } from '../world.ts';
import { reconcileOn, type ControllerApi } from './reconcile.ts';

/** Owners of other kinds are not looked for, and count as being there. */
const OWNERS = ['DaemonSet', 'Node'] as const;

/** Removes Pods whose owner is gone, and lets owners go that wait for their Pods or are to leave them behind. */
export function collectGarbage(process: Process, world: World): void {
  reconcileOn(
    process,
    world,
    [...OWNERS, 'Pod'],
    'system:serviceaccount:kube-system:generic-garbage-collector',
    (api) => {
      api.read([...OWNERS, 'Pod'], ({ DaemonSet: sets, Node: nodes, Pod: pods }) => {
        const uids = new Set([...sets, ...nodes].map(({ metadata }) => metadata.uid));
        for (const pod of pods) {
          const owners = pod.metadata.ownerReferences ?? [];
          const isOwned = owners.some(({ uid, kind }) => uids.has(uid) || !OWNERS.some((known) => known === kind));
          if (owners.length > 0 && !isOwned) remove(pod, api);
        }
        for (const set of sets) {
          const finalizers = (set.metadata['finalizers'] ?? []) as readonly string[];
          if (finalizers.length === 0) continue;
          const owned = pods.filter(({ metadata }) =>
            metadata.ownerReferences?.some(({ uid }) => uid === set.metadata.uid),
          );
          if (owned.length === 0) update(set, { finalizers: [] }, api);
          else if (finalizers.includes(FINALIZERS.Orphan))
            for (const pod of owned) update(pod, { ownerReferences: undefined }, api);
          else for (const pod of owned) remove(pod, api);
        }
      });
    },
  );
}

function update(object: AnyObject, metadata: object, api: ControllerApi): void {
  api.call({ verb: 'update', object: { ...object, metadata: { ...object.metadata, ...metadata } } as AnyObject });
}

function remove({ kind, metadata }: AnyObject, api: ControllerApi): void {
  if (metadata.deletionTimestamp) return;
  api.call({
    verb: 'delete',
    reference: { kind, namespace: metadata.namespace!, name: metadata.name! },
    options: { preconditions: { uid: metadata.uid! } },
  });
}
