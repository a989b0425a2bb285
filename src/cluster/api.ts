import { BootlaceError, type ClusterErrorCode } from '../core/errors.ts';

/**
 * The Kubernetes API, as narrow as it is needed. Objects are plain JSON as they are on the wire; only what is looked
 * at has a type, everything else is carried along.
 */
export interface Cluster {
  /** Throws `NOT_FOUND`, as every `get` does. */
  getDaemonSet(namespace: string, name: string): Promise<DaemonSetObject>;
  /** Throws `ALREADY_EXISTS`, as every `create` does. */
  createDaemonSet(daemonSet: DaemonSetObject): Promise<DaemonSetObject>;
  /**
   * Replaces the object. With a `metadata.resourceVersion`, throws `CONFLICT` where that is not the current one; without,
   * overwrites whatever is there. Throws `NOT_FOUND`.
   */
  updateDaemonSet(daemonSet: DaemonSetObject): Promise<DaemonSetObject>;
  /** Returns nothing, so that what is stored does not come by here a second time. */
  createSecret(secret: SecretObject): Promise<void>;
  updateSecret(secret: SecretObject): Promise<void>;
  /** The Pods of a namespace that a label selector such as `k8s-app=x,tier=y` matches. */
  listPods(namespace: string, labelSelector: string): Promise<readonly PodObject[]>;
  getPod(namespace: string, name: string): Promise<PodObject>;
  /** Whether GET /healthz answers 200. Throws only where there is no answer at all. */
  isHealthy(): Promise<boolean>;
}

export interface ClusterObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly resourceVersion?: string;
  };
}

export interface DaemonSetObject extends ClusterObject {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'DaemonSet';
  readonly spec: object;
}

export interface PodObject extends ClusterObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
  readonly spec?: object;
  readonly status?: { readonly phase?: string; readonly [field: string]: unknown };
}

export interface SecretObject extends ClusterObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
  readonly type?: string;
  /** Base64 by key. */
  readonly data: Readonly<Record<string, string>>;
}

/** A call to the cluster failed. The message never holds what a Secret or a kubeconfig holds. */
export class ClusterError extends BootlaceError {
  override readonly name = 'ClusterError';
  declare readonly code: ClusterErrorCode;

  constructor(code: ClusterErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}

/** Whether an error is a {@link ClusterError} with that code. */
export function isClusterError(error: unknown, code: ClusterErrorCode): error is ClusterError {
  return error instanceof ClusterError && error.code === code;
}
