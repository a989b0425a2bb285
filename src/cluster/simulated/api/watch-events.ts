import { labelsMatcher, type AnyObject, type Selection, type WatchEvent } from '../../api.ts';
import { withVersion, type Change } from '../store.ts';

/** A change as a watch tells of it: what comes into its selection is new to it, and what leaves it is gone. */
export function watchEventOf(selection: Selection, { type, object, before, version }: Change): WatchEvent | undefined {
  const was = before !== undefined && isSelected(selection, before);
  if (type !== 'DELETED' && isSelected(selection, object)) return { type: was ? 'MODIFIED' : 'ADDED', object };
  return was ? { type: 'DELETED', object: withVersion(before, version) } : undefined;
}

function isSelected({ kind, namespace, labelSelector }: Selection, object: AnyObject): boolean {
  return (
    object.kind === kind &&
    (namespace === undefined || object.metadata.namespace === namespace) &&
    labelsMatcher(labelSelector)(object)
  );
}
