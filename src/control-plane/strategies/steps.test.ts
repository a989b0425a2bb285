import { describe, expect, test } from 'vitest';
import { runSteps, StepError, type Step } from './steps.ts';

/** Steps that write down what is done with them; those that are named fail. */
function stepsOf(names: readonly string[], fails: readonly string[] = [], withoutUndo: readonly string[] = []) {
  const trace: string[] = [];
  const act = (what: string) => async (): Promise<void> => {
    trace.push(what);
    if (fails.includes(what))
      throw new StepError('STEP_FAILED', `${what} went wrong`, { cause: new Error('the disk') });
  };
  const steps = names.map((name): Step => ({
    name,
    title: `do ${name}`,
    run: act(name),
    ...(!withoutUndo.includes(name) && { undo: act(`undo ${name}`) }),
  }));
  const events: string[] = [];
  return {
    trace,
    events,
    run: () => runSteps(steps, (event) => events.push(`${event.type} ${event.step.name}`)),
  };
}

describe('steps', () => {
  test('run one after the other', async () => {
    const { run, trace, events } = stepsOf(['a', 'b']);
    expect(await run()).toBe('done');
    expect(trace).toEqual(['a', 'b']);
    expect(events).toEqual(['started a', 'done a', 'started b', 'done b']);
  });

  test('are taken back, the one that failed first, when one fails', async () => {
    const { run, trace, events } = stepsOf(['a', 'b', 'c'], ['b']);
    expect(await run()).toBe('undone');
    expect(trace).toEqual(['a', 'b', 'undo b', 'undo a']);
    expect(events.slice(-5)).toEqual(['failed b', 'undoing b', 'undone b', 'undoing a', 'undone a']);
  });

  test('are not taken back any further where one has no way back', async () => {
    const { run, trace } = stepsOf(['a', 'b', 'c'], ['c'], ['b']);
    expect(await run()).toBe('failed');
    expect(trace).toEqual(['a', 'b', 'c', 'undo c']);
  });

  test('are not taken back any further where a way back fails', async () => {
    const { run, trace, events } = stepsOf(['a', 'b'], ['b', 'undo b']);
    expect(await run()).toBe('failed');
    expect(trace).toEqual(['a', 'b', 'undo b']);
    expect(events.at(-1)).toBe('undo-failed b');
  });

  test('none is done', async () => {
    expect(await stepsOf([]).run()).toBe('done');
  });
});

test('a failure is told with what is behind it, and without secrets', async () => {
  const reasons: string[] = [];
  const step: Step = {
    name: 'a',
    title: 'a',
    run: async () => {
      throw new StepError('STEP_FAILED', 'it went wrong', { cause: new Error('https://me:hunter2@host') });
    },
  };
  await runSteps([step], (event) => {
    if ('reason' in event) reasons.push(event.reason);
  });
  expect(reasons).toEqual(['it went wrong (https://me:[secret]@host)']);
});
