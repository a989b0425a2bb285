/**
 * bootlace renders and checks what a new machine runs to join a Kubernetes cluster.
 *
 * @example
 * import { AKS, RefusedError } from 'bootlace';
 * try {
 *   const customData = new AKS(options).script();
 * } catch (error) {
 *   if (error instanceof RefusedError) console.error(error.problems);
 * }
 */
// Renders a node of AKS.
export { AKS, type AKSSettings } from './node/aks/aks.ts';
// Its options, with a doc comment for each field.
export type { AKSOptions, KubeletConfiguration, Options, Overrides, Taint } from './node/aks/options.ts';
// What the script assigns, as a type and as metadata.
export type { NodeBootstrapVariables } from './node/aks/node-bootstrap-variables.ts';
export { VARIABLES, type VariableFact } from './node/aks/variables.ts';
// Kubelet settings as flags.
export { joinParameterArgsToMap, kubeletConfigToMap } from './node/aks/kubelet.ts';
// The verbs, for any bootstrapper.
export { check, optionsSchema, render, renderVariables, BOOTSTRAPPER_NAMES } from './node/index.ts';
export type { Bootstrapper, CanonicalVariables, Rendering, Settings } from './node/index.ts';
// A control plane that the cluster hosts itself, as kubeadm 1.10 made it. `bootlace/control-plane` has the rest.
export {
  buildDaemonSet,
  buildSelfhostedComponentLabels,
  buildSelfHostedComponentLabelQuery,
  createSelfHostedControlPlane,
  getDefaultMutators,
  getMutatorsFromFeatureGates,
} from './control-plane/index.ts';
export type { PodSpecMutatorFunc, SelfHostingOptions } from './control-plane/index.ts';
// What is wrong with options, and what is thrown.
export { BootlaceError, RefusedError, type ErrorCode } from './core/errors.ts';
export { PROBLEM_CODES, type Problem, type ProblemCode, type Severity, type Source } from './core/problem.ts';
// The version of this package.
export { VERSION } from './core/version.ts';
