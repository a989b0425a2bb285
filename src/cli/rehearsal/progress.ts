import { escapeControls } from '../../core/redact.ts';
import type { RehearsalEvent } from '../../control-plane/rehearsal/rehearsal.ts';
import type { Output } from '../io.ts';
import type { painter } from '../output.ts';

type Paint = ReturnType<typeof painter>;
type StepState = Extract<RehearsalEvent, { readonly type: 'step' }>['state'] | 'pending';

/** Shows how a rehearsal goes on: a list of steps that changes in its place on a terminal, lines elsewhere. */
export function createProgress(
  output: Output,
  paint: Paint,
  term: string | undefined,
): (event: RehearsalEvent) => void {
  return output.isTTY === true && term !== 'dumb' ? liveList(output, paint) : lines(output, paint);
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

/** Steps of one node at a time, and of these as many as the terminal has room for: those around the one that runs. */
function liveList(output: Output, paint: Paint): (event: RehearsalEvent) => void {
  let rows: Row[] = [];
  let drawn = 0;

  function draw(): void {
    const up = drawn > 0 ? `\u001b[${drawn}A` : '';
    const width = Math.max(NARROWEST, (output.columns ?? COLUMNS) - 1);
    const shown = around(rows, Math.max(1, (output.rows ?? ROWS) - 2));
    output.write(`${up}${shown.map((row) => `\u001b[2K${print(row, width, paint)}\n`).join('')}`);
    drawn = shown.length;
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

/** Of a terminal that does not say how large it is. */
const COLUMNS = 80;
const ROWS = 24;
const NARROWEST = 20;

/** So many rows that the last one which is no longer pending is among them. */
function around(rows: readonly Row[], room: number): readonly Row[] {
  const last = rows.findLastIndex(({ state }) => state !== 'pending');
  const start = Math.min(Math.max(0, last + 2 - room), Math.max(0, rows.length - room));
  return rows.slice(start, start + room);
}

function print({ name, title, state, seconds, note }: Row, width: number, paint: Paint): string {
  const time = (seconds === undefined ? '' : `${seconds.toFixed(1)} s`).padStart(7);
  // A line that wraps would be two, and the next drawing would begin in the wrong place.
  // Of a name its end says most.
  const room = width - MARGIN;
  const shownName = name.length > room ? `…${name.slice(1 - room)}` : name;
  const shown = cut(escapeControls(note ?? title), width - MARGIN - 2 - shownName.length);
  return `${paint(colourOf(state), MARKS[state])} ${time}  ${paint('bold', shownName)}  ${paint('dim', shown)}`.trimEnd();
}

/** Columns before the name of a step. */
const MARGIN = 11;

function cut(text: string, room: number): string {
  if (room <= 0) return '';
  return text.length > room ? `${text.slice(0, room - 1)}…` : text;
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
