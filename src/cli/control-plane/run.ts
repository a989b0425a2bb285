import type { RunResult } from '../../control-plane/operations/execute.ts';
import { createStepLog } from '../../control-plane/rehearsal/step-log.ts';
import type { RehearsalEvent, RehearsedStep } from '../../control-plane/rehearsal/rehearsal.ts';
import type { SandboxEntry } from '../../control-plane/rehearsal/sandbox.ts';
import { UsageError } from '../../core/errors.ts';
import { escapeControls } from '../../core/redact.ts';
import { printAs } from './print.ts';
import { readForm } from '../arguments.ts';
import { STATUS, type Io, type Status } from '../io.ts';
import { painter } from '../output.ts';
import { createProgress } from '../rehearsal/progress.ts';
import { openPlace, type Entry, type PlaceFlags } from './place.ts';
import { showProblems } from './problems.ts';
import { readFault } from './settings.ts';

/** Flags of every command that changes something. */
export const RUN_FLAGS = {
  fault: { type: 'string' },
  progress: { type: 'string' },
  output: { type: 'string', short: 'o' },
} as const;

export const RUN_HELP = `      --fault NAME@STEP    on a simulated cluster: what goes wrong as a step begins; \`rehearse --help\` lists the faults
      --progress FORM      auto (default): a live list on a terminal and lines elsewhere; lines; json: a line of JSON for
                           each event
  -o, --output FORM        table (default), json, yaml`;

export interface RunFlags extends PlaceFlags {
  readonly fault?: string | undefined;
  readonly progress?: string | undefined;
  readonly output?: string | undefined;
}

/** What a run printed: with \`-o json\` just this. */
export interface RunReport {
  readonly verb: SandboxEntry['verb'];
  readonly id: string;
  readonly node: string;
  readonly outcome: RunResult['outcome'];
  readonly reason?: string;
  readonly seconds: number;
  readonly steps: readonly RehearsedStep[];
  readonly problems: RunResult['problems'];
  /** What to know of a control plane that the cluster hosts now. */
  readonly risk?: string;
  /** The commands that go on from here; absent where nothing is left to do. */
  readonly next?: readonly string[];
}

const RISK =
  'after a reboot nothing on the disk starts the API server of this node; `bootlace control-plane rollback` then does, without an API';

/** The status of a command is that of its run. */
export const STATUSES: Readonly<Record<RunResult['outcome'], Status>> = {
  done: STATUS.done,
  failed: STATUS.failed,
  refused: STATUS.preflight,
  interrupted: STATUS.interrupted,
  stopped: STATUS.stopped,
  undone: STATUS.undone,
};

/** Carries a run out at the place that the flags name, shows how it goes on, and prints how it ended. */
export async function runAt(entry: Entry, flags: RunFlags, command: string, io: Io): Promise<Status> {
  const form = readForm(flags.output, ['table', 'json', 'yaml'], command);
  const fault = readFault(flags.fault, command);
  if (fault !== undefined && flags.simulated === undefined)
    throw new UsageError('--fault is of a simulated cluster alone', 'Add --simulated FILE.');
  const show = progressOf(flags.progress, command, io);
  const place = await openPlace(flags, command, io);
  const { node } = place;
  const id = place.nextId(entry.verb);
  const log = createStepLog();
  let last = 0;
  const interrupts = listen(io);
  const result = await place
    .run({ ...entry, ...(fault && { fault }) }, id, {
      isStopping: interrupts.isStopping,
      onPlan: (steps) => show({ type: 'plan', at: 0, steps }),
      onFault: (name, at) => show({ type: 'fault', at, name }),
      onEvent: (event, at) => {
        last = at;
        log.note(event, at);
        const { name, title } = event.step;
        show({ type: 'step', at, name, title, state: event.type, ...('reason' in event && { reason: event.reason }) });
      },
    })
    .finally(() => place.close());
  interrupts.end();
  if (result.outcome !== 'interrupted') show({ type: 'ended', at: last, outcome: result.outcome });
  const next = nextOf(result, entry.verb, flags);
  const report: RunReport = {
    verb: entry.verb,
    id,
    node,
    outcome: result.outcome,
    ...(result.reason !== undefined && { reason: result.reason }),
    seconds: last,
    steps: log.steps(last),
    problems: result.problems,
    ...(result.isHosted && { risk: RISK }),
    ...(next.length > 0 && { next }),
  };
  showProblems(result.problems, io);
  io.stdout.write(printAs(form, report, () => printTable(report, painter(io.stdout, io.env))));
  // What a way back is for is that what served before serves again.
  const isBack = entry.verb !== 'pivot' && entry.verb !== 'roll' && entry.verb !== 'resume';
  return isBack && result.outcome === 'undone' ? STATUS.done : STATUSES[result.outcome];
}

function progressOf(given: string | undefined, command: string, io: Io): (event: RehearsalEvent) => void {
  const form = readForm(given, ['auto', 'lines', 'json'], command, 'form of progress');
  const paint = painter(io.stderr, io.env);
  switch (form) {
    case 'auto':
      return createProgress(io.stderr, paint, io.env['TERM']);
    case 'lines':
      return createProgress(io.stderr, paint, 'dumb');
    case 'json':
      return (event) => io.stderr.write(`${JSON.stringify(event)}\n`);
    default:
      return form satisfies never;
  }
}

/** Ctrl-C once lets the step that runs come to its end; a second time it ends the program where it is. */
function listen({ onInterrupt, exit, stderr }: Io): { readonly isStopping: () => boolean; readonly end: () => void } {
  let count = 0;
  const end = onInterrupt?.(() => {
    count += 1;
    if (count === 1) stderr.write('bootlace: stops when this step has come to its end; once more stops at once\n');
    else exit?.(STATUS.stopped);
  });
  return { isStopping: () => count > 0, end: end ?? (() => {}) };
}

function nextOf({ outcome }: RunResult, verb: SandboxEntry['verb'], { simulated, node }: RunFlags): readonly string[] {
  const rest = `${simulated === undefined ? '' : ` --simulated ${quotedPath(simulated)}`}${node === undefined ? '' : ` --node ${node}`}`;
  const command = (words: string): string => `bootlace control-plane ${words}${rest}`;
  if (outcome === 'stopped') return [command('resume'), command('rollback')];
  if (outcome === 'failed') return [command('status'), command('rollback'), command('rollback --offline')];
  return verb === 'rollback-offline' && outcome === 'undone' ? [command('rollback --finish')] : [];
}

/** As a shell takes it. */
function quotedPath(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

function printTable(report: RunReport, paint: ReturnType<typeof painter>): string {
  const { verb, node, id, outcome, reason, steps, seconds, risk, next = [] } = report;
  const colour = outcome === 'done' ? 'green' : outcome === 'undone' ? 'yellow' : 'red';
  const done = steps.filter((step) => step.outcome === 'done' && step.undone !== true).length;
  const undone = steps.filter((step) => step.undone === true).length;
  const counts = [
    ...(done > 0 || undone === 0 ? [`${done} done`] : []),
    ...(undone > 0 ? [`${undone} taken back`] : []),
  ];
  const rows: (readonly [string, string])[] = [
    ...(steps.length === 0 ? [] : [['steps', `${counts.join(', ')} in ${seconds.toFixed(1)} s`] as const]),
    ...(reason === undefined ? [] : [['why', escapeControls(reason)] as const]),
    ...steps.flatMap(({ name, reason: why, undone: isUndone, undoReason }) => [
      ...(why === undefined ? [] : [['', `${name}: ${escapeControls(why)}`] as const]),
      ...(isUndone === false && undoReason !== undefined
        ? [['', `the way back of ${name}: ${escapeControls(undoReason)}`] as const]
        : []),
    ]),
    ...(risk === undefined ? [] : [['risk', risk] as const]),
    ...next.map((command, index) => [index === 0 ? 'next' : '', command] as const),
  ];
  return [
    `${paint('bold', `${verb} of ${escapeControls(node)}`)}, ${id}: ${paint(colour, outcome)}`,
    ...rows.map(([name, text]) => `  ${paint('dim', name.padEnd(5))}  ${text}`),
    '',
  ].join('\n');
}
