import type { LeaseRecord } from './records.ts';

/** A process of a component on a node, as this computer saw it. Times are milliseconds since 1970. */
export interface ProcessLife {
  /** kube-controller-manager or kube-scheduler, which is the name of its lease too. */
  readonly component: string;
  readonly node: string;
  readonly id: number;
  /** When it was first seen. */
  readonly seen: number;
  /** When it was gone. */
  readonly ended?: number;
}

/** Leadership that went from one holder to another. */
export interface LeaseChange {
  readonly component: string;
  readonly from: string;
  /** The next holder; empty when there was none to the end. */
  readonly to: string;
  /** When the leading process ended; nothing if it outlived its lease. */
  readonly ended?: number;
  /** When the next holder acquired the lease, or the end of the measurement. */
  readonly acquired: number;
  /** Milliseconds without a leader: from the end of its process, or from its last renewal if that was not seen. */
  readonly gap: number;
}

/** Every change of leadership in what was seen of the leases, and every leader that was gone at the end. */
export function leaseChanges(
  records: readonly LeaseRecord[],
  lives: readonly ProcessLife[],
  end: number,
): LeaseChange[] {
  const changes: LeaseChange[] = [];
  const last = new Map<string, LeaseRecord>();
  for (const record of records.toSorted((a, b) => a.at - b.at)) {
    const before = last.get(record.name);
    // One that gives its lease back writes an empty holder first.
    const holder = record.holder === '' ? (before?.holder ?? '') : record.holder;
    const renewed = record.holder === '' ? (before?.renewed ?? record.renewed) : record.renewed;
    if (before !== undefined && before.holder !== '' && before.holder !== holder) {
      changes.push(changeOf(before, record, lives));
    }
    last.set(record.name, { ...record, holder, renewed });
  }
  for (const lease of last.values()) {
    const change = changeOf(lease, { ...lease, holder: '', acquired: end }, lives);
    if (change.ended !== undefined && change.ended < end) changes.push(change);
  }
  return changes;
}

function changeOf(before: LeaseRecord, after: LeaseRecord, lives: readonly ProcessLife[]): LeaseChange {
  const ended = endOfLeader(before, after, lives);
  return {
    component: before.name,
    from: before.holder,
    to: after.holder,
    ...(ended !== undefined && { ended }),
    acquired: after.acquired,
    gap: Math.max(0, after.acquired - (ended ?? before.renewed)),
  };
}

/**
 * The end of the process that held the lease. A holder's name says its node and not its process: it was the first
 * process of that node to end from the last renewal on, of those that were there at that renewal.
 */
function endOfLeader(before: LeaseRecord, after: LeaseRecord, lives: readonly ProcessLife[]): number | undefined {
  const node = nodeOfHolder(before.holder);
  const ends = lives
    .filter((life) => life.component === before.name && life.node === node && life.seen <= before.renewed + SLACK)
    .map(({ ended }) => ended)
    .filter((ended) => ended !== undefined && ended >= before.renewed - SLACK && ended <= after.acquired + SLACK);
  return ends.length === 0 ? undefined : Math.min(...(ends as number[]));
}

// Processes are looked for twice a second, and looked at twenty times.
const SLACK = 1000;

/** The node in a holder's name, which is the host name, an underscore and a random part. */
export function nodeOfHolder(holder: string): string {
  return holder.slice(0, holder.lastIndexOf('_'));
}
