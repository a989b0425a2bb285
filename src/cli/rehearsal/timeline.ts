import type { Period, Rehearsal, ServerLife } from '../../control-plane/rehearsal/rehearsal.ts';
import type { painter } from '../output.ts';

type Paint = ReturnType<typeof painter>;

/** Columns of the time axis and of what stands before it: together they fit into a terminal of 80. */
const WIDTH = 60;
const LABEL = 18;

const BARS = { starting: '▒', serving: '█', stopping: '░', redirect: '━', failed: '×', idle: ' ' } as const;
type State = keyof typeof BARS;

/** When which process serves, with one row for each Pod, and when requests failed. */
export function printTimeline(rehearsal: Rehearsal, paint: Paint): string {
  const { servers, redirects, outages, simulatedSeconds } = rehearsal;
  const perColumn = simulatedSeconds / WIDTH;
  const row = (label: string, states: readonly State[]): string =>
    `${label.padEnd(LABEL)}${bars(states, paint)}`.trimEnd();
  const parts = groupsOf(servers).flatMap(({ title, rows }) => [
    paint('bold', title),
    ...rows.map(({ label, lives }) =>
      row(
        `  ${label}`,
        columns(perColumn, (from, to) => stateOf(lives, from, to)),
      ),
    ),
  ]);
  return [
    `${''.padEnd(LABEL)}${axis(simulatedSeconds)}`,
    ...parts,
    ...[...new Set(redirects.map(({ node }) => node))].map((node) =>
      row(
        `redirect on ${node}`,
        columns(perColumn, (from, to) =>
          redirects.some((period) => period.node === node && touches(period, from, to)) ? 'redirect' : 'idle',
        ),
      ),
    ),
    row(
      'requests failed',
      columns(perColumn, (from, to) =>
        outages.some(({ at, seconds }) => touches({ from: at, to: at + seconds }, from, to)) ? 'failed' : 'idle',
      ),
    ),
    paint(
      'dim',
      `${''.padEnd(LABEL)}${BARS.starting} starts  ${BARS.serving} serves  ${BARS.stopping} ends, and takes no connections`,
    ),
    '',
  ].join('\n');
}

interface Group {
  readonly title: string;
  readonly rows: readonly { readonly label: string; readonly lives: readonly ServerLife[] }[];
}

/** Components of each node with their Pods; a Pod that was started again and again is one row. etcd stays as it is. */
function groupsOf(servers: readonly ServerLife[]): readonly Group[] {
  const shown = servers.filter(({ program }) => program !== 'etcd');
  const titles = [...new Set(shown.map(({ node, program }) => `${node} ${program}`))].toSorted();
  return titles.map((title) => {
    const own = shown.filter(({ node, program }) => `${node} ${program}` === title);
    const pods = [...new Set(own.map(keyOf))];
    return {
      title,
      rows: pods.map((pod) => {
        const lives = own.filter((life) => keyOf(life) === pod);
        const port = lives.find((life) => life.port !== undefined)?.port;
        return { label: `${labelOf(lives[0]!)}${port === undefined ? '' : ` :${port}`}`, lives };
      }),
    };
  });
}

function keyOf({ pod, podUid }: ServerLife): string {
  return `${pod} ${podUid}`;
}

function labelOf({ pod, program }: ServerLife): string {
  if (pod.startsWith('self-hosted-')) return 'hosted';
  const rest = pod.slice(program.length + 1);
  return rest.startsWith('relay-') ? 'relay' : rest.startsWith('standby-') ? 'standby' : 'static';
}

function columns(perColumn: number, stateAt: (from: number, to: number) => State): readonly State[] {
  return Array.from({ length: WIDTH }, (_, index) => stateAt(index * perColumn, (index + 1) * perColumn));
}

/** What is seen of a Pod in a column: serving, if it serves at all in it. */
function stateOf(lives: readonly ServerLife[], from: number, to: number): State {
  const here = lives.filter((life) => touches(life, from, to));
  if (here.some((life) => life.readyAt !== undefined && life.readyAt < to && (life.stoppingAt ?? life.to ?? to) > from))
    return 'serving';
  if (here.some(({ stoppingAt }) => stoppingAt !== undefined && stoppingAt < to)) return 'stopping';
  return here.length > 0 ? 'starting' : 'idle';
}

function touches({ from: start, to: end }: Pick<Period, 'from' | 'to'>, from: number, to: number): boolean {
  return start < to && (end ?? Number.POSITIVE_INFINITY) > from;
}

function bars(states: readonly State[], paint: Paint): string {
  const runs: { state: State; length: number }[] = [];
  for (const state of states) {
    const last = runs.at(-1);
    if (last?.state === state) last.length += 1;
    else runs.push({ state, length: 1 });
  }
  return runs.map(({ state, length }) => coloured(state, BARS[state].repeat(length), paint)).join('');
}

function coloured(state: State, text: string, paint: Paint): string {
  switch (state) {
    case 'serving':
      return paint('green', text);
    case 'starting':
      return paint('yellow', text);
    case 'stopping':
      return paint('dim', text);
    case 'redirect':
      return paint('cyan', text);
    case 'failed':
      return paint('red', text);
    case 'idle':
      return text;
    default:
      return state satisfies never;
  }
}

/** Seconds at every quarter, and at the end. */
function axis(seconds: number): string {
  const quarter = WIDTH / 4;
  const starts = [0, 1, 2, 3].map((index) => `${Math.round((seconds * index) / 4)} s`.padEnd(quarter)).join('');
  const end = `${Math.round(seconds)} s`;
  return `${starts.slice(0, WIDTH - end.length)}${end}`;
}
