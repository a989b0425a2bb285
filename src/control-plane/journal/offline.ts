import { explain, type Step, type StepListener } from '../strategies/steps.ts';
import type { Journal } from './journal.ts';

/** Component that a step is of; nothing for one that is of the node. */
function componentOf(name: string): string | undefined {
  const [, component, ...rest] = name.split('/');
  return rest.length === 0 ? undefined : component;
}

/**
 * Goes back by the files of the node and the container runtime alone, the last step first. Where the former definition of a
 * component does not come up, its relay or copy stays, and the other components are brought back all the same: without
 * etcd none comes up, and all should be there when etcd is. Says whether everything was taken back.
 */
export async function takeBackOffline(
  { steps: records }: Journal,
  steps: readonly Step[],
  onEvent: StepListener,
): Promise<boolean> {
  const states = new Map(records.map(({ name, state }) => [name, state]));
  const failed = new Set<string | undefined>();
  for (const step of steps.toReversed()) {
    const state = states.get(step.name);
    const component = componentOf(step.name);
    if (step.offline === undefined || state === 'open' || state === 'undone' || failed.has(component)) continue;
    onEvent({ type: 'undoing', step });
    try {
      await step.offline();
      onEvent({ type: 'undone', step });
    } catch (error) {
      onEvent({ type: 'undo-failed', step, reason: explain(error) });
      failed.add(component);
    }
  }
  return failed.size === 0;
}

/** Removes what a way back without an API has left in the cluster. Says whether everything was removed. */
export async function finishOffline(
  { steps: records }: Journal,
  steps: readonly Step[],
  onEvent: StepListener,
): Promise<boolean> {
  const wasOpen = new Set(records.filter(({ state }) => state === 'open').map(({ name }) => name));
  for (const step of steps.toReversed()) {
    if (step.finish === undefined || wasOpen.has(step.name)) continue;
    onEvent({ type: 'undoing', step });
    try {
      await step.finish();
    } catch (error) {
      onEvent({ type: 'undo-failed', step, reason: explain(error) });
      return false;
    }
    onEvent({ type: 'undone', step });
  }
  return true;
}
