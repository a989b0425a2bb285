import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hostFirewall } from '../../../bench/cluster/network.ts';
import { planAddresses } from '../../../bench/cluster/addresses.ts';
import { needs } from '../../../test/support/needs.ts';
import { openNetwork, type Network } from '../../../test/support/network.ts';
import { admission, iptablesRuleset, nftRuleset, tablesWithInput } from './firewall.ts';

const [cp1] = planAddresses({ controlPlanes: 1, workers: 0, ipFamily: 'ipv4' }).nodes;

/** What kube-proxy and the kubelet of a kubeadm node have in the way of a packet that comes in. */
const KUBERNETES = `*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:KUBE-FIREWALL - [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-PROXY-FIREWALL - [0:0]
-A INPUT -m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL
-A INPUT -m comment --comment "kubernetes health check service ports" -j KUBE-NODEPORTS
-A INPUT -j KUBE-FIREWALL
-A KUBE-FIREWALL ! -s 127.0.0.0/8 -d 127.0.0.0/8 -m comment --comment "block incoming localnet connections" -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP
COMMIT
`;

describe.skipIf(!needs('network namespace'))('rules as the node has them', () => {
  let network: Network;
  beforeEach(async () => {
    network = await openNetwork();
  });
  afterEach(() => network.end());

  async function asked(port: number, isTranslated: boolean): Promise<string> {
    const packet = { port, isTranslated };
    const rulesets = [iptablesRuleset(await network.run('iptables-save', ['-t', 'filter']), packet)];
    for (const [family, name] of tablesWithInput(await network.run('nft', ['-j', 'list', 'chains']), true))
      rulesets.push(nftRuleset(await network.run('nft', ['-j', 'list', 'table', family, name]), packet));
    return admission(rulesets);
  }

  const nft = (script: string): Promise<string> => network.run('nft', ['-f', '-'], script);
  const iptables = (script: string): Promise<string> => network.run('iptables-restore', [], script);

  test('none let everything in', async () => {
    expect(await asked(6444, true)).toBe('yes');
  });

  test('of a kubeadm node let everything in', async () => {
    await iptables(KUBERNETES);
    expect(await asked(6444, true)).toBe('yes');
    expect(await asked(6443, false)).toBe('yes');
  });

  test('of a careful operator let in the port of the server alone', async () => {
    await iptables(KUBERNETES);
    await nft(hostFirewall(cp1!));
    expect(await asked(6443, false)).toBe('yes');
    expect(await asked(6444, true)).toBe('no');
    expect(await asked(30_001, false)).toBe('yes');
  });

  test('may let in what was translated', async () => {
    await nft(hostFirewall(cp1!).replace('policy drop;', 'policy drop;\n    ct status dnat accept'));
    expect(await asked(6444, true)).toBe('yes');
    expect(await asked(6444, false)).toBe('no');
  });

  test('in chains that are called, with sets, ranges and verdicts of every kind', async () => {
    await nft(`table inet f {
  set allowed { type inet_service; elements = { 1 } }
  chain web { tcp dport { 80, 443, 6000-6500 } accept; return; }
  chain input { type filter hook input priority 0; policy accept; counter; tcp dport 22 log accept; jump web; udp dport 6600 drop; tcp dport 6600-6700 reject; goto rest; }
  chain rest { tcp dport != 7000 accept; drop; }
}`);
    expect(await asked(6444, false)).toBe('yes');
    expect(await asked(6650, false)).toBe('no');
    expect(await asked(6701, false)).toBe('yes');
    expect(await asked(7000, false)).toBe('no');
  });

  test('that go by what cannot be known here are told so', async () => {
    await nft(`table inet f {
  set allowed { type inet_service; elements = { 6444 } }
  chain input { type filter hook input priority 0; policy drop; tcp dport @allowed accept; ip saddr 10.0.0.0/8 tcp dport 7000 accept; }
}`);
    expect(await asked(6444, false)).toBe('unknown');
    expect(await asked(7000, false)).toBe('unknown');
    expect(await asked(7001, false)).toBe('unknown');
  });

  test('of another place, or of another protocol, are no matter', async () => {
    await nft(`table inet f {
  chain forward { type filter hook forward priority 0; policy drop; }
  chain input { type filter hook input priority 0; policy accept; iifname "lo" drop; meta l4proto udp drop; ct state established drop; }
}`);
    expect(await asked(6444, false)).toBe('yes');
  });

  test('of iptables let in by lists of ports, by state and by translation', async () => {
    await iptables(`*filter
:INPUT DROP [0:0]
:OUTPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
:ours - [0:0]
-A INPUT -i lo -j ACCEPT
-A INPUT -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A INPUT -p udp -m udp --dport 6444 -j ACCEPT
-A INPUT -p tcp -m multiport --dports 22,6443,8000:8100 -j ACCEPT
-A INPUT -m conntrack --ctstate DNAT -m comment --comment "a \\"quoted\\" -j DROP" -j ours
-A ours -p tcp -j ACCEPT
COMMIT
`);
    expect(await asked(6443, false)).toBe('yes');
    expect(await asked(8050, false)).toBe('yes');
    expect(await asked(6444, false)).toBe('no');
    expect(await asked(6444, true)).toBe('yes');
  });
});
