/**
 * The AKS bootstrappers and what they are made of.
 *
 * @example
 * import { AKS } from 'bootlace/node/aks';
 * const customData = new AKS(options).script();
 */
export { AKS, type AKSSettings } from './aks.ts';
export { joinParameterArgsToMap, kubeletConfigToMap } from './kubelet.ts';
export type { NodeBootstrapVariables } from './node-bootstrap-variables.ts';
export type { AKSOptions, KubeletConfiguration, Options, Overrides, Taint } from './options.ts';
export { PROFILE_NAMES, type ProfileName } from './profiles.ts';
export { SOURCE_CLASSES, VARIABLES, type Carrier, type OverrideRule, type VariableFact } from './variables.ts';
