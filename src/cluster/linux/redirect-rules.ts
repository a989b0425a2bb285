import { isIPv6 } from 'node:net';
import { isMapping } from '../../core/mapping.ts';
import { compareCodeUnits } from '../../core/problem.ts';
import type { Endpoint, Redirect } from '../host.ts';

/**
 * Addresses that bootlace asks from to get past a redirect, by family. Nobody else asks for an address of the node from
 * there, and unlike a range of source ports it keeps no stranger out.
 */
export const OWN_ADDRESS = { ip: '127.0.0.2', ip6: '::1' } as const;

/** Name of the table, and of chains: everything of ours is in there. */
const NAME = 'bootlace';
/** Before every other translation, that of kube-proxy too: theirs come at -100. */
const PRIORITY = -110;

/** The family of nftables and of iptables. */
export type Family = keyof typeof OWN_ADDRESS;

export function familyOf({ address }: Endpoint): Family {
  return isIPv6(address) ? 'ip6' : 'ip';
}

/** The part of a redirect that the rules of one family make, and where they send a packet. */
interface Part {
  readonly family: Family;
  readonly from: readonly Endpoint[];
  /** As both programs write it: an endpoint, or a port alone where the address stays. */
  readonly target: string;
}

/** A redirect has one part for each family that it has endpoints of. */
export function familiesOf({ from, to }: Redirect): readonly Family[] {
  const main = familyOf(to);
  return FAMILIES.filter((family) => family === main || from.some((endpoint) => familyOf(endpoint) === family));
}

export const FAMILIES = ['ip', 'ip6'] as const satisfies readonly Family[];

function partOf({ from, to }: Redirect, family: Family): Part {
  return {
    family,
    from: from.filter((endpoint) => familyOf(endpoint) === family),
    target: familyOf(to) === family ? endpointText(to) : `:${to.port}`,
  };
}

/**
 * The form of `nft -f` that begins or replaces a redirect in one piece. No hook is ever taken away: without another one the
 * kernel would forget the connections that it carries.
 */
export function nftSet(redirect: Redirect, seconds: number | undefined): string {
  return familiesOf(redirect)
    .map((family) => nftPart(partOf(redirect, family), seconds))
    .join('');
}

function nftPart({ family, from, target }: Part, seconds: number | undefined): string {
  const elements = from.map(
    ({ address, port }) => `${address} . ${port}${seconds === undefined ? '' : ` timeout ${seconds}s`}`,
  );
  const translated = `${family} daddr . tcp dport @targets dnat to ${target}`;
  return `add table ${family} ${NAME}
add set ${family} ${NAME} targets { type ${family === 'ip' ? 'ipv4_addr' : 'ipv6_addr'} . inet_service; flags timeout; }
add chain ${family} ${NAME} prerouting { type nat hook prerouting priority ${PRIORITY}; policy accept; }
add chain ${family} ${NAME} output { type nat hook output priority ${PRIORITY}; policy accept; }
flush chain ${family} ${NAME} prerouting
flush chain ${family} ${NAME} output
add rule ${family} ${NAME} prerouting ${translated}
add rule ${family} ${NAME} output ${family} saddr ${OWN_ADDRESS[family]} return
add rule ${family} ${NAME} output ${translated}
flush set ${family} ${NAME} targets
${elements.length === 0 ? '' : `add element ${family} ${NAME} targets { ${elements.join(', ')} }\n`}`;
}

/** Ends a redirect for new connections; those that it carries go on. */
export function nftEnd(family: Family): string {
  return `flush set ${family} ${NAME} targets\n`;
}

/** Takes away what {@link nftEnd} leaves. */
export function nftForget(family: Family): string {
  return `delete table ${family} ${NAME}\n`;
}

export function nftList(family: Family): readonly string[] {
  return ['-j', 'list', 'table', family, NAME];
}

/** What the rules of one family say: where no address is, each packet keeps its own. */
export interface FoundPart {
  readonly from: readonly Endpoint[];
  readonly address?: string;
  readonly port: number;
}

/** The redirect that parts of both families make; nothing where no packet is sent anywhere. */
export function joined(parts: readonly (FoundPart | undefined)[]): Redirect | undefined {
  const found = parts.filter((part) => part !== undefined);
  const main = found.find(({ address }) => address !== undefined) ?? found[0];
  if (main === undefined) return undefined;
  const from = found.flatMap((part) => part.from).toSorted(byEndpoint);
  return { from, to: { address: main.address ?? from[0]!.address, port: main.port } };
}

/** What `nft -j list table` says of the redirect; nothing where it has none. */
export function redirectIn(listing: string): FoundPart | undefined {
  const { nftables } = JSON.parse(listing) as { readonly nftables: readonly Readonly<Record<string, unknown>>[] };
  const set = nftables.map((entry) => entry['set']).find(isMapping);
  const from = (Array.isArray(set?.['elem']) ? set['elem'] : []).flatMap((element: unknown): readonly Endpoint[] => {
    // One with a timeout is wrapped.
    const value = isMapping(element) && isMapping(element['elem']) ? element['elem']['val'] : element;
    const [address, port] = isMapping(value) && Array.isArray(value['concat']) ? (value['concat'] as unknown[]) : [];
    return typeof address === 'string' && typeof port === 'number' ? [{ address, port }] : [];
  });
  const to = nftables
    .map((entry) => entry['rule'])
    .filter(isMapping)
    .flatMap(({ expr }) => (Array.isArray(expr) ? (expr as unknown[]) : []))
    .map((expression) => (isMapping(expression) ? expression['dnat'] : undefined))
    .find(isMapping);
  if (from.length === 0 || typeof to?.['port'] !== 'number') return undefined;
  const { addr, port } = to;
  return { from, port: port as number, ...(typeof addr === 'string' && { address: addr }) };
}

const CHAINS = { all: 'BOOTLACE', own: 'BOOTLACE-OUTPUT' } as const;

/** The jumps to our chains, as `iptables-save` prints them. */
const JUMPS = [`PREROUTING -j ${CHAINS.all}`, `OUTPUT -j ${CHAINS.own}`] as const;

/**
 * The part of one family as input of `iptables-restore --noflush`, by what `iptables-save -t nat` said. `until` is the moment
 * at which it ends, in milliseconds since 1970.
 */
export function iptablesSet(redirect: Redirect, family: Family, until: number | undefined, saved: string): string {
  const { from, target } = partOf(redirect, family);
  const bits = family === 'ip' ? 32 : 128;
  // The kernel compares with its own clock, in universal time.
  const time = until === undefined ? '' : ` -m time --datestop ${new Date(until).toISOString().slice(0, 19)}`;
  const rules = from.map(
    ({ address, port }) =>
      `-A ${CHAINS.all} -d ${address}/${bits} -p tcp -m tcp --dport ${port}${time} -j DNAT --to-destination ${target}`,
  );
  const lines = saved.split('\n');
  const jumps = JUMPS.filter((jump) => !lines.includes(`-A ${jump}`)).map((jump) => `-I ${jump.replace(' ', ' 1 ')}`);
  return restored([
    `:${CHAINS.all} - [0:0]`,
    `:${CHAINS.own} - [0:0]`,
    ...rules,
    `-A ${CHAINS.own} -s ${OWN_ADDRESS[family]}/${bits} -j RETURN`,
    `-A ${CHAINS.own} -j ${CHAINS.all}`,
    ...jumps,
  ]);
}

export function iptablesEnd(): string {
  return restored([`:${CHAINS.all} - [0:0]`]);
}

export function iptablesForget(saved: string): string {
  const lines = saved.split('\n');
  const jumps = JUMPS.filter((jump) => lines.includes(`-A ${jump}`)).map((jump) => `-D ${jump}`);
  return restored([
    `:${CHAINS.all} - [0:0]`,
    `:${CHAINS.own} - [0:0]`,
    ...jumps,
    `-X ${CHAINS.own}`,
    `-X ${CHAINS.all}`,
  ]);
}

/** Whether `iptables-save -t nat` shows anything of ours. */
export function isInIptables(saved: string): boolean {
  return saved.includes(`:${CHAINS.all} `);
}

/** What `iptables-save -t nat` says of the redirect, at a moment in milliseconds since 1970. */
export function redirectInIptables(saved: string, now: number): FoundPart | undefined {
  const rules = saved.split('\n').flatMap((line) => {
    const match = /^-A BOOTLACE -d (\S+)\/\d+ -p tcp .*--dport (\d+) .*-j DNAT --to-destination (\S+)$/.exec(line);
    const until = /--datestop (\S+)/.exec(line)?.[1];
    if (match === null || (until !== undefined && Date.parse(`${until}Z`) < now)) return [];
    return [{ from: { address: match[1]!, port: Number(match[2]) }, to: endpointOf(match[3]!) }];
  });
  const [first] = rules;
  if (first === undefined) return undefined;
  const { address, port } = first.to;
  return { from: rules.map(({ from }) => from), port, ...(address !== '' && { address }) };
}

function restored(lines: readonly string[]): string {
  return ['*nat', ...lines, 'COMMIT', ''].join('\n');
}

function endpointText({ address, port }: Endpoint): string {
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
}

function endpointOf(text: string): Endpoint {
  const [, address = '', port] = /^\[?(.*?)\]?:(\d+)$/.exec(text)!;
  return { address, port: Number(port) };
}

function byEndpoint(a: Endpoint, b: Endpoint): number {
  return compareCodeUnits(a.address, b.address) || a.port - b.port;
}
