import type { Clock } from '../../core/clock.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import type { StrategyName } from '../strategies/strategies.ts';
import type { FaultName } from './faults.ts';
import type { Rehearsal, RehearsalEvent } from './rehearsal.ts';

export interface RehearsalSettings {
  /** Default: `relay`. */
  readonly strategy?: StrategyName;
  /** Default: 1. */
  readonly seed?: number;
  /** Nodes with a control plane. Default: 1. */
  readonly nodes?: number;
  /** Manifests by the name of their file. Default: what kubeadm 1.35 writes. */
  readonly manifests?: Readonly<Record<string, string>>;
  /** Files beside the manifests that are there and cannot be read, by name: a refusal for one of the three, else a warning. */
  readonly unreadable?: Readonly<Record<string, Error>>;
  /** What is changed, in this order. Default: what the strategy changes, all three as a rule. */
  readonly components?: readonly ControlPlaneComponent[];
  /** Default: 6444. */
  readonly relayPort?: number;
  /** What goes wrong as a step begins. The step by its name, the end of its name, or its number from 1. */
  readonly fault?: { readonly name: FaultName; readonly step: string };
  /** What follows half a minute after the run was stopped: it goes on, or is taken back. Default: nothing. */
  readonly afterwards?: 'resume' | 'rollback';
  /** Hears of progress. */
  readonly onEvent?: (event: RehearsalEvent) => void;
  /** For `realSeconds`. Default: the time of this machine. */
  readonly clock?: Clock;
}

/**
 * Rehearses a change of a control plane on a simulated cluster with its manifests, while clients write. Nothing is
 * touched but memory. The same settings give the same result, but for `realSeconds`.
 *
 * @throws UsageError for settings that mean nothing, such as a fault at a step that there is not.
 */
export async function rehearse(settings: RehearsalSettings = {}): Promise<Rehearsal> {
  // Loaded here and not above: a simulated cluster is much to load, and most users of the library have none.
  const { runRehearsal } = await import('./run.ts');
  return runRehearsal(settings);
}
