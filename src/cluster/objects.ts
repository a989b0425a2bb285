/**
 * Kubernetes objects as they are on the wire: plain JSON with the fields that are looked at here. Fields that are
 * not named stay in the objects and are carried along.
 */
export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
  readonly hostNetwork?: boolean;
  readonly dnsPolicy?: string;
  readonly priority?: number;
  readonly priorityClassName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly enableServiceLinks?: boolean;
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvVar[];
  readonly ports?: readonly ContainerPort[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly resources?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: Readonly<Record<string, unknown>>;
}

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
  readonly hostPort?: number;
  readonly protocol?: string;
}

export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
  readonly subPath?: string;
  readonly [field: string]: unknown;
}

export interface Volume {
  readonly name: string;
  readonly hostPath?: { readonly path: string; readonly type?: string };
  readonly emptyDir?: Readonly<Record<string, unknown>>;
  readonly secret?: Readonly<Record<string, unknown>>;
  readonly projected?: Readonly<Record<string, unknown>>;
  readonly [source: string]: unknown;
}

export interface Probe {
  readonly httpGet?: {
    readonly host?: string;
    readonly path?: string;
    readonly port: number | string;
    readonly scheme?: string;
  };
  readonly [field: string]: unknown;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

export interface ObjectMeta {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly resourceVersion?: string;
  readonly [field: string]: unknown;
}

/** A Pod, as a static Pod manifest holds it. */
export interface Pod {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly status?: Readonly<Record<string, unknown>>;
}

export interface DaemonSet {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'DaemonSet';
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: { readonly metadata: ObjectMeta; readonly spec: PodSpec };
    readonly updateStrategy?: { readonly type: string; readonly rollingUpdate?: Readonly<Record<string, unknown>> };
  };
}

export interface Secret {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
  readonly metadata: ObjectMeta;
  readonly type?: string;
  /** Base64 by key. */
  readonly data: Readonly<Record<string, string>>;
}
