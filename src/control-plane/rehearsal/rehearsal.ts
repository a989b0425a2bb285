import type { SimulatedEvent } from '../../cluster/simulated/events.ts';
import type { LeaderGap, Outage, Restarts, TrafficReport } from '../../cluster/simulated/traffic/report.ts';
import type { StrategyName } from '../strategies/strategies.ts';
import type { FileProblem } from '../strategies/inventory.ts';
import type { FaultName } from './faults.ts';

/**
 * How a rehearsal ended: `done`; `undone`, where it failed and what served before serves again; `stopped`, where the run
 * was killed on its way; `failed`, where it neither went on nor back; `refused` before anything was changed.
 */
export type RehearsalOutcome = 'done' | 'undone' | 'stopped' | 'failed' | 'refused';

/** What a rehearsal showed. Times are seconds of the simulation, since clients began to write. */
export interface Rehearsal {
  readonly strategy: StrategyName;
  readonly seed: number;
  /** Nodes with a control plane. */
  readonly nodes: number;
  readonly fault?: { readonly name: FaultName; readonly step: string };
  readonly outcome: RehearsalOutcome;
  /** What of the control plane does not serve at the end; absent where all of it does. */
  readonly missing?: string;
  /** Whether the API serves at the end. */
  readonly serving: boolean;
  /** Requests of all clients. */
  readonly requests: number;
  /** Of these, how many were neither acknowledged nor answered with the wish to come again. */
  readonly failedRequests: number;
  readonly retriableRequests: number;
  /** Acknowledged writes that are not there at the end. */
  readonly lostWrites: number;
  /** Times in which a client had no acknowledgement, in the order in which they began. */
  readonly outages: readonly (Outage & { readonly client: string })[];
  readonly leaderGaps: readonly LeaderGap[];
  readonly restarts: readonly Restarts[];
  readonly steps: readonly RehearsedStep[];
  /** When which process served. */
  readonly servers: readonly ServerLife[];
  readonly redirects: readonly Period[];
  readonly clients: TrafficReport['clients'];
  readonly watch: TrafficReport['watch'];
  readonly problems: readonly FileProblem[];
  readonly simulatedSeconds: number;
  readonly realSeconds: number;
}

export interface RehearsedStep {
  readonly name: string;
  readonly title: string;
  readonly at: number;
  /** Until it was done, failed, or the run ended; not the time that undoing it took. */
  readonly seconds: number;
  readonly outcome: 'done' | 'failed' | 'stopped';
  readonly reason?: string;
  /** Whether it was taken back; absent where nobody tried. */
  readonly undone?: boolean;
  /** Why its way back failed, the last time that it did. */
  readonly undoReason?: string;
}

export interface Period {
  readonly node: string;
  readonly from: number;
  /** Absent where it goes on to the end. */
  readonly to?: number;
}

/** A process of the control plane. */
export interface ServerLife extends Period {
  readonly program: string;
  readonly pod: string;
  readonly podUid: string;
  readonly pid: number;
  readonly port?: number;
  /** Since when it is ready; absent where it never was. */
  readonly readyAt?: number;
  /** Since when it takes no connections any more, though it may live. */
  readonly stoppingAt?: number;
}

/** What happens while a rehearsal goes on. */
export type RehearsalEvent =
  | { readonly type: 'cluster'; readonly state: 'booting' | 'serving' }
  /** What is about to be done, step by step. */
  | {
      readonly type: 'plan';
      readonly at: number;
      readonly steps: readonly { readonly name: string; readonly title: string }[];
    }
  | {
      readonly type: 'step';
      readonly at: number;
      readonly name: string;
      readonly title: string;
      readonly state: 'started' | 'done' | 'failed' | 'undoing' | 'undone' | 'undo-failed';
      readonly reason?: string;
    }
  | { readonly type: 'fault'; readonly at: number; readonly name: FaultName }
  | { readonly type: 'ended'; readonly at: number; readonly outcome: RehearsalOutcome };

/** The lives of processes, from the events since a moment. Those that ended before are left out. */
export function serverLives(events: readonly SimulatedEvent[], from: number): readonly ServerLife[] {
  const lives = new Map<string, { -readonly [K in keyof ServerLife]: ServerLife[K] }>();
  const seconds = (at: number): number => Math.round(Math.max(0, at - from)) / 1000;
  for (const event of events) {
    if (event.type !== 'process') continue;
    const { at, node, pid, program, pod, podUid, port } = event;
    const key = `${node} ${pid}`;
    const life = lives.get(key) ?? { node, program, pod, podUid, pid, from: seconds(at) };
    lives.set(key, life);
    if (port !== undefined) life.port = port;
    switch (event.state) {
      case 'started':
      case 'listening':
        break;
      case 'ready':
        life.readyAt = seconds(at);
        break;
      case 'stopping':
        life.stoppingAt = seconds(at);
        break;
      case 'ended':
        if (at < from) lives.delete(key);
        else life.to = seconds(at);
        break;
      default:
        event satisfies never;
    }
  }
  return [...lives.values()];
}

export function redirectPeriods(events: readonly SimulatedEvent[], from: number): readonly Period[] {
  const periods: { node: string; from: number; to?: number }[] = [];
  for (const event of events) {
    if (event.at < from || (event.type !== 'redirect' && event.type !== 'power')) continue;
    const at = Math.round(event.at - from) / 1000;
    const open = periods.findLast(({ node, to }) => node === event.node && to === undefined);
    if (event.state === 'set') periods.push({ node: event.node, from: at });
    else if (open !== undefined) open.to = at;
  }
  return periods;
}
