import type { DraftPodSpec, PodSpecMutatorFunc } from '../daemonset.ts';
import { firstContainer } from './container.ts';
import { apiServerSecrets, controllerManagerSecrets, schedulerSecrets } from './volumes.ts';

/** The feature gates that the mutators look at. Others may be there, as a kubeadm configuration has them. */
export interface FeatureGates {
  /** Takes certificates, keys and kubeconfigs from Secrets and not from the disk of the node. Default: false. */
  readonly StoreCertsInSecrets?: boolean;
  readonly [gate: string]: boolean | undefined;
}

/** What kubeadm 1.10 calls a control-plane node: the key of its label and of its taint. */
const MASTER = 'node-role.kubernetes.io/master';

/** The mutators that every conversion needs, by name of the component. The record is the caller's own. */
export function getDefaultMutators(): Record<string, PodSpecMutatorFunc[]> {
  return {
    'kube-apiserver': [selectMasters, tolerateMasters, useClusterDns, advertiseHostIp],
    'kube-controller-manager': [selectMasters, tolerateMasters, useClusterDns],
    'kube-scheduler': [selectMasters, tolerateMasters, useClusterDns],
  };
}

/**
 * The mutators that a set of feature gates asks for: the default ones, and with `StoreCertsInSecrets` those that
 * mount the Secrets of {@link buildSelfHostedSecrets} after them. `warn` hears of each argument that is dropped.
 */
export function getMutatorsFromFeatureGates(
  featureGates: FeatureGates = {},
  warn: (message: string) => void = () => {},
): Record<string, PodSpecMutatorFunc[]> {
  const mutators = getDefaultMutators();
  if (!storesCertsInSecrets(featureGates)) return mutators;
  mutators['kube-apiserver']!.push(apiServerSecrets);
  mutators['kube-controller-manager']!.push(controllerManagerSecrets(warn));
  mutators['kube-scheduler']!.push(schedulerSecrets(warn));
  return mutators;
}

export function storesCertsInSecrets(featureGates: FeatureGates): boolean {
  return Object.hasOwn(featureGates, 'StoreCertsInSecrets') && featureGates.StoreCertsInSecrets === true;
}

function selectMasters(podSpec: DraftPodSpec): void {
  podSpec.nodeSelector ??= {};
  podSpec.nodeSelector[MASTER] = '';
}

// Never looks whether the toleration is there already: a Pod that is converted twice has it twice.
function tolerateMasters(podSpec: DraftPodSpec): void {
  podSpec.tolerations ??= [];
  podSpec.tolerations.push({ key: MASTER, effect: 'NoSchedule' });
}

// A Pod on the host's network resolves names as the host does, unless it is told otherwise.
function useClusterDns(podSpec: DraftPodSpec): void {
  podSpec.dnsPolicy = 'ClusterFirstWithHostNet';
}

/**
 * Lets each API server advertise the address of the node that it runs on. Every element of the command that has the
 * text somewhere counts as the flag, be it another flag or the name of the executable.
 */
function advertiseHostIp(podSpec: DraftPodSpec): void {
  const container = firstContainer(podSpec);
  container.env ??= [];
  container.env.push({ name: 'HOST_IP', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } });
  if (!container.command) return;
  container.command = container.command.map((argument) =>
    argument.includes('advertise-address') ? '--advertise-address=$(HOST_IP)' : argument,
  );
}
