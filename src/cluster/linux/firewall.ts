import { isMapping } from '../../core/mapping.ts';

/** A packet that begins a connection from another machine to a port of this node. */
export interface Packet {
  readonly port: number;
  /** Whether a redirect sent it there. */
  readonly isTranslated: boolean;
}

type Answer = 'yes' | 'no' | 'maybe';
type Verdict = 'accept' | 'drop';

/** A rule in either form: whether it is about the packet, and what it then does. */
export interface Rule {
  readonly matches: Answer;
  readonly does?: Verdict | 'return' | { readonly jump: string; readonly isGoto: boolean };
}

export interface Ruleset {
  readonly chains: ReadonlyMap<string, readonly Rule[]>;
  /** Chains that every packet for this node passes, with what becomes of one that no rule ends. */
  readonly inputs: readonly { readonly name: string; readonly policy: Verdict }[];
}

/**
 * Whether rules let a packet in. What cannot be told of a rule may go either way: where that decides, the answer is
 * `unknown`. A packet has to get through every chain.
 */
export function admission(rulesets: readonly Ruleset[]): 'yes' | 'no' | 'unknown' {
  const outcomes = rulesets.flatMap(({ chains, inputs }) =>
    inputs.map(({ name, policy }) => {
      const { verdicts, mayPass } = walk(chains, name, 0);
      return mayPass ? new Set([...verdicts, policy]) : verdicts;
    }),
  );
  if (outcomes.some((verdicts) => !verdicts.has('accept'))) return 'no';
  return outcomes.some((verdicts) => verdicts.has('drop')) ? 'unknown' : 'yes';
}

/** Chains call each other no deeper than this; the kernel allows 16. */
const DEPTH = 32;

/** What may become of a packet in a chain, and whether it may come out at the end. */
function walk(
  chains: Ruleset['chains'],
  name: string,
  depth: number,
): { readonly verdicts: Set<Verdict>; readonly mayPass: boolean } {
  const verdicts = new Set<Verdict>();
  if (depth > DEPTH) return { verdicts, mayPass: true };
  // Packets that came out of a chain that was gone to, or were sent back.
  let mayReturn = false;
  for (const { matches, does } of chains.get(name) ?? []) {
    if (matches === 'no' || does === undefined) continue;
    const isCertain = matches === 'yes';
    if (does === 'accept' || does === 'drop') {
      verdicts.add(does);
      if (isCertain) return { verdicts, mayPass: mayReturn };
    } else if (does === 'return') {
      mayReturn = true;
      if (isCertain) return { verdicts, mayPass: true };
    } else {
      const inner = walk(chains, does.jump, depth + 1);
      for (const verdict of inner.verdicts) verdicts.add(verdict);
      if (does.isGoto) mayReturn ||= inner.mayPass;
      if (isCertain && (does.isGoto || !inner.mayPass)) return { verdicts, mayPass: mayReturn };
    }
  }
  return { verdicts, mayPass: true };
}

/** Tables that iptables keeps in nftables: it is asked for them itself, since it alone reads all of their rules. */
const OF_IPTABLES: ReadonlySet<unknown> = new Set(['filter', 'nat', 'mangle', 'raw', 'security']);

/**
 * The tables of `nft -j list chains` that have a say in what comes in, as family and name; with `hasIptables` those that
 * iptables keeps are left out.
 */
export function tablesWithInput(listing: string, hasIptables: boolean): readonly (readonly [string, string])[] {
  const tables = entriesOf(listing)
    .map(({ chain }) => chain)
    .filter(isMapping)
    .filter(isInput)
    .filter(({ family, table }) => !(hasIptables && family === 'ip' && OF_IPTABLES.has(table)))
    .map(({ family, table }) => `${String(family)} ${String(table)}`);
  return [...new Set(tables)].map((name) => name.split(' ') as [string, string]);
}

function entriesOf(listing: string): readonly Readonly<Record<string, unknown>>[] {
  return (JSON.parse(listing) as { readonly nftables: readonly Readonly<Record<string, unknown>>[] }).nftables;
}

/** Whether packets for this node that are IPv4 pass a chain before anybody gets them. */
function isInput({ type, hook, family }: Readonly<Record<string, unknown>>): boolean {
  return type === 'filter' && (hook === 'input' || hook === 'prerouting') && (family === 'ip' || family === 'inet');
}

/** The rules of `nft -j list table`. */
export function nftRuleset(listing: string, packet: Packet): Ruleset {
  const chains = new Map<string, Rule[]>();
  const inputs: { name: string; policy: Verdict }[] = [];
  for (const { chain, rule } of entriesOf(listing)) {
    if (isMapping(chain)) {
      const name = String(chain['name']);
      chains.set(name, []);
      if (isInput(chain)) inputs.push({ name, policy: chain['policy'] === 'drop' ? 'drop' : 'accept' });
    }
    if (isMapping(rule) && Array.isArray(rule['expr']))
      chains.get(String(rule['chain']))?.push(nftRule(rule['expr'] as unknown[], packet));
  }
  return { chains, inputs };
}

function nftRule(expressions: readonly unknown[], packet: Packet): Rule {
  let matches: Answer = 'yes';
  for (const expression of expressions) {
    if (!isMapping(expression)) return { matches: 'maybe' };
    const [[kind, value] = ['', undefined]] = Object.entries(expression);
    switch (kind) {
      case 'match':
        matches = both(matches, nftMatch(value, packet));
        break;
      case 'accept':
        return { matches, does: 'accept' };
      case 'drop':
      case 'reject':
        return { matches, does: 'drop' };
      case 'return':
        return { matches, does: 'return' };
      case 'jump':
      case 'goto':
        return {
          matches,
          does: { jump: String(isMapping(value) ? value['target'] : ''), isGoto: kind === 'goto' },
        };
      case 'vmap':
        // It may go anywhere, and end it there.
        return { matches: 'maybe', does: 'drop' };
      case 'counter':
      case 'log':
        break;
      default:
        matches = both(matches, 'maybe');
    }
  }
  return { matches };
}

function nftMatch(value: unknown, { port, isTranslated }: Packet): Answer {
  if (!isMapping(value)) return 'maybe';
  const { op, left, right } = value;
  const isNot = op === '!=';
  const told = (is: boolean | undefined): Answer => (is === undefined ? 'maybe' : is === isNot ? 'no' : 'yes');
  if (!isMapping(left)) return 'maybe';
  const { payload, meta, ct } = left;
  if (isMapping(payload)) {
    const { protocol, field } = payload;
    if (protocol === 'udp' || protocol === 'icmp' || protocol === 'icmpv6' || protocol === 'sctp') return told(false);
    if ((protocol === 'tcp' || protocol === 'th') && field === 'dport') return told(holds(right, port));
    if (protocol === 'ip' && field === 'protocol') return told(holds(right, 'tcp'));
    return isLoopback(right) ? told(false) : 'maybe';
  }
  if (isMapping(meta)) {
    if (meta['key'] === 'l4proto') return told(holds(right, 'tcp'));
    if (meta['key'] === 'nfproto') return told(holds(right, 'ipv4'));
    // It comes from another machine.
    if (meta['key'] === 'iifname' || meta['key'] === 'iif') return right === 'lo' ? told(false) : 'maybe';
    return 'maybe';
  }
  if (isMapping(ct)) {
    if (ct['key'] === 'state') return told(holds(right, 'new'));
    if (ct['key'] === 'status' && holds(right, 'dnat')) return told(isTranslated);
  }
  return 'maybe';
}

/** Whether a value, or a set or a range of them, has one; nothing where that cannot be told, as of a named set. */
function holds(values: unknown, wanted: number | string): boolean | undefined {
  if (Array.isArray(values)) return values.some((value) => holds(value, wanted) ?? false);
  if (isMapping(values)) {
    if ('set' in values) return holds(values['set'], wanted);
    const { range } = values;
    if (Array.isArray(range) && typeof wanted === 'number')
      return Number(range[0]) <= wanted && wanted <= Number(range[1]);
    return undefined;
  }
  if (typeof values === 'string' && values.startsWith('@')) return undefined;
  return values === wanted;
}

function isLoopback(right: unknown): boolean {
  if (typeof right === 'string') return right.startsWith('127.');
  const prefix = isMapping(right) ? right['prefix'] : undefined;
  return isMapping(prefix) && String(prefix['addr']).startsWith('127.');
}

function both(one: Answer, other: Answer): Answer {
  if (one === 'no' || other === 'no') return 'no';
  return one === 'maybe' || other === 'maybe' ? 'maybe' : 'yes';
}

/** The rules of `iptables-save -t filter`. */
export function iptablesRuleset(saved: string, packet: Packet): Ruleset {
  const chains = new Map<string, Rule[]>();
  const inputs: { name: string; policy: Verdict }[] = [];
  for (const line of saved.split('\n')) {
    const [, chain, policy] = /^:(\S+) (\S+)/.exec(line) ?? [];
    if (chain !== undefined) {
      chains.set(chain, chains.get(chain) ?? []);
      if (chain === 'INPUT') inputs.push({ name: chain, policy: policy === 'ACCEPT' ? 'accept' : 'drop' });
    }
    const [, name = '', rest = ''] = /^-A (\S+) (.*)$/.exec(line) ?? [];
    if (name !== '') chains.get(name)?.push(iptablesRule(wordsOf(rest), packet));
  }
  return { chains, inputs };
}

/** Words as `iptables-save` quotes them. */
function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);
}

const TARGETS: Readonly<Record<string, Rule['does']>> = {
  ACCEPT: 'accept',
  DROP: 'drop',
  REJECT: 'drop',
  RETURN: 'return',
};

/** Flags that say nothing of the packet, with the number of their values. */
const SILENT: Readonly<Record<string, number>> = { '-m': 1, '--comment': 1 };

function iptablesRule(words: readonly string[], packet: Packet): Rule {
  let matches: Answer = 'yes';
  for (let at = 0; at < words.length; at += 1) {
    const isNot = words[at] === '!';
    if (isNot) at += 1;
    const flag = words[at]!;
    const value = words[at + 1] ?? '';
    if (flag === '-j' || flag === '-g') {
      if (value in TARGETS) return { matches, does: TARGETS[value]! };
      // Others, such as LOG and MARK, let it go on; a chain that is not ours to see is looked up and found empty.
      return { matches, does: { jump: value, isGoto: flag === '-g' } };
    }
    if (flag in SILENT) {
      at += SILENT[flag]!;
      continue;
    }
    const is = iptablesMatch(flag, value, packet);
    matches = both(matches, is === undefined ? 'maybe' : is === isNot ? 'no' : 'yes');
    // What is not known may have any number of values, and none of them begins like a flag.
    while (at + 1 < words.length && !words[at + 1]!.startsWith('-') && words[at + 1] !== '!') at += 1;
  }
  return { matches };
}

function iptablesMatch(flag: string, value: string, { port, isTranslated }: Packet): boolean | undefined {
  switch (flag) {
    case '-p':
      return value === 'tcp' || value === 'all';
    case '--dport':
      return isInPorts(value, port);
    case '--dports':
      return value.split(',').some((part) => isInPorts(part, port));
    case '-i':
      return value === 'lo' ? false : undefined;
    case '-s':
    case '-d':
      return value.startsWith('127.') ? false : undefined;
    case '--ctstate':
      if (value.split(',').includes('NEW')) return true;
      return value.split(',').includes('DNAT') ? isTranslated : false;
    case '--ctstatus':
      return undefined;
    default:
      return undefined;
  }
}

function isInPorts(text: string, port: number): boolean {
  const [from = '', to = from] = text.split(':');
  return Number(from || 0) <= port && port <= Number(to || 65_535);
}
