import { describe, expect, test } from 'vitest';
import { ClusterError } from '../../cluster/api.ts';
import { StepError, type Step, type StepListener } from '../strategies/steps.ts';
import { carryOn, restoreVolatile, type Keeper } from './carry-on.ts';
import { nextOf, parseJournal, printJournal, turnedBack, withState, type Journal, type StepState } from './journal.ts';

const PLACE = { path: '/p', text: 'text' };

function journalOf(steps: Readonly<Record<string, StepState>>, direction: Journal['direction'] = 'forward'): Journal {
  return {
    version: 1,
    id: 'r',
    strategy: 'relay',
    node: 'cp1',
    components: ['kube-apiserver'],
    relayPort: 6444,
    manifestsDir: '/m',
    server: { address: '10.0.0.11', port: 6443 },
    service: { address: '10.96.0.1', port: 443 },
    manifests: { 'kube-apiserver': PLACE, 'kube-controller-manager': PLACE, 'kube-scheduler': PLACE },
    hasSnapshot: false,
    direction,
    steps: Object.entries(steps).map(([name, state]) => ({ name, state })),
  };
}

/** Keeps nothing. */
const NOWHERE: Keeper = { save: async () => {}, close: async () => {} };

function runSteps(steps: readonly Step[], listener: StepListener): Promise<string> {
  return carryOn({
    journal: journalOf(Object.fromEntries(steps.map(({ name }) => [name, 'open']))),
    steps,
    keeper: NOWHERE,
    onEvent: listener,
  });
}

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
    steps,
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

  test('are not put off while a server is on the node: its way back would come before theirs', async () => {
    const trace: string[] = [];
    const steps = ['a', 'b'].map((name): Step => ({
      name,
      title: name,
      run: async () => {
        if (name === 'b') throw new Error('no');
      },
      undo: async () => {
        trace.push(name);
        throw new ClusterError('UNREACHABLE', 'no connection');
      },
    }));
    const journal = journalOf({ a: 'open', b: 'open' });
    const hasServer = async (): Promise<boolean> => true;
    expect(await carryOn({ journal, steps, keeper: NOWHERE, onEvent: () => {}, hasServer })).toBe('failed');
    expect(trace).toEqual(['b']);
  });

  test('that were put off leave out what was there for an earlier way back alone', async () => {
    const { trace, steps } = stepsOf(['a', 'b', 'c']);
    const keeper = NOWHERE;
    const journal = journalOf({ a: 'undone', b: 'undoing', c: 'undoing' }, 'back');
    const covered = steps.map((step) => (step.name === 'c' ? { ...step, coveredBy: 'a' } : step));
    expect(await carryOn({ journal, steps: covered, keeper, onEvent: () => {} })).toBe('undone');
    expect(trace).toEqual(['undo b']);
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

describe('a journal', () => {
  test.each<[string, Journal['direction'], Record<string, StepState>, string]>([
    ['begins with the first step', 'forward', { a: 'open', b: 'open' }, 'run a'],
    ['goes on with the first that is not done', 'forward', { a: 'done', b: 'open' }, 'run b'],
    ['does a step again that was begun', 'forward', { a: 'done', b: 'begun', c: 'open' }, 'run b'],
    ['is at its end when all is done', 'forward', { a: 'done', b: 'done' }, 'nothing'],
    ['goes back from the last step that did something', 'back', { a: 'done', b: 'done', c: 'open' }, 'undo b'],
    ['takes back a step that may have done something', 'back', { a: 'done', b: 'begun' }, 'undo b'],
    ['takes a step back again that was being taken back', 'back', { a: 'done', b: 'undoing' }, 'undo b'],
    ['goes on before what is taken back', 'back', { a: 'done', b: 'undone' }, 'undo a'],
    ['is at its end when all is taken back', 'back', { a: 'undone', b: 'open' }, 'nothing'],
  ])('%s', (_, direction, steps, expected) => {
    const next = nextOf(journalOf(steps, direction));
    expect(next.do === 'nothing' ? 'nothing' : `${next.do} ${next.step}`).toBe(expected);
  });

  test('leaves out what was put off for as long as there is something else', () => {
    const journal = journalOf({ a: 'done', b: 'undoing' }, 'back');
    expect(nextOf(journal, new Set(['b']))).toEqual({ do: 'undo', step: 'a' });
    expect(nextOf(withState(journal, 'a', 'undone'), new Set(['b']))).toEqual({ do: 'undo', step: 'b' });
  });

  test('is read as it was written', () => {
    const journal = turnedBack(journalOf({ a: 'done', b: 'begun' }));
    expect(parseJournal(printJournal(journal))).toEqual(journal);
  });

  test.each([
    ['no JSON', '{'],
    ['another version', printJournal({ ...journalOf({}), version: 2 } as never)],
    ['a state that is none', printJournal(journalOf({ a: 'half' as never }))],
    ['a direction that is none', printJournal(journalOf({}, 'sideways' as never))],
    ['a manifest that is missing', printJournal({ ...journalOf({}), manifests: {} } as never)],
    ['a component that is none', printJournal({ ...journalOf({}), components: ['etcd'] } as never)],
    ['no list of steps', printJournal({ ...journalOf({}), steps: {} } as never)],
    ['no endpoint', printJournal({ ...journalOf({}), server: {} } as never)],
  ])('with %s is none', (_, text) => {
    expect(parseJournal(text)).toBeUndefined();
  });
});

describe('what is written down', () => {
  /** A keeper that remembers everything, and may fail. */
  function remembering(fails: (journal: Journal) => boolean = () => false) {
    const saved: string[] = [];
    const keeper: Keeper = {
      save: async (journal) => {
        if (fails(journal)) throw new Error('no room');
        saved.push(`${journal.direction} ${journal.steps.map(({ name, state }) => `${name}:${state}`).join(' ')}`);
      },
      close: async () => void saved.push('cleared'),
    };
    return { saved, keeper };
  }

  function stepOf(name: string, act: (what: 'run' | 'undo') => void = () => {}): Step {
    return { name, title: name, run: async () => act('run'), undo: async () => act('undo') };
  }

  test('is each step before it begins and when it is done, and nothing is left at the end', async () => {
    const { saved, keeper } = remembering();
    const order: string[] = [];
    const step = stepOf('a', (what) => order.push(`${what} after ${saved.at(-1)}`));
    expect(await carryOn({ journal: journalOf({ a: 'open' }), steps: [step], keeper, onEvent: () => {} })).toBe('done');
    expect(saved).toEqual(['forward a:begun', 'forward a:done', 'cleared']);
    expect(order).toEqual(['run after forward a:begun']);
  });

  test('is the way back as well', async () => {
    const { saved, keeper } = remembering();
    const step = stepOf('a', (what) => {
      if (what === 'run') throw new Error('no');
    });
    expect(await carryOn({ journal: journalOf({ a: 'open' }), steps: [step], keeper, onEvent: () => {} })).toBe(
      'undone',
    );
    expect(saved).toEqual(['forward a:begun', 'back a:begun', 'back a:undoing', 'back a:undone', 'cleared']);
  });

  test('stays where the way back fails', async () => {
    const { saved, keeper } = remembering();
    const step = stepOf('a', () => {
      throw new Error('no');
    });
    expect(await carryOn({ journal: journalOf({ a: 'open' }), steps: [step], keeper, onEvent: () => {} })).toBe(
      'failed',
    );
    expect(saved.at(-1)).toBe('back a:undoing');
  });

  test('must be written before anything is done: without it a step is not begun', async () => {
    const { keeper } = remembering((journal) => journal.direction === 'forward');
    const done: string[] = [];
    const step = stepOf('a', (what) => done.push(what));
    expect(await carryOn({ journal: journalOf({ a: 'open' }), steps: [step], keeper, onEvent: () => {} })).toBe(
      'undone',
    );
    expect(done).not.toContain('run');
  });

  test('may miss that a step is done, until the next one wants to begin', async () => {
    const { keeper } = remembering(({ steps }) => steps[0]!.state === 'done');
    const done: string[] = [];
    const steps = ['a', 'b'].map((name) => stepOf(name, (what) => done.push(`${what} ${name}`)));
    expect(
      await carryOn({ journal: journalOf({ a: 'open' }), steps: steps.slice(0, 1), keeper, onEvent: () => {} }),
    ).toBe('done');
    expect(
      await carryOn({ journal: journalOf({ a: 'open', b: 'open' }), steps: steps, keeper, onEvent: () => {} }),
    ).toBe('undone');
    expect(done).toEqual(['run a', 'run a', 'undo b', 'undo a']);
  });

  test('is not needed on the way back', async () => {
    const { keeper } = remembering(({ steps, direction }) => direction === 'back' || steps[1]!.state === 'begun');
    const done: string[] = [];
    const steps = ['a', 'b'].map((name) => stepOf(name, (what) => done.push(`${what} ${name}`)));
    expect(
      await carryOn({ journal: journalOf({ a: 'open', b: 'open' }), steps: steps, keeper, onEvent: () => {} }),
    ).toBe('undone');
    expect(done).toEqual(['run a', 'undo b', 'undo a']);
  });
});

test('what a reboot took away is brought back by the last step that is done and knows of it', async () => {
  const order: string[] = [];
  const steps = ['a', 'b', 'c', 'd'].map((name): Step => ({
    name,
    title: name,
    run: async () => {},
    ...(name !== 'c' && { restore: async () => void order.push(name) }),
  }));
  await restoreVolatile(journalOf({ a: 'done', b: 'done', c: 'done', d: 'begun' }), steps);
  await restoreVolatile(journalOf({ a: 'begun', b: 'open', c: 'open', d: 'open' }), steps);
  expect(order).toEqual(['b']);
});
