import { join } from 'node:path';
import { MANIFESTS_DIRECTORY } from '../../cluster/simulated/kubelet/manifests.ts';
import { UsageError } from '../../core/errors.ts';
import { FAULTS } from '../../control-plane/rehearsal/faults.ts';
import type { RehearsalOutcome } from '../../control-plane/rehearsal/rehearsal.ts';
import { rehearse } from '../../control-plane/rehearsal/rehearse.ts';
import { DEFAULT_RELAY_PORT } from '../../control-plane/selfhosting/modern/relay-options.ts';
import type { FileProblem } from '../../control-plane/strategies/inventory.ts';
import { STRATEGIES, STRATEGY_NAMES, type StrategyName } from '../../control-plane/strategies/strategies.ts';
import { printAs } from '../control-plane/print.ts';
import { readFlags, readForm } from '../arguments.ts';
import { readDirectory } from '../control-plane/directory.ts';
import { readFault, readNumber } from '../control-plane/settings.ts';
import { STATUS, type Command, type Io, type Status } from '../io.ts';
import { painter, printProblems } from '../output.ts';
import { createProgress } from '../rehearsal/progress.ts';
import { printReport } from '../rehearsal/report.ts';

const NAME = 'control-plane rehearse';
const FORMS = ['table', 'json', 'yaml'] as const;

export const controlPlaneRehearse: Command = {
  summary: 'show on a simulated cluster what a change of the control plane does to its clients',
  help: `Rehearses a change of a control plane on a simulated cluster, while clients write to it: which requests fail, who
serves when, how long nobody leads. Needs no root and no Kubernetes, and touches nothing.

Examples:
  bootlace control-plane rehearse
  bootlace control-plane rehearse --manifests-dir /etc/kubernetes/manifests
  bootlace control-plane rehearse --strategy crash-loop
  bootlace control-plane rehearse --fault power-cut@start --afterwards resume
  bootlace control-plane rehearse --nodes 3 --fault disk-full@stop -o json | jq .outcome

Flags:
      --manifests-dir DIR  manifests of a node as kubeadm writes them; only read. Default: those of a new node
      --nodes N            nodes with a control plane: 1 (default) or 3, behind a load balancer
      --strategy NAME      how the change is made; default relay
      --fault NAME@STEP    what goes wrong as a step begins; the step by its name, the end of that, or its number
      --afterwards WAY     what follows half a minute after a run was stopped: resume or rollback; default nothing
      --seed N             everything that is left to chance follows from it; default 1
      --relay-port N       port of the relay; default ${DEFAULT_RELAY_PORT}
  -o, --output FORM        table (default), json, yaml

Strategies:
${list(STRATEGIES)}

Faults:
${list(FAULTS)}

The result goes to standard output, progress to standard error. Times are those of the simulation.
Exit status, as that of the change itself: 0 done, 1 failed, 2 usage, 3 refused before anything was changed,
4 stopped on the way, 5 undone: what served before serves again.
`,
  run: runRehearse,
};

function list(entries: Readonly<Record<string, { readonly summary: string }>>): string {
  const width = Math.max(...Object.keys(entries).map((name) => name.length));
  return Object.entries(entries)
    .map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`)
    .join('\n');
}

const FLAGS = {
  'manifests-dir': { type: 'string' },
  nodes: { type: 'string' },
  strategy: { type: 'string' },
  fault: { type: 'string' },
  afterwards: { type: 'string' },
  seed: { type: 'string' },
  'relay-port': { type: 'string' },
  output: { type: 'string', short: 'o' },
} as const;

async function runRehearse(args: readonly string[], io: Io): Promise<Status> {
  const flags = readFlags(args, FLAGS, NAME);
  const form = readForm(flags.output, FORMS, NAME);
  const fault = readFault(flags.fault, NAME);
  if (flags.afterwards !== undefined && fault === undefined)
    throw new UsageError(
      '--afterwards needs a fault that stops the run',
      'Write --fault kill@STEP or --fault power-cut@STEP.',
    );
  const directory = flags['manifests-dir'];
  const settings = {
    strategy: readForm(flags.strategy, STRATEGY_NAMES as [StrategyName, ...StrategyName[]], NAME, 'strategy'),
    nodes: Number(readForm(flags.nodes, ['1', '3'], NAME, 'number of nodes')),
    seed: readNumber('--seed', flags.seed, 1, 0, 2 ** 32 - 1),
    relayPort: readNumber('--relay-port', flags['relay-port'], DEFAULT_RELAY_PORT, 1, 65_535),
    ...(fault && { fault }),
    ...(flags.afterwards !== undefined && {
      afterwards: readForm(flags.afterwards, ['resume', 'rollback'], NAME, 'way'),
    }),
    ...(directory !== undefined && readDirectory(directory)),
  };
  const paint = painter(io.stderr, io.env);
  const found = await rehearse({ ...settings, onEvent: createProgress(io.stderr, paint, io.env['TERM']) });
  const rehearsal =
    directory === undefined ? found : { ...found, problems: found.problems.map(inDirectory(directory)) };
  for (const { file, ...problem } of rehearsal.problems) io.stderr.write(printProblems([problem], file, paint));
  io.stdout.write(
    printAs(form, rehearsal, () =>
      rehearsal.outcome === 'refused' ? '' : printReport(rehearsal, painter(io.stdout, io.env)),
    ),
  );
  return STATUSES[rehearsal.outcome];
}

/** Problems name the files that were read, and not those of the simulated node. */
function inDirectory(directory: string) {
  return (problem: FileProblem): FileProblem => ({
    ...problem,
    file: join(directory, problem.file.slice(MANIFESTS_DIRECTORY.length)),
  });
}

/** The status of a rehearsal is that of the change. */
const STATUSES: Readonly<Record<RehearsalOutcome, Status>> = {
  done: STATUS.done,
  failed: STATUS.failed,
  refused: STATUS.preflight,
  stopped: STATUS.stopped,
  undone: STATUS.undone,
};
