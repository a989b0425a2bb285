import type { Strategy } from './context.ts';
import { crashLoop, kubeadm } from './kubeadm.ts';
import { manifestEdit } from './manifest-edit.ts';
import { portSharing } from './port-sharing.ts';
import { relay, roll } from './relay.ts';

/** Every strategy by its name, the default first. */
export const STRATEGIES = {
  relay,
  roll,
  'port-sharing': portSharing,
  kubeadm,
  'crash-loop': crashLoop,
  'manifest-edit': manifestEdit,
} as const satisfies Readonly<Record<string, Strategy>>;

export type StrategyName = keyof typeof STRATEGIES;

export const STRATEGY_NAMES = Object.keys(STRATEGIES) as readonly StrategyName[];
