import {
  isClusterError,
  type Cluster,
  type ConfigMapObject,
  type EventObject,
  type LeaseObject,
} from '../../cluster/api.ts';
import type { Clock } from '../../core/clock.ts';
import { CONTROL_PLANE_NAMESPACE } from '../selfhosting/labels.ts';
import { nodeKey, RUN_LABEL } from '../selfhosting/modern/facts.ts';
import { removeProof } from '../strategies/proof.ts';
import { StepError, type StepEvent } from '../strategies/steps.ts';
import type { Journal } from './journal.ts';

/** The one Lease under which control planes of a cluster are changed: one node at a time. */
export const RUN_LEASE = { kind: 'Lease', namespace: CONTROL_PLANE_NAMESPACE, name: 'bootlace-control-plane' } as const;

const MANAGER = 'bootlace';

/** What the cluster is told of a run. It serves those who look; the run itself goes by the node's disk. */
export interface Announcer {
  /**
   * Takes the Lease. It does not expire: a run that was killed has left a node half-way, and no other node may be changed
   * until somebody has gone on with it or taken it back there.
   *
   * @throws StepError with code `RUN_HELD` where the run of another node has it.
   */
  acquire(): Promise<void>;
  save(journal: Journal): Promise<void>;
  /** As an Event of the Node. */
  tell(event: StepEvent): Promise<void>;
  /** Removes all that it has stored, as far as the API can be reached; says whether that was done. */
  release(): Promise<boolean>;
}

export interface AnnouncerSettings {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly nodeName: string;
  /** Milliseconds since 1970, for people and for other programs. */
  readonly now: () => number;
  /** Of the run. */
  readonly id: string;
}

/** How long nothing is said after an API that did not listen, in milliseconds: a way back must not wait for it. */
const SILENCE = 30_000;
const ATTEMPTS = 5;
const PAUSE = 500;

export function createAnnouncer({ cluster, clock, nodeName, now, id }: AnnouncerSettings): Announcer {
  const holderIdentity = `${nodeName} ${id}`;
  const copy = { kind: 'ConfigMap', namespace: CONTROL_PLANE_NAMESPACE, name: copyName(nodeName) } as const;
  let silentUntil = -Infinity;

  /** What nobody depends on is tried once. */
  async function quietly(work: () => Promise<unknown>): Promise<boolean> {
    if (clock.now() < silentUntil) return false;
    try {
      await work();
      return true;
    } catch {
      silentUntil = clock.now() + SILENCE;
      return false;
    }
  }

  async function take(): Promise<void> {
    const time = microTime(now());
    const found = await leaseOf(cluster);
    if (found === undefined) {
      await cluster.create(newLease(holderIdentity, time), { fieldManager: MANAGER });
      return;
    }
    const holder = found.spec.holderIdentity ?? '';
    if (holder !== '' && nodeOf(holder) !== nodeName) throw new StepError('RUN_HELD', heldMessage(nodeOf(holder)));
    await cluster.update(
      { ...found, spec: { ...found.spec, holderIdentity, acquireTime: time, renewTime: time } },
      { fieldManager: MANAGER },
    );
  }

  return {
    acquire: async () => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await take();
        } catch (error) {
          // Somebody else may have been a moment earlier, or it was us and nobody heard of it.
          if (attempt === ATTEMPTS || (error instanceof StepError && error.code === 'RUN_HELD')) throw error;
        }
        await clock.sleep(PAUSE);
      }
    },
    save: async (journal) => {
      await quietly(() => cluster.apply<ConfigMapObject>(copyOf(journal), { fieldManager: MANAGER, force: true }));
    },
    tell: async (event) => {
      await quietly(() => cluster.create(eventOf(event, nodeName, id, now()), { fieldManager: MANAGER }));
    },
    release: async () => {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        if (attempt > 1) await clock.sleep(PAUSE);
        silentUntil = -Infinity;
        if (await quietly(forget)) return true;
      }
      return false;
    },
  };

  async function forget(): Promise<void> {
    await removeProof(cluster, nodeName);
    await remove(() => cluster.delete(copy));
    const lease = await leaseOf(cluster);
    if (lease === undefined || nodeOf(lease.spec.holderIdentity ?? '') !== nodeName) return;
    const { resourceVersion } = lease.metadata;
    await remove(() =>
      cluster.delete(RUN_LEASE, resourceVersion === undefined ? {} : { preconditions: { resourceVersion } }),
    );
  }
}

/** The Lease as it is, if it is there. */
export async function leaseOf(cluster: Cluster): Promise<LeaseObject | undefined> {
  try {
    return await cluster.get(RUN_LEASE);
  } catch (error) {
    if (isClusterError(error, 'NOT_FOUND')) return undefined;
    throw error;
  }
}

/** The node on which a run is that holds the Lease. */
export function nodeOf(holder: string): string {
  return holder.split(' ', 1)[0]!;
}

export function heldMessage(node: string): string {
  return `A run on ${node} has not come to its end: one node of a control plane is changed at a time.`;
}

function copyName(nodeName: string): string {
  return `bootlace-run-${nodeKey(nodeName)}`;
}

/** Without the manifests: who may read a ConfigMap may not be who may read the node's files. */
function copyOf({ id, strategy, node, direction, steps }: Journal): ConfigMapObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: copyName(node), namespace: CONTROL_PLANE_NAMESPACE, labels: { [RUN_LABEL]: nodeKey(node) } },
    data: { journal: `${JSON.stringify({ id, strategy, node, direction, steps }, undefined, 2)}\n` },
  };
}

const TOLD: Readonly<Record<StepEvent['type'], { readonly reason: string; readonly word: string }>> = {
  started: { reason: 'BootlaceStepStarted', word: 'begins' },
  done: { reason: 'BootlaceStepDone', word: 'is done' },
  failed: { reason: 'BootlaceStepFailed', word: 'failed' },
  undoing: { reason: 'BootlaceStepUndoing', word: 'is taken back' },
  undone: { reason: 'BootlaceStepUndone', word: 'was taken back' },
  'undo-failed': { reason: 'BootlaceUndoFailed', word: 'could not be taken back' },
};

/** Longest message that the API takes, in characters. */
const MESSAGE_LIMIT = 1024;

function eventOf(event: StepEvent, nodeName: string, id: string, now: number): EventObject {
  const { reason, word } = TOLD[event.type];
  const time = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
  const message = `${event.step.name} ${word}${'reason' in event ? `: ${event.reason}` : ''} (run ${id})`;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { generateName: `${nodeName}.bootlace-`, namespace: 'default' },
    involvedObject: { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeName },
    reason,
    message: message.length > MESSAGE_LIMIT ? `${message.slice(0, MESSAGE_LIMIT - 1)}…` : message,
    type: 'reason' in event ? 'Warning' : 'Normal',
    source: { component: 'bootlace', host: nodeName },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
}

export function newLease(holderIdentity: string, now: string): LeaseObject {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: RUN_LEASE.name, namespace: RUN_LEASE.namespace },
    spec: { holderIdentity, acquireTime: now, renewTime: now },
  };
}

/** RFC 3339 with microseconds, as Leases have it. */
function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z');
}

async function remove(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isClusterError(error, 'NOT_FOUND')) throw error;
  }
}
