import { isMapping } from '../../core/mapping.ts';
import { escapeControls, redact } from '../../core/redact.ts';
import type { ClusterErrorCode } from '../../core/errors.ts';
import { ClusterError, type Kind, type ObjectList, type WatchEvent } from '../api.ts';
import type { Reply } from './request.ts';
import { ofKind } from './resources.ts';

/** What a request was about, for its error. */
export interface Subject {
  /** Such as `create DaemonSet kube-system/x`. */
  readonly action: string;
  /** Whether the API server may quote something secret when it says what is wrong. */
  readonly isSecret: boolean;
}

/** The object in an answer. Throws a {@link ClusterError} for an answer that is a refusal, or no JSON object. */
export function objectOf(reply: Reply, subject: Subject): object {
  if (reply.status < 200 || reply.status > 299) throw refusalOf(reply, subject);
  const body = parse(reply.text);
  if (body !== undefined) return body;
  throw new ClusterError('UNEXPECTED', `Could not ${subject.action}: the answer is no JSON object.`);
}

/** The error for an answer that is no success. */
export function refusalOf({ status, text }: Reply, subject: Subject): ClusterError {
  return refusal(status, parse(text), subject);
}

/** The text at a place in an answer. */
export function textOf(reply: Reply, path: readonly string[], subject: Subject): string {
  const found = path.reduce<unknown>(
    (value, field) => (isMapping(value) ? value[field] : undefined),
    objectOf(reply, subject),
  );
  if (typeof found === 'string' && found !== '') return found;
  throw new ClusterError('UNEXPECTED', `Could not ${subject.action}: the answer has no ${path.join('.')}.`);
}

/** The names of the resources in an answer, sorted. */
export function namesOf(reply: Reply, subject: Subject): readonly string[] {
  const { resources } = objectOf(reply, subject) as { readonly resources?: unknown };
  const list = resources === null ? [] : resources;
  const names = Array.isArray(list)
    ? list.map((resource: unknown) => (isMapping(resource) ? resource['name'] : undefined))
    : undefined;
  if (names?.every((name) => typeof name === 'string')) return names.toSorted();
  throw new ClusterError('UNEXPECTED', `Could not ${subject.action}: the answer is no list of resources.`);
}

/** The list in an answer. Its items come without kind and version. */
export function listOf<K extends Kind>(reply: Reply, kind: K, subject: Subject): ObjectList<K> {
  const list = objectOf(reply, subject) as Readonly<Record<string, unknown>>;
  const resourceVersion = versionOf(list);
  // Go writes an empty list as null in places.
  const items = list['items'] === null ? [] : list['items'];
  if (!Array.isArray(items) || !items.every(isMapping) || resourceVersion === undefined)
    throw new ClusterError('UNEXPECTED', `Could not ${subject.action}: the answer is no list.`);
  return { resourceVersion, items: items.map((item) => ofKind(kind, item)) };
}

/**
 * What a line of a watch says. A server that cannot go on says so in a line too, behind status 200: that is thrown as
 * a refusal with the same status is, `GONE` for a version that is too old.
 */
export function eventOf<K extends Kind>(line: string, kind: K, subject: Subject): WatchEvent<K> {
  const { type, object } = parse(line) ?? {};
  if (isMapping(object)) {
    if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') return { type, object: ofKind(kind, object) };
    if (type === 'ERROR') throw refusal(Number(object['code'] ?? 0), object, subject);
    const resourceVersion = versionOf(object);
    if (type === 'BOOKMARK' && resourceVersion !== undefined) return { type, resourceVersion };
  }
  throw new ClusterError('UNEXPECTED', `Could not ${subject.action}: a line of the answer is no event.`);
}

function versionOf({ metadata }: Readonly<Record<string, unknown>>): string | undefined {
  const version = isMapping(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' ? version : undefined;
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function refusal(status: number, body: ReturnType<typeof parse>, { action, isSecret }: Subject): ClusterError {
  const said = typeof body?.['message'] === 'string' && !isSecret ? `: ${escapeControls(redact(body['message']))}` : '';
  return new ClusterError(codeOf(status, body?.['reason'], action), `Could not ${action} (HTTP ${status})${said}`);
}

/** The code for a status, with the reason that Kubernetes gives in the body where one status has two meanings. */
function codeOf(status: number, reason: unknown, action: string): ClusterErrorCode {
  switch (status) {
    case 400:
    case 413:
    case 415:
    case 422:
      return 'INVALID';
    case 401:
      return 'UNAUTHORIZED';
    case 403:
      return 'FORBIDDEN';
    case 404:
      return 'NOT_FOUND';
    case 409:
      // A proxy may have taken the body away; creating is refused for one reason only.
      if (reason === 'AlreadyExists') return 'ALREADY_EXISTS';
      return reason === undefined && action.startsWith('create ') ? 'ALREADY_EXISTS' : 'CONFLICT';
    case 410:
      return 'GONE';
    case 429:
      return 'TOO_MANY_REQUESTS';
    case 504:
      return 'TIMEOUT';
    default:
      return status >= 500 ? 'UNAVAILABLE' : 'UNEXPECTED';
  }
}
