import type { NetworkInterfaceInfo } from 'node:os';
import { compareCodeUnits } from '../../core/problem.ts';

/** Where kube-proxy in IPVS mode puts the address of every Service, so that the kernel takes packets for it. */
const OF_SERVICES: ReadonlySet<string> = new Set(['kube-ipvs0']);

/** The addresses of a node by which others reach it, by what `os.networkInterfaces()` says. */
export function addressesIn(
  interfaces: Readonly<Record<string, readonly Pick<NetworkInterfaceInfo, 'address' | 'internal'>[] | undefined>>,
): readonly string[] {
  const found = Object.entries(interfaces)
    .filter(([name]) => !OF_SERVICES.has(name))
    .flatMap(([, addresses = []]) => addresses)
    .filter(({ address, internal }) => !internal && !isOfOneLink(address))
    .map(({ address }) => address);
  return [...new Set(found)].toSorted(compareCodeUnits);
}

/** 169.254.0.0/16 and fe80::/10: whoever asks there stands on the same link, and names it. */
function isOfOneLink(address: string): boolean {
  return address.startsWith('169.254.') || /^fe[89ab]/i.test(address);
}
