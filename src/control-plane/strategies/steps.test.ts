import { describe, expect, test } from 'vitest';
import { ClusterError } from '../../cluster/api.ts';
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

  test('whose way back needs the API are put off, and tried again when the others have brought it back', async () => {
    const trace: string[] = [];
    let isApiThere = false;
    const step = (name: string, undo: () => void): Step => ({
      name,
      title: name,
      run: async () => {
        if (name === 'c') throw new StepError('STEP_FAILED', 'no');
      },
      undo: async () => {
        trace.push(name);
        undo();
      },
    });
    const steps = [
      step('a', () => {}),
      step('b', () => {
        isApiThere = true;
      }),
      step('c', () => {
        if (!isApiThere) throw new StepError('STEP_FAILED', 'x', { cause: new ClusterError('UNREACHABLE', 'y') });
      }),
    ];
    expect(await runSteps(steps, () => {})).toBe('undone');
    expect(trace).toEqual(['c', 'b', 'a', 'c']);
  });

  test('do not depend on who listens', async () => {
    const names = ['a', 'b'];
    const run = (fails: readonly string[]): Promise<string> =>
      runSteps(
        names.map((name) => ({
          name,
          title: name,
          run: async () => {
            if (fails.includes(name)) throw new Error('no');
          },
          undo: async () => {},
        })),
        () => {
          throw new Error('nobody looks');
        },
      );
    expect(await run([])).toBe('done');
    expect(await run(['b'])).toBe('undone');
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
