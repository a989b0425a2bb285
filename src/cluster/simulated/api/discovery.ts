import type { APIServiceObject } from '../../api.ts';
import { resourcesOf } from '../../kubernetes/resources.ts';
import { done, refusal, type Reply } from './requests.ts';

/**
 * What an API server says of a group and version: the kinds that are known here, or one resource of another API, which has
 * the first word of its group for a name.
 *
 * @param find Gives the APIService of a name, if it is there.
 */
export function discoveryOf(groupVersion: string, find: (name: string) => APIServiceObject | undefined): Reply {
  const [version = '', group = ''] = groupVersion.split('/').toReversed();
  const own = resourcesOf(groupVersion);
  if (own.length > 0) return done(own);
  const found = find(`${version}.${group}`);
  if (found === undefined) return refusal(404, 'NOT_FOUND', 'the server could not find the requested resource');
  if (found.spec.service && !isAvailable(found)) return refusal(503, 'UNAVAILABLE', 'service unavailable');
  return done([group.split('.', 1)[0]!]);
}

function isAvailable({ status }: APIServiceObject): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Available' && is === 'True') ?? false;
}
