/**
 * Turns a control plane that kubeadm runs from static Pods into one that the cluster hosts itself.
 *
 * @example
 * import { buildDaemonSet, getDefaultMutators } from 'bootlace/control-plane';
 * const daemonSet = buildDaemonSet('kube-scheduler', pod.spec, getDefaultMutators());
 * console.log(JSON.stringify(daemonSet));
 */
// What kubeadm 1.10 did: DaemonSets and Secrets, purely ...
export { buildDaemonSet } from './selfhosting/daemonset.ts';
export type { Draft, DraftPodSpec, PodSpecMutatorFunc, PodSpecMutators } from './selfhosting/daemonset.ts';
export { buildSelfhostedComponentLabels, buildSelfHostedComponentLabelQuery } from './selfhosting/labels.ts';
export { getDefaultMutators, getMutatorsFromFeatureGates, type FeatureGates } from './selfhosting/v1-10/mutators.ts';
export { buildSelfHostedSecrets, type FileContents } from './selfhosting/v1-10/secrets.ts';
// ... and the conversion of a node with them.
export { createSelfHostedControlPlane } from './selfhosting/create.ts';
export type { ComponentResult, SelfHostingOptions } from './selfhosting/create.ts';
export type { ClusterConfiguration, MasterConfiguration, SelfHostingConfig } from './selfhosting/config.ts';
export { createDryRunWaiter, createWaiter, type Waiter, type WaiterSettings } from './selfhosting/waiter.ts';
export { SelfHostingError } from './selfhosting/errors.ts';
export { BootlaceError, type ClusterErrorCode, type ErrorCode, type SelfHostingErrorCode } from '../core/errors.ts';
// The cluster that it talks to, real and simulated; files and time.
export { connectCluster, type ConnectSettings } from '../cluster/kubernetes/client.ts';
export { createMemoryCluster } from '../cluster/simulated/memory.ts';
export type { MemoryCluster, MemoryClusterSettings, ClusterCall, ClusterFault } from '../cluster/simulated/memory.ts';
export { ClusterError, isClusterError, type Cluster } from '../cluster/api.ts';
export type {
  AnyObject,
  APIServiceObject,
  ApplyOptions,
  ClusterObject,
  Condition,
  ConfigMapObject,
  DaemonSetObject,
  DeleteOptions,
  EndpointSliceObject,
  EventObject,
  HealthCheck,
  Kind,
  LabelSelector,
  LeaseObject,
  Metadata,
  MutatingWebhookConfigurationObject,
  NamespaceObject,
  NodeObject,
  ObjectList,
  ObjectOf,
  Objects,
  OwnerReference,
  PodObject,
  Reference,
  ResourceQuotaObject,
  SecretObject,
  Selection,
  ServiceAccountObject,
  ServiceAccountReference,
  ServiceObject,
  ServiceReference,
  ValidatingAdmissionPolicyBindingObject,
  ValidatingAdmissionPolicyObject,
  ValidatingWebhookConfigurationObject,
  WatchEvent,
  WatchStart,
  Webhook,
  WebhookRule,
  WriteOptions,
} from '../cluster/api.ts';
export type { Files } from '../cluster/files.ts';
export type { Clock } from '../core/clock.ts';
// Objects of Kubernetes.
export type { Container, DaemonSet, Pod, PodSpec, Secret, Volume } from '../cluster/objects.ts';

// Kubernetes 1.33 to 1.37: a control plane as DaemonSets, and the relay with which an API server is replaced.
// Reads a manifest.
export { parseManifest, readManifest, type Manifest } from './manifest.ts';
// There and back.
export { convertDaemonSet, convertStaticPod, type Conversion } from './selfhosting/modern/convert.ts';
export type { ConvertOptions } from './selfhosting/modern/options.ts';
export { MODERN_RULES } from './selfhosting/modern/rules.ts';
export type { Change, Rule, RuleContext } from './selfhosting/modern/rule.ts';
// The relay.
export { relayPod, type Relay } from './selfhosting/modern/relay.ts';
export {
  DEFAULT_RELAY_PORT,
  RELAY_NAME,
  type PortRange,
  type RelayOptions,
} from './selfhosting/modern/relay-options.ts';
export { RELAY_RULES } from './selfhosting/modern/relay-rules.ts';
export { checkSideBySide } from './selfhosting/modern/side-by-side.ts';
// What became of each field.
export { accountFor, type FieldAccount } from './selfhosting/modern/accounting.ts';
// Certificates.
export { neededFiles, type FileKind, type NeededFile } from './selfhosting/modern/certificates.ts';
export type { SecretEntry, SecretPlan } from './selfhosting/modern/secrets.ts';
// Names on objects and nodes.
export { hostedName, hostedValue } from './selfhosting/modern/hosted.ts';
export { ANY_NODE, CONTROL_PLANE_ROLE, hostLabel, RECORD_ANNOTATION, RELAY_LABEL } from './selfhosting/modern/facts.ts';
// Flags of a command line.
export { flagValue, flagValues, hasFlag, removeFlag, setFeatureGate, setFlag } from '../format/flags.ts';

// A rehearsal: a change of a control plane on a simulated cluster, while clients write to it.
export { rehearse, type RehearsalSettings } from './rehearsal/rehearse.ts';
export type {
  Period,
  Rehearsal,
  RehearsalEvent,
  RehearsalOutcome,
  RehearsedStep,
  ServerLife,
} from './rehearsal/rehearsal.ts';
export { FAULT_NAMES, type FaultName } from './rehearsal/faults.ts';
export { STRATEGY_NAMES, type StrategyName } from './strategies/strategies.ts';
export type { FileProblem } from './strategies/inventory.ts';
export { CONTROL_PLANE_COMPONENTS, type ControlPlaneComponent } from './selfhosting/labels.ts';

// A change of a control plane: planned, carried out, gone on with or taken back, and looked at.
export type { Change as ControlPlaneChange, PivotChange, RollChange } from './operations/change.ts';
export type { RollEdits } from './strategies/edits.ts';
export type { ConfigEdit } from './strategies/kubeadm-config.ts';
export { planChange, type Plan, type Planned, type PlannedStep } from './operations/plan.ts';
export { planIn } from './operations/plan-file.ts';
export {
  executeChange,
  goOn,
  type ExecuteOptions,
  type RunOptions,
  type RunOutcome,
  type RunResult,
} from './operations/execute.ts';
export {
  status,
  type ComponentStatus,
  type KubeadmVerb,
  type LeaseStatus,
  type OtherNode,
  type RunStatus,
  type Status,
} from './operations/status.ts';
export type { PlacedProblem, Station } from './operations/station.ts';
export { StepError, type Step, type StepAbout, type StepEvent, type StepListener } from './strategies/steps.ts';
export { systemClock } from '../core/clock.ts';
export { openLinuxNode, type LinuxNode, type LinuxSettings } from '../cluster/linux/host.ts';
