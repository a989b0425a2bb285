import { isBootlaceError } from '../core/errors.ts';
import { escapeControls } from '../core/redact.ts';
import { VERSION } from '../core/version.ts';
import { STATUS, type Command, type Io, type Status } from './io.ts';

/** Every command by the words that name it. Each is loaded when it is used: most of a start is loading. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  'node render': async () => (await import('./commands/node-render.ts')).nodeRender,
  'node check': async () => (await import('./commands/node-check.ts')).nodeCheck,
  'control-plane convert': async () => (await import('./commands/control-plane.ts')).controlPlaneConvert,
  'control-plane plan': async () => (await import('./commands/control-plane.ts')).controlPlanePlan,
  'control-plane pivot': async () => (await import('./commands/control-plane.ts')).controlPlanePivot,
  'control-plane roll': async () => (await import('./commands/control-plane.ts')).controlPlaneRoll,
  'control-plane status': async () => (await import('./commands/control-plane.ts')).controlPlaneStatus,
  'control-plane resume': async () => (await import('./commands/control-plane.ts')).controlPlaneResume,
  'control-plane rollback': async () => (await import('./commands/control-plane.ts')).controlPlaneRollback,
  'control-plane rehearse': async () => (await import('./commands/control-plane.ts')).controlPlaneRehearse,
  schema: async () => (await import('./commands/schema.ts')).schema,
  version: async () => (await import('./commands/version.ts')).version,
};

/** Runs the command that the arguments name and returns its exit status. */
export async function run(args: readonly string[], io: Io): Promise<Status> {
  try {
    return await dispatch(args, io);
  } catch (error) {
    return await report(error, io);
  }
}

async function dispatch(args: readonly string[], io: Io): Promise<Status> {
  const [first = '--help', second = ''] = args;
  if (first === '--version' || first === '-V') {
    io.stdout.write(`bootlace ${VERSION}\n`);
    return STATUS.done;
  }
  const words = Object.hasOwn(GROUPS, first) ? `${first} ${second}` : first;
  const load = Object.hasOwn(COMMANDS, words) ? COMMANDS[words] : undefined;
  if (load === undefined) return await dispatchHelp(first, second, args, io);
  const command = await load();
  const rest = args.slice(words.split(' ').length);
  const end = rest.indexOf('--');
  if (rest.slice(0, end < 0 ? rest.length : end).some((arg) => arg === '--help' || arg === '-h')) {
    io.stdout.write(command.help);
    return STATUS.done;
  }
  return await command.run(rest, io);
}

/** Words that begin several commands. */
const GROUPS: Readonly<Record<string, string>> = {
  node: 'what a new machine runs to join a cluster',
  'control-plane': 'turns a control plane of static Pods into one that the cluster hosts itself',
};

async function dispatchHelp(first: string, second: string, args: readonly string[], io: Io): Promise<Status> {
  const asked = new Set(['help', '--help', '-h', '']);
  if (first === 'help' && args.length > 1) return await dispatch([...args.slice(1), '--help'], io);
  const { helpOf, unknownCommand } = await import('./help.ts');
  const isGroup = Object.hasOwn(GROUPS, first);
  if (asked.has(isGroup ? second : first)) {
    const commands = await Promise.all(
      Object.entries(COMMANDS).map(async ([words, load]) => ({ words, summary: (await load()).summary })),
    );
    io.stdout.write(helpOf(commands, isGroup ? first : undefined));
    return STATUS.done;
  }
  throw unknownCommand(isGroup ? `${first} ${second}` : first, [...Object.keys(COMMANDS), ...Object.keys(GROUPS)]);
}

/** Errors that say that what was asked for makes no sense; every other one is an operation that failed. */
const REFUSALS: ReadonlySet<string> = new Set(['BOOTSTRAPPER_UNKNOWN', 'OPTIONS_REFUSED', 'USAGE']);

async function report(error: unknown, io: Io): Promise<Status> {
  // The command is bundled in parts, each with classes of its own.
  if (!isBootlaceError(error)) throw error;
  const hint = 'hint' in error ? `\n${String(error.hint)}` : '';
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  const isRefusal = REFUSALS.has(error.code);
  // What was typed is explained by its message; what went wrong elsewhere has a place in the runbook, by its code.
  const code = isRefusal ? '' : ` (${error.code})`;
  io.stderr.write(`bootlace: ${escapeControls(`${error.message}${cause}`)}${code}${hint}\n`);
  return isRefusal ? STATUS.refused : STATUS.failed;
}
