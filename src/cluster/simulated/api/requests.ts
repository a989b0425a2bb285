import type { ClusterErrorCode } from '../../../core/errors.ts';
import type {
  AnyObject,
  ApplyOptions,
  DeleteOptions,
  HealthCheck,
  Reference,
  Selection,
  ServiceAccountReference,
  WriteOptions,
} from '../../api.ts';

/** What an API server is asked. */
export type ApiRequest = ObjectRequest | ServerRequest;

/** About objects: what every API server answers alike. */
export type ObjectRequest =
  | { readonly verb: 'get'; readonly reference: Reference }
  | { readonly verb: 'list'; readonly selection: Selection }
  | { readonly verb: 'create'; readonly object: AnyObject; readonly options?: WriteOptions }
  | {
      readonly verb: 'update';
      readonly object: AnyObject;
      readonly options?: WriteOptions;
      /** `binding` gives a Pod its node. Default: the object without its status. */
      readonly subresource?: 'status' | 'binding';
    }
  | { readonly verb: 'apply'; readonly object: AnyObject; readonly options: ApplyOptions }
  | { readonly verb: 'delete'; readonly reference: Reference; readonly options?: DeleteOptions };

/** About the server and those who ask it. */
export type ServerRequest =
  | { readonly verb: 'health'; readonly check: HealthCheck }
  /** When the process was started that answers. */
  | { readonly verb: 'identify' }
  | { readonly verb: 'version' }
  /** Who asks. */
  | { readonly verb: 'review' }
  | { readonly verb: 'token'; readonly serviceAccount: ServiceAccountReference; readonly seconds: number }
  | { readonly verb: 'discover'; readonly groupVersion: string };

/** Who asks, as the API server calls them: `kubernetes-admin`, `system:node:cp-1` and so on. */
export type User = string;

/** How somebody says who they are: by a certificate, which names a user, or by a token. */
export type Credentials = User | { readonly token: string };

/** An answer, or that there was none. */
export interface Reply {
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  /** An object, the objects of a list, or what else was asked for. Absent for a deletion and for health. */
  readonly body?: unknown;
  /** Where it is a refusal. */
  readonly code?: ClusterErrorCode;
  readonly message?: string;
  /** Whether the server asks to come again: `Retry-After`. */
  readonly retryAfter?: boolean;
}

export function refusal(status: number, code: ClusterErrorCode, message: string): Reply {
  return { status, code, message };
}

export function done(body?: unknown): Reply {
  return body === undefined ? { status: 200 } : { status: 200, body };
}

/** What a client sees of a connection that nobody answers on. */
export function noAnswer(reason: 'refused' | 'reset' | 'timeout'): Reply {
  return reason === 'timeout'
    ? { status: 0, code: 'TIMEOUT', message: 'no answer in time' }
    : { status: 0, code: 'UNREACHABLE', message: reason === 'refused' ? 'connection refused' : 'connection reset' };
}
