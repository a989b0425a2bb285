import type { RunResult } from '../../control-plane/operations/execute.ts';
import type { SandboxEntry, SandboxRun } from '../../control-plane/rehearsal/sandbox.ts';
import type { Station } from '../../control-plane/operations/station.ts';
import { UsageError } from '../../core/errors.ts';
import type { Io } from '../io.ts';
import { openNode } from './node-place.ts';
import { openSimulation } from './simulated-place.ts';

/** Flags that say where a change is made. */
export const PLACE_FLAGS = {
  kubeconfig: { type: 'string' },
  node: { type: 'string' },
  'cri-socket': { type: 'string' },
  'manifests-dir': { type: 'string' },
  simulated: { type: 'string' },
  nodes: { type: 'string' },
  seed: { type: 'string' },
} as const;

export const PLACE_HELP = `      --kubeconfig FILE    of an administrator; default /etc/kubernetes/admin.conf
      --node NAME          name of this node in the cluster; default what its kubelet says
      --cri-socket PATH    of the container runtime; default that of the kubelet
      --manifests-dir DIR  of static Pods; default /etc/kubernetes/manifests
      --simulated FILE     the simulated cluster that the file tells of, and no real node; made where there is none.
                           --node is the node that bootlace stands on there, default cp1. Of a new one:
      --nodes N            nodes with a control plane, 1 (default) or 3
      --seed N             everything that is left to chance follows from it; default 1
      --manifests-dir DIR  manifests of a node as kubeadm writes them; default those of a new node`;

export interface PlaceFlags {
  readonly kubeconfig?: string | undefined;
  readonly node?: string | undefined;
  readonly 'cri-socket'?: string | undefined;
  readonly 'manifests-dir'?: string | undefined;
  readonly simulated?: string | undefined;
  readonly nodes?: string | undefined;
  readonly seed?: string | undefined;
}

/** What is done somewhere, but for what the place itself knows. */
export type Entry = Omit<SandboxEntry, 'id' | 'node'>;

/** Where a command works: this node, or one of a simulated cluster. */
export interface Place {
  readonly node: string;
  readonly isSimulated: boolean;
  /** A name for the next run. */
  readonly nextId: (verb: SandboxEntry['verb']) => string;
  station(): Station;
  run(entry: Entry, id: string, options: SandboxRun): Promise<RunResult>;
  /** Keeps what was done, and lets go of what is open. */
  close(): Promise<void>;
}

/**
 * Opens the place that the flags name.
 *
 * @throws UsageError where there is none, or flags of both kinds are given.
 */
export function openPlace(flags: PlaceFlags, command: string, io: Pick<Io, 'now'>): Promise<Place> {
  const { kubeconfig, 'cri-socket': socket, nodes, seed, simulated } = flags;
  if (simulated === undefined) {
    refuse({ nodes, seed }, '--simulated FILE is missing, and it is of that alone');
    return openNode(flags, io);
  }
  refuse({ kubeconfig, 'cri-socket': socket }, 'it is of a real node, and the cluster is simulated');
  return openSimulation({ ...flags, simulated }, command);
}

function refuse(given: Readonly<Record<string, string | undefined>>, why: string): void {
  const one = Object.entries(given).find(([, value]) => value !== undefined);
  if (one !== undefined) throw new UsageError(`--${one[0]} is given: ${why}`, 'Leave it out.');
}
