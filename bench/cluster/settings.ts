import { DEFAULT_KUBERNETES, kubernetesVersion } from './versions.ts';
import { usageError } from './errors.ts';

export const IP_FAMILIES = ['ipv4', 'ipv6', 'dual'] as const;
export const PROXIES = ['iptables', 'nftables', 'none'] as const;
export type IpFamily = (typeof IP_FAMILIES)[number];
export type Proxy = (typeof PROXIES)[number];

/** What a cluster of the bench is made of. */
export interface Settings {
  /** Release of Kubernetes, such as v1.35.4, the default. */
  readonly kubernetes: string;
  /** Number of control-plane nodes, 1 (the default) to 7. From 2 on they stand behind a load balancer. */
  readonly controlPlanes: number;
  /** Number of workers, 0 to 32; default 1. */
  readonly workers: number;
  /** Addresses of nodes, Pods and Services; default ipv4. */
  readonly ipFamily: IpFamily;
  /** Mode of kube-proxy, or none; default iptables. */
  readonly proxy: Proxy;
  /** Whether each node has a firewall that admits what a kubeadm cluster needs, and nothing else. */
  readonly hostFirewall: boolean;
}

/** Flags as they were typed. */
export interface SettingFlags {
  readonly kubernetes?: string | undefined;
  readonly 'control-planes'?: string | undefined;
  readonly workers?: string | undefined;
  readonly 'ip-family'?: string | undefined;
  readonly proxy?: string | undefined;
  readonly 'host-firewall'?: boolean | undefined;
}

export function readSettings(flags: SettingFlags): Settings {
  return {
    kubernetes: kubernetesVersion(flags.kubernetes ?? DEFAULT_KUBERNETES),
    controlPlanes: count('--control-planes', flags['control-planes'] ?? '1', 1, 7),
    workers: count('--workers', flags.workers ?? '1', 0, 32),
    ipFamily: oneOf('--ip-family', flags['ip-family'] ?? 'ipv4', IP_FAMILIES),
    proxy: oneOf('--proxy', flags.proxy ?? 'iptables', PROXIES),
    hostFirewall: flags['host-firewall'] ?? false,
  };
}

function count(flag: string, text: string, least: number, most: number): number {
  const number = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw usageError(`${flag} takes a number from ${least} to ${most}, not ${JSON.stringify(text)}`, `As in ${flag} 1.`);
}

function oneOf<T extends string>(flag: string, text: string, known: readonly T[]): T {
  const value = known.find((one) => one === text);
  if (value !== undefined) return value;
  throw usageError(`${flag} takes no ${JSON.stringify(text)}`, `Known: ${known.join(', ')}.`);
}

/** The flags that give these settings, for people. */
export function settingsText(settings: Settings): string {
  return [
    `Kubernetes ${settings.kubernetes}`,
    `${settings.controlPlanes} control plane${settings.controlPlanes === 1 ? '' : 's'}`,
    `${settings.workers} worker${settings.workers === 1 ? '' : 's'}`,
    settings.ipFamily === 'dual' ? 'IPv4 and IPv6' : settings.ipFamily === 'ipv4' ? 'IPv4' : 'IPv6',
    settings.proxy === 'none' ? 'no kube-proxy' : `kube-proxy with ${settings.proxy}`,
    ...(settings.hostFirewall ? ['a firewall on each node'] : []),
  ].join(', ');
}
