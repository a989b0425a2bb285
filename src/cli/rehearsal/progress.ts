import { escapeControls } from '../../core/redact.ts';
import type { RehearsalEvent } from '../../control-plane/rehearsal/rehearsal.ts';
import type { Output } from '../io.ts';
import type { painter } from '../output.ts';

type Paint = ReturnType<typeof painter>;
type StepState = Extract<RehearsalEvent, { readonly type: 'step' }>['state'] | 'pending';

/** Shows how a rehearsal goes on: a list of steps that changes in its place on a terminal, lines elsewhere. */
export function createProgress(output: Output, paint: Paint): (event: RehearsalEvent) => void {
  return output.isTTY === true ? liveList(output, paint) : lines(output, paint);
}

const MARKS: Readonly<Record<StepState, string>> = {
  pending: '·',
  started: '▸',
  done: '✓',
  failed: '✗',
  undoing: '◂',
  undone: '↺',
  'undo-failed': '✗',
};

function lines(output: Output, paint: Paint): (event: RehearsalEvent) => void {
  return (event) => {
    switch (event.type) {
      case 'cluster':
        if (event.state === 'booting') output.write('booting a simulated cluster\n');
        return;
      case 'step': {
        // Without a terminal nobody waits for a step: what became of it is one line.
        if (event.state === 'started') return;
        const reason = event.reason === undefined ? '' : `: ${escapeControls(event.reason)}`;
        output.write(
          `${clock(event.at)}  ${event.state.padEnd(11)}  ${event.name}  ${paint('dim', event.title)}${reason}\n`,
        );
        return;
      }
      case 'fault':
        output.write(`${clock(event.at)}  ${'fault'.padEnd(11)}  ${event.name}\n`);
        return;
      case 'ended':
        output.write(`${clock(event.at)}  ${event.outcome}\n`);
        return;
      case 'plan':
        return;
      default:
        event satisfies never;
    }
  };
}

interface Row {
  readonly name: string;
  readonly title: string;
  state: StepState;
  startedAt?: number;
  seconds?: number;
  note?: string;
}

/** Steps of one node at a time: the list is never longer than a screen. */
function liveList(output: Output, paint: Paint): (event: RehearsalEvent) => void {
  let rows: Row[] = [];
  let drawn = 0;

  function draw(): void {
    const up = drawn > 0 ? `\u001b[${drawn}A` : '';
    output.write(`${up}${rows.map((row) => `\u001b[2K${print(row, paint)}\n`).join('')}`);
    drawn = rows.length;
  }

  return (event) => {
    switch (event.type) {
      case 'cluster':
        return;
      case 'plan':
        rows = event.steps.map(({ name, title }) => ({ name, title, state: 'pending' }));
        drawn = 0;
        break;
      case 'step': {
        const row = rows.find(({ name }) => name === event.name)!;
        row.state = event.state;
        if (event.state === 'started') row.startedAt = event.at;
        if (event.state === 'done' || event.state === 'failed') row.seconds = event.at - row.startedAt!;
        if (event.reason !== undefined) row.note = event.reason;
        break;
      }
      case 'fault': {
        const row = rows.findLast(({ state }) => state === 'started');
        if (row !== undefined) row.note = `fault: ${event.name}`;
        break;
      }
      case 'ended':
        return;
      default:
        event satisfies never;
    }
    draw();
  };
}

/** A terminal has 80 columns at least. */
const WIDTH = 79;

function print({ name, title, state, seconds, note }: Row, paint: Paint): string {
  const time = seconds === undefined ? '' : `${seconds.toFixed(1)} s`;
  const text = escapeControls(note ?? title);
  // A line that wraps would be two, and the next drawing would begin in the wrong place.
  const room = Math.max(10, WIDTH - name.length - 14);
  const shown = text.length > room ? `${text.slice(0, room - 1)}…` : text;
  return `${paint(colourOf(state), MARKS[state])} ${time.padStart(7)}  ${paint('bold', name)}  ${paint('dim', shown)}`;
}

function colourOf(state: StepState): 'dim' | 'cyan' | 'green' | 'red' | 'yellow' {
  switch (state) {
    case 'pending':
      return 'dim';
    case 'started':
      return 'cyan';
    case 'done':
      return 'green';
    case 'failed':
    case 'undo-failed':
      return 'red';
    case 'undoing':
    case 'undone':
      return 'yellow';
    default:
      return state satisfies never;
  }
}

function clock(seconds: number): string {
  return `${seconds.toFixed(1).padStart(7)} s`;
}
