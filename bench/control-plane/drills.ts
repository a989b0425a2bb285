/** How a pivot is struck. */
export type Strike = 'kill' | 'power-cut';
/** What somebody does then. */
export type Remedy = 'resume' | 'rollback' | 'offline';

export interface Drill {
  /** The step of the pivot that is struck, without the node. */
  readonly step: string;
  readonly strike: Strike;
  readonly remedy: Remedy;
}

/** Where the journal changes: the steps after which another one has the connections, or the lease. */
export const POINTS: readonly (readonly [step: string, afterKill: Remedy, afterPowerCut: Remedy])[] = [
  ['kube-apiserver/relay', 'resume', 'rollback'],
  ['kube-apiserver/redirect', 'rollback', 'resume'],
  ['kube-apiserver/stop', 'resume', 'rollback'],
  ['kube-apiserver/start', 'rollback', 'resume'],
  ['kube-apiserver/hand-back', 'resume', 'rollback'],
  ['kube-apiserver/remove-relay', 'rollback', 'offline'],
  ['kube-controller-manager/stop', 'resume', 'resume'],
  ['kube-scheduler/start', 'rollback', 'offline'],
];

/** Each point once with a kill and once with a power cut; with every remedy where that is asked for. */
export function drillsOf(every: boolean): readonly Drill[] {
  return POINTS.flatMap(([step, afterKill, afterPowerCut]) => {
    const all: readonly Drill[] = (['kill', 'power-cut'] as const).flatMap((strike) =>
      (['resume', 'rollback', 'offline'] as const).map((remedy) => ({ step, strike, remedy })),
    );
    return every ? all : all.filter(({ strike, remedy }) => remedy === (strike === 'kill' ? afterKill : afterPowerCut));
  });
}

export function nameOf({ step, strike, remedy }: Drill): string {
  return `${strike} at ${step}, ${remedy}`;
}
