import type { StepEvent } from '../strategies/steps.ts';
import type { RehearsedStep } from './rehearsal.ts';

/** Steps as they went, put together from what was heard of them. */
export function createStepLog() {
  const steps = new Map<string, RehearsedStep>();
  return {
    note: ({ step: { name, title }, ...event }: StepEvent, at: number): void => {
      const known = steps.get(name) ?? { name, title, at, seconds: 0, outcome: 'stopped' };
      switch (event.type) {
        case 'started':
          steps.set(name, { name, title, at, seconds: 0, outcome: 'stopped' });
          break;
        case 'done':
          steps.set(name, { ...known, seconds: thousandths(at - known.at), outcome: 'done' });
          break;
        case 'failed':
          steps.set(name, { ...known, seconds: thousandths(at - known.at), outcome: 'failed', reason: event.reason });
          break;
        case 'undoing':
          steps.set(name, { ...known, undone: false });
          break;
        case 'undone':
          steps.set(name, { ...known, undone: true });
          break;
        case 'undo-failed':
          steps.set(name, { ...known, undoReason: event.reason });
          break;
        default:
          event satisfies never;
      }
    },
    steps: (now: number): readonly RehearsedStep[] =>
      [...steps.values()].map((step) =>
        step.outcome === 'stopped' ? { ...step, seconds: thousandths(now - step.at) } : step,
      ),
  };
}

/** Seconds to the millisecond. */
export function thousandths(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
