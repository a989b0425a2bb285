import { readFile, statfs } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { isIPv6 } from 'node:net';
import { openConnections, type ConnectSettings } from '../kubernetes/client.ts';
import type { Cluster } from '../api.ts';
import type { Endpoint, Host } from '../host.ts';
import { addressesIn } from './addresses.ts';
import { createBoot, WANTS } from './boot.ts';
import { certificatesIn } from './certificates.ts';
import { CommandError, runCommand, type Run } from './commands.ts';
import { createRuntime } from './cri.ts';
import { membersOf, saveSnapshot } from './etcd.ts';
import { createFiles } from './files.ts';
import { admission, iptablesRuleset, nftRuleset, tablesWithInput, type Packet } from './firewall.ts';
import { memoryAvailableIn, portsIn } from './proc.ts';
import { listenersIn, processesIn, programsIn } from './processes.ts';
import { familyOf, OWN_ADDRESS } from './redirect-rules.ts';
import { createRedirects } from './redirects.ts';
import { findNodeName, findRuntimeSocket } from './kubelet.ts';

export interface LinuxSettings extends ConnectSettings {
  /** Name of its Node object. Default: what the kubelet calls itself to the API. */
  readonly nodeName?: string;
  /** Socket of the container runtime. Default: that of the kubelet. */
  readonly runtimeSocket?: string;
}

/** A real node that this program stands on, and the API of its cluster. */
export interface LinuxNode {
  readonly host: Host;
  readonly cluster: Cluster;
  /** Closes connections to the container runtime, which would keep the program alive. */
  close(): void;
}

const KUBERNETES = '/etc/kubernetes';
const PROC = '/proc';
/** They go with the last file in them. */
const OWN_DIRECTORIES: ReadonlySet<string> = new Set(['/etc/kubernetes/bootlace', WANTS]);
/** Other programs that change a control plane. */
const TOOLS: ReadonlySet<string> = new Set(['kubeadm']);

/**
 * The node that this program runs on, as root. Nothing is changed by opening it.
 *
 * @throws ClusterError with code `CLIENT_MISSING` or `KUBECONFIG_INVALID`.
 */
export async function openLinuxNode(settings: LinuxSettings): Promise<LinuxNode> {
  const connection = await openConnections(settings);
  const nodeName = settings.nodeName ?? (await findNodeName());
  const runtime = createRuntime(settings.runtimeSocket ?? (await findRuntimeSocket()));
  const run = runCommand;
  const files = createFiles(OWN_DIRECTORIES);

  function connect(endpoint: Endpoint, { direct = false, token }: { direct?: boolean; token?: string } = {}): Cluster {
    const { address, port } = endpoint;
    return connection({
      server: `https://${isIPv6(address) ? `[${address}]` : address}:${port}`,
      ...(token !== undefined && { token }),
      ...(direct && { localAddress: OWN_ADDRESS[familyOf(endpoint)] }),
    });
  }

  const host: Host = {
    nodeName,
    hostName: hostname(),
    files,
    redirect: createRedirects(run, Date.now, createBoot(files)),
    processes: () => processesIn(PROC),
    listeners: () => listenersIn(PROC),
    containers: () => runtime.containers(),
    stopContainer: (id, graceSeconds) => runtime.stop(id, graceSeconds),
    admits: (port, isTranslated) => admits(run, { port, isTranslated }),
    addresses: async () => addressesIn(networkInterfaces()),
    images: () => runtime.images(),
    pullImage: (name) => runtime.pull(name),
    connect,
    facts: async () => {
      const [meminfo, range, disk, programs, certificates] = await Promise.all([
        readFile(`${PROC}/meminfo`, 'latin1'),
        readFile(`${PROC}/sys/net/ipv4/ip_local_port_range`, 'latin1'),
        statfs(KUBERNETES),
        programsIn(PROC),
        certificatesIn(KUBERNETES),
      ]);
      return {
        now: Date.now(),
        memoryAvailableBytes: memoryAvailableIn(meminfo),
        diskFreeBytes: disk.bavail * disk.bsize,
        ephemeralPorts: portsIn(range),
        programs: programs.filter((name) => TOOLS.has(name)),
        certificates,
      };
    },
    etcdMembers: membersOf,
    saveEtcd: saveSnapshot,
  };
  return { host, cluster: connection(), close: () => runtime.close() };
}

/** By the rules of the node, in both forms that it may have. */
async function admits(run: Run, packet: Packet): Promise<'yes' | 'no' | 'unknown'> {
  const read = async (program: string, args: readonly string[]): Promise<string | undefined> => {
    try {
      return await run(program, args);
    } catch (error) {
      // A node without the program has no rules of it.
      if (error instanceof CommandError && error.code === 'ENOENT') return undefined;
      throw error;
    }
  };
  try {
    const saved = await read('iptables-save', ['-t', 'filter']);
    const chains = await read('nft', ['-j', 'list', 'chains']);
    if (saved === undefined && chains === undefined) return 'unknown';
    const rulesets = saved === undefined ? [] : [iptablesRuleset(saved, packet)];
    // A table for each: that of a proxy for thousands of Services is asked for only where it filters.
    for (const [family, name] of chains === undefined ? [] : tablesWithInput(chains, saved !== undefined))
      rulesets.push(nftRuleset(await run('nft', ['-j', 'list', 'table', family, name]), packet));
    return admission(rulesets);
  } catch (error) {
    if (error instanceof CommandError) return 'unknown';
    throw error;
  }
}
