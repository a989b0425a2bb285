import { BootlaceError, type ClusterErrorCode } from '../core/errors.ts';

/**
 * The Kubernetes API, as narrow as it is needed. Objects are plain JSON as they are on the wire; only what is looked
 * at has a type, everything else is carried along. Every call throws a {@link ClusterError}.
 */
export interface Cluster {
  /** Throws `NOT_FOUND`. */
  get<K extends Kind>(reference: Reference<K>): Promise<ObjectOf<K>>;
  /** The objects that a selection matches, and the version of the whole list, from which a watch goes on. */
  list<K extends Kind>(selection: Selection<K>): Promise<ObjectList<K>>;
  /**
   * The changes behind a version, as they come. It ends when the server closes the connection, as it does now and
   * then; throws `GONE` where the server does not know the version any more, so that the caller has to list again.
   */
  watch<K extends Kind>(selection: Selection<K>, from: WatchStart): AsyncIterable<WatchEvent<K>>;
  /** Throws `ALREADY_EXISTS`. */
  create<T extends AnyObject>(object: T, options?: WriteOptions): Promise<T>;
  /**
   * Replaces the object. With a `metadata.resourceVersion`, throws `CONFLICT` where that is not the current one; without,
   * overwrites whatever is there. Throws `NOT_FOUND`.
   */
  update<T extends AnyObject>(object: T, options?: WriteOptions): Promise<T>;
  /**
   * Server-side apply: creates the object, or sets in it what is given and takes away what this manager set before and
   * does not give any more. Throws `CONFLICT` where another manager owns a field with another value, unless forced.
   */
  apply<T extends AnyObject>(object: T, options: ApplyOptions): Promise<T>;
  /** Throws `NOT_FOUND`, and `CONFLICT` where a precondition does not hold. */
  delete(reference: Reference, options?: DeleteOptions): Promise<void>;
  /** Whether one of its own checks answers 200, GET /healthz by default. Throws only where there is no answer at all. */
  isHealthy(check?: HealthCheck): Promise<boolean>;
  /**
   * When the process that answers was started, in milliseconds since 1970, from its own metrics: it tells one server from
   * another that has the same address and the same certificate.
   */
  startedAt(): Promise<number>;
  /** Version of Kubernetes that the server says it has, such as `v1.35.4`: what GET /version calls `gitVersion`. */
  version(): Promise<string>;
  /** Name of the user that the server takes the caller for. */
  whoAmI(): Promise<string>;
  /**
   * A bearer token of a ServiceAccount for the audiences of the API server. It is a secret, and no error quotes it. Servers
   * may give another life time than that asked for, and refuse one of less than 600 seconds with `INVALID`. Throws
   * `NOT_FOUND` where there is no such ServiceAccount.
   */
  requestToken(serviceAccount: ServiceAccountReference, seconds: number): Promise<string>;
  /**
   * Names of the resources, subresources among them, that the server has in a group and version such as `apps/v1`, sorted;
   * `v1` is the core group. For an API that the server aggregates it is the answer of the other server. Throws `NOT_FOUND`
   * for a group or version that the server does not know, and `UNAVAILABLE` where the other server does not answer.
   */
  discover(groupVersion: string): Promise<readonly string[]>;
}

export interface ServiceAccountReference {
  readonly namespace: string;
  readonly name: string;
}

export type HealthCheck = 'healthz' | 'livez' | 'readyz';

export interface Reference<K extends Kind = Kind> {
  readonly kind: K;
  /** Absent for kinds that have none, such as Node. */
  readonly namespace?: string;
  readonly name: string;
}

export interface Selection<K extends Kind = Kind> {
  readonly kind: K;
  /** Default: all namespaces. */
  readonly namespace?: string;
  /** Such as `k8s-app=x,tier=y`: equality alone. */
  readonly labelSelector?: string;
}

export interface WatchStart {
  readonly resourceVersion: string;
  /** Ends the watch. */
  readonly signal?: AbortSignal;
}

export interface WriteOptions {
  /** Goes through admission and validation, and stores nothing. Default: false. */
  readonly dryRun?: boolean;
  /** Who is written down as the owner of what is set. Default: the server decides. */
  readonly fieldManager?: string;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes fields from other managers. Default: false. */
  readonly force?: boolean;
}

export interface DeleteOptions {
  readonly dryRun?: boolean;
  /** What becomes of objects that this one owns. Default: `Background`, they go afterwards. */
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  /** Default: what the object says. */
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface ObjectList<K extends Kind = Kind> {
  readonly resourceVersion: string;
  readonly items: readonly ObjectOf<K>[];
}

export type WatchEvent<K extends Kind = Kind> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: ObjectOf<K> }
  /** Says that nothing else happened up to this version. */
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

/** Every kind that is spoken of, with its type. */
export interface Objects {
  readonly APIService: APIServiceObject;
  readonly ConfigMap: ConfigMapObject;
  readonly DaemonSet: DaemonSetObject;
  readonly EndpointSlice: EndpointSliceObject;
  readonly Event: EventObject;
  readonly Lease: LeaseObject;
  readonly MutatingWebhookConfiguration: MutatingWebhookConfigurationObject;
  readonly Namespace: NamespaceObject;
  readonly Node: NodeObject;
  readonly Pod: PodObject;
  readonly ResourceQuota: ResourceQuotaObject;
  readonly Secret: SecretObject;
  readonly Service: ServiceObject;
  readonly ServiceAccount: ServiceAccountObject;
  readonly ValidatingAdmissionPolicy: ValidatingAdmissionPolicyObject;
  readonly ValidatingAdmissionPolicyBinding: ValidatingAdmissionPolicyBindingObject;
  readonly ValidatingWebhookConfiguration: ValidatingWebhookConfigurationObject;
}

export type Kind = keyof Objects;
export type ObjectOf<K extends Kind> = Objects[K];
export type AnyObject = Objects[Kind];

export interface Metadata {
  readonly name?: string;
  /** The server puts random letters behind it and makes that the name. */
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly resourceVersion?: string;
  readonly generation?: number;
  /** RFC 3339. */
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly [field: string]: unknown;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ClusterObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
}

/** One group and version of the API, and who serves it. Its name is `VERSION.GROUP`. */
export interface APIServiceObject extends ClusterObject {
  readonly apiVersion: 'apiregistration.k8s.io/v1';
  readonly kind: 'APIService';
  readonly spec: {
    readonly group?: string;
    readonly version?: string;
    /** Who serves it behind the API server. Absent, or null, for what the API server serves itself. */
    readonly service?: ServiceReference | null;
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface ServiceReference {
  readonly namespace?: string;
  readonly name?: string;
  /** Default: 443. */
  readonly port?: number;
}

export interface Condition {
  /** Such as `Available`. */
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
}

export interface ConfigMapObject extends ClusterObject {
  readonly apiVersion: 'v1';
  readonly kind: 'ConfigMap';
  readonly data?: Readonly<Record<string, string>>;
}

export interface DaemonSetObject extends ClusterObject {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'DaemonSet';
  readonly spec: object;
  readonly status?: Readonly<Record<string, unknown>>;
}

export interface EndpointSliceObject extends ClusterObject {
  readonly apiVersion: 'discovery.k8s.io/v1';
  readonly kind: 'EndpointSlice';
  readonly addressType: 'IPv4' | 'IPv6' | 'FQDN';
  readonly endpoints: readonly {
    readonly addresses: readonly string[];
    readonly conditions?: { readonly ready?: boolean };
  }[];
  readonly ports?: readonly { readonly name?: string; readonly port?: number; readonly protocol?: string }[];
}

export interface EventObject extends ClusterObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Event';
  readonly reason?: string;
  readonly message?: string;
  readonly type?: string;
  readonly [field: string]: unknown;
}

export interface LeaseObject extends ClusterObject {
  readonly apiVersion: 'coordination.k8s.io/v1';
  readonly kind: 'Lease';
  readonly spec: {
    readonly holderIdentity?: string | null;
    readonly leaseDurationSeconds?: number;
    /** RFC 3339 with microseconds. */
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

export interface MutatingWebhookConfigurationObject extends ClusterObject {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  readonly kind: 'MutatingWebhookConfiguration';
  readonly webhooks?: readonly Webhook[];
}

/** Whom the API server asks before it stores what matches. */
export interface Webhook {
  readonly name: string;
  /** What becomes of a request when the webhook does not answer. Default: `Fail`, it is refused. */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /** By labels of the object's namespace. Default: all. */
  readonly namespaceSelector?: LabelSelector;
  /** By labels of the object. Default: all. */
  readonly objectSelector?: LabelSelector;
  readonly rules?: readonly WebhookRule[];
  /** Either a Service of the cluster or an address somewhere else. */
  readonly clientConfig: {
    readonly service?: ServiceReference & { readonly path?: string };
    readonly url?: string;
  };
}

/** What a webhook is asked about: `*` stands for all. */
export interface WebhookRule {
  /** Such as `CREATE`. */
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  /** Default: `*`. */
  readonly scope?: 'Cluster' | 'Namespaced' | '*';
}

/** All of its parts have to hold; one without any holds for everything. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
}

export interface NamespaceObject extends ClusterObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Namespace';
}

export interface NodeObject extends ClusterObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Node';
  readonly spec?: {
    readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  };
  readonly status?: Readonly<Record<string, unknown>>;
}

export interface PodObject extends ClusterObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
  readonly spec?: object;
  readonly status?: { readonly phase?: string; readonly [field: string]: unknown };
}

export interface ResourceQuotaObject extends ClusterObject {
  readonly apiVersion: 'v1';
  readonly kind: 'ResourceQuota';
  readonly spec?: {
    /** Quantities by what they limit, such as `pods` or `requests.cpu`. */
    readonly hard?: Readonly<Record<string, string>>;
    /** Which Pods count, such as `BestEffort`. Default: all. */
    readonly scopes?: readonly string[];
    readonly scopeSelector?: {
      readonly matchExpressions?: readonly {
        /** Such as `PriorityClass`. */
        readonly scopeName: string;
        readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
        readonly values?: readonly string[];
      }[];
    };
  };
}

export interface SecretObject extends ClusterObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
  readonly type?: string;
  /** Base64 by key. */
  readonly data: Readonly<Record<string, string>>;
}

export interface ServiceObject extends ClusterObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Service';
  readonly spec?: {
    readonly clusterIP?: string;
    readonly type?: string;
    readonly ports?: readonly { readonly name?: string; readonly port: number }[];
  };
}

export interface ServiceAccountObject extends ClusterObject {
  readonly apiVersion: 'v1';
  readonly kind: 'ServiceAccount';
}

export interface ValidatingAdmissionPolicyObject extends ClusterObject {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  readonly kind: 'ValidatingAdmissionPolicy';
  readonly spec?: object;
}

export interface ValidatingAdmissionPolicyBindingObject extends ClusterObject {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  readonly kind: 'ValidatingAdmissionPolicyBinding';
  readonly spec?: object;
}

export interface ValidatingWebhookConfigurationObject extends ClusterObject {
  readonly apiVersion: 'admissionregistration.k8s.io/v1';
  readonly kind: 'ValidatingWebhookConfiguration';
  readonly webhooks?: readonly Webhook[];
}

/** A call to the cluster failed. The message never holds what a Secret, a token or a kubeconfig holds. */
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

/** A selector such as `a=1,b=2` as a question to the labels of an object. */
export function labelsMatcher(labelSelector: string | undefined): (object: ClusterObject) => boolean {
  const wanted = (labelSelector ?? '')
    .split(',')
    .filter((term) => term !== '')
    .map((term) => term.split('=') as [string, string]);
  return ({ metadata: { labels = {} } }) =>
    wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}
