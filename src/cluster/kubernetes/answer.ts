import { isMapping } from '../../core/mapping.ts';
import { escapeControls, redact } from '../../core/redact.ts';
import type { ClusterErrorCode } from '../../core/errors.ts';
import { ClusterError } from '../api.ts';
import type { Reply } from './request.ts';

/** What a request was about, for its error. */
export interface Subject {
  /** Such as `create DaemonSet kube-system/x`. */
  readonly action: string;
  /** Whether the API server may quote something secret when it says what is wrong. */
  readonly isSecret: boolean;
}

/** The object in an answer. Throws a {@link ClusterError} for an answer that is a refusal, or no JSON object. */
export function objectOf(reply: Reply, subject: Subject): object {
  const body = parse(reply.text);
  if (reply.status < 200 || reply.status > 299) throw refusal(reply.status, body, subject);
  if (body !== undefined) return body;
  throw new ClusterError('UNEXPECTED', `Could not ${subject.action}: the answer is no JSON object.`);
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
    case 429:
      return 'TOO_MANY_REQUESTS';
    case 504:
      return 'TIMEOUT';
    default:
      return status >= 500 ? 'UNAVAILABLE' : 'UNEXPECTED';
  }
}
