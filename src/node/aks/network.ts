import type { ProblemList } from '../../core/problem.ts';
import { quoted } from '../../core/redact.ts';
import { networkNameFault, resourceGroupFault } from './names.ts';
import type { Profile } from './profiles.ts';
import type { WellFormedOptions } from './read.ts';

/** The parts of a subnet's resource ID, in the case in which they were written. */
export interface SubnetParts {
  readonly subscription: string;
  readonly resourceGroup: string;
  readonly virtualNetwork: string;
  readonly subnet: string;
}

const NO_SUBNET: SubnetParts = { subscription: '', resourceGroup: '', virtualNetwork: '', subnet: '' };
const SUBNET_ID =
  /^\/subscriptions\/([^/]*)\/resourceGroups\/([^/]*)\/providers\/Microsoft\.Network\/virtualNetworks\/([^/]*)\/subnets\/([^/]*)$/i;

/** The parts of a subnet ID; all of them empty where it does not parse, as Go has it. */
export function parseSubnetId(id: string): SubnetParts {
  const match = SUBNET_ID.exec(id);
  if (match === null) return NO_SUBNET;
  const [, subscription, resourceGroup, virtualNetwork, subnet] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
  ];
  return { subscription, resourceGroup, virtualNetwork, subnet };
}

/** Names of the network security group and the route table. */
export function networkNames(
  options: WellFormedOptions,
  profile: Profile,
): { readonly securityGroup: string; readonly routeTable: string } {
  if (!profile.namesFromClusterId) {
    return { securityGroup: options.networkSecurityGroupName ?? '', routeTable: options.routeTableName ?? '' };
  }
  const id = options.clusterId ?? '';
  return { securityGroup: `aks-agentpool-${id}-nsg`, routeTable: `aks-agentpool-${id}-routetable` };
}

/** Reports network settings that Azure would refuse, or that would give a node without network. */
export function checkNetwork(
  options: WellFormedOptions,
  profile: Profile,
  policies: readonly string[],
  problems: ProblemList,
): void {
  const { networkPlugin, networkPolicy, subnetId, networkSecurityGroupName, routeTableName, clusterId } = options;
  if (networkPlugin !== undefined && !profile.networkPlugins.includes(networkPlugin)) {
    problems.refuse(
      'NETWORK_UNSUPPORTED',
      '/networkPlugin',
      `${profile.name} does not know the network plugin ${quoted(networkPlugin)}.`,
      `Write one of ${profile.networkPlugins.join(', ')}.`,
    );
  }
  if (networkPolicy !== undefined && !policies.includes(networkPolicy)) {
    problems.refuse(
      'NETWORK_UNSUPPORTED',
      '/networkPolicy',
      `${quoted(networkPolicy)} is no network policy engine of AKS.`,
      `Write one of ${policies.filter(Boolean).join(', ')}, or leave it out.`,
    );
  }
  if (subnetId !== undefined) checkSubnet(subnetId, problems);
  checkName('/networkSecurityGroupName', networkSecurityGroupName, problems);
  checkName('/routeTableName', routeTableName, problems);
  if (clusterId !== undefined && !/^[A-Za-z0-9._-]+$/.test(clusterId)) {
    problems.refuse(
      'NAME_INVALID',
      '/clusterId',
      `${quoted(clusterId)} cannot be a part of a name in Azure.`,
      'Write the eight digits between `aks-agentpool-` and `-nsg`.',
    );
  }
}

function checkName(path: string, name: string | undefined, problems: ProblemList): void {
  const fault = name === undefined ? undefined : networkNameFault(name, 80);
  if (fault)
    problems.refuse(
      'NAME_INVALID',
      path,
      `${quoted(name!)} is no name for it: ${fault}.`,
      'Write 1 to 80 letters, digits, _ - or .',
    );
}

const SUBNET_HINT =
  'Write /subscriptions/<id>/resourceGroups/<group>/providers/Microsoft.Network/virtualNetworks/<network>/subnets/<subnet>.';

function checkSubnet(id: string, problems: ProblemList): void {
  const parts = parseSubnetId(id);
  if (parts === NO_SUBNET) {
    problems.refuse(
      'SUBNET_INVALID',
      '/subnetId',
      `${quoted(id)} is no subnet ID, and azure.json would name no network.`,
      id.endsWith('/') ? 'Remove the slash at the end.' : SUBNET_HINT,
    );
    return;
  }
  const faults: (string | undefined)[] = [
    parts.subscription === '' || /[^A-Za-z0-9._-]/.test(parts.subscription) ? 'its subscription is none' : undefined,
    prefixed('its resource group', resourceGroupFault(parts.resourceGroup)),
    prefixed('its virtual network', networkNameFault(parts.virtualNetwork, 64)),
    prefixed('its subnet', networkNameFault(parts.subnet, 80)),
  ];
  for (const fault of faults) {
    if (fault) problems.refuse('SUBNET_INVALID', '/subnetId', `${quoted(id)} is no subnet ID: ${fault}.`, SUBNET_HINT);
  }
}

function prefixed(what: string, fault: string | undefined): string | undefined {
  return fault && `${what}: ${fault}`;
}
