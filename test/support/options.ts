import { readFileSync } from 'node:fs';
import type { Problem } from '../../src/core/problem.ts';
import type { Settings } from '../../src/node/bootstrapper.ts';
import { check } from '../../src/node/check.ts';
import { renderVariables } from '../../src/node/render.ts';

/** Options as they come from outside: anything may stand in a field. */
export type AnyOptions = Record<string, unknown>;

/** A bootstrap token of the right form, which belongs to no cluster. */
export const TOKEN = 'abcdef.0123456789abcdef';

/** A self-signed certificate of a CA, base64 of PEM, valid from 2026 to 2036. */
export const CA_BUNDLE: string = certificate();

export const SUBNET_ID =
  '/subscriptions/12345678-1234-1234-1234-123456789012/resourceGroups/network/providers/Microsoft.Network/virtualNetworks/vnet/subnets/nodes';

/** Complete options that aks/v1.14 takes without a word, with some fields replaced. */
export function v114(replaced: AnyOptions = {}): AnyOptions {
  return {
    ...common(),
    kubeletIdentityClientId: '11111111-2222-4333-8444-555555555555',
    networkSecurityGroupName: 'aks-agentpool-16233412-nsg',
    routeTableName: 'aks-agentpool-16233412-routetable',
    networkPlugin: 'none',
    kubernetesVersion: '1.33.7',
    ...replaced,
  };
}

/** Complete options that aks/v0.4.0 takes without a word, with some fields replaced. */
export function v040(replaced: AnyOptions = {}): AnyOptions {
  return {
    ...common(),
    userAssignedIdentityId: '11111111-2222-4333-8444-555555555555',
    clusterId: '16233412',
    networkPlugin: 'azure',
    kubernetesVersion: '1.28.9',
    ...replaced,
  };
}

export const SEED: Settings = { bootstrapper: 'aks/v0.4.0' };
export const LENIENT: Settings = { lenient: true };

/** Problems in one line each: severity, code and path. */
export function findings(options: unknown, settings: Settings = {}): string[] {
  return check(options, settings).map(({ severity, code, path }) => `${severity} ${code} ${path}`);
}

/** The one problem at a path; fails when there is none or several. */
export function problemAt(path: string, options: unknown, settings: Settings = {}): Problem {
  const all = check(options, settings);
  const there = all.filter((problem) => problem.path === path);
  if (there.length !== 1) throw new Error(`${there.length} problems at ${path}; all: ${JSON.stringify(all, null, 1)}`);
  return there[0]!;
}

/** The assignments of a script, composite values as they are taken apart. */
export function variablesOf(options: unknown, settings: Settings = {}): Readonly<Record<string, string>> {
  return renderVariables(options, settings).variables;
}

export function kubeletFlagsOf(options: unknown, settings: Settings = {}): Readonly<Record<string, string>> {
  return renderVariables(options, settings).decoded['KUBELET_FLAGS'] as Record<string, string>;
}

export function nodeLabelsOf(options: unknown, settings: Settings = {}): Readonly<Record<string, string>> {
  return renderVariables(options, settings).decoded['KUBELET_NODE_LABELS'] as Record<string, string>;
}

function common(): AnyOptions {
  return {
    clusterName: 'demo',
    clusterEndpoint: 'https://demo-dns-abc123.hcp.westus2.azmk8s.io:443',
    arch: 'amd64',
    tenantId: '72f988bf-0000-4000-8000-2d7cd011db47',
    subscriptionId: '12345678-1234-1234-1234-123456789012',
    location: 'westus2',
    resourceGroup: 'MC_demo_demo_westus2',
    apiServerName: 'demo-dns-abc123.hcp.westus2.azmk8s.io',
    kubeletClientTLSBootstrapToken: TOKEN,
    networkPolicy: '',
    subnetId: SUBNET_ID,
    caBundle: CA_BUNDLE,
  };
}

function certificate(): string {
  const text = readFileSync(new URL('../golden/aks/v1.14.jsonl', import.meta.url), 'utf8');
  const first = JSON.parse(text.slice(0, text.indexOf('\n'))) as { options: { caBundle: string } };
  return first.options.caBundle;
}
