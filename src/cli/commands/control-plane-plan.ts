import { planChange } from '../../control-plane/operations/plan.ts';
import { printAs } from '../control-plane/print.ts';
import { readFlags, readForm } from '../arguments.ts';
import { openPlace, PLACE_FLAGS, PLACE_HELP } from '../control-plane/place.ts';
import {
  CHANGE_FLAGS,
  CHANGE_HELP,
  readPivot,
  readRoll,
  ROLL_FLAGS,
  ROLL_HELP,
  speaksOfRoll,
} from '../control-plane/change.ts';
import { printPlan } from '../control-plane/plan-report.ts';
import { showProblems } from '../control-plane/problems.ts';
import { STATUS, type Command, type Io, type Status } from '../io.ts';
import { painter } from '../output.ts';

const NAME = 'control-plane plan';

export const controlPlanePlan: Command = {
  summary: 'say what a change of this node would do, prove, cost and refuse',
  help: `Plans a change of the control plane on this node, and changes nothing: its steps in order with what each checks,
proves and costs and how it is taken back, what breaks anyway, and everything that keeps it from beginning with its
remedy. Without flags of a roll it plans a pivot.

Examples:
  bootlace control-plane plan
  bootlace control-plane plan --set-flag v=4
  bootlace control-plane plan -o yaml > plan.yaml
  bootlace control-plane pivot -f plan.yaml
  bootlace control-plane plan --simulated cluster.json

Flags:
${PLACE_HELP}
${CHANGE_HELP}
  -o, --output FORM        table (default), json, yaml: what pivot and roll take with -f

Flags of a roll:
${ROLL_HELP}

Exit status: 0 ready, 2 usage, 3 refused.
`,
  run: runPlan,
};

async function runPlan(args: readonly string[], io: Io): Promise<Status> {
  const all = { ...PLACE_FLAGS, ...CHANGE_FLAGS, ...ROLL_FLAGS, output: { type: 'string', short: 'o' } } as const;
  const flags = readFlags(args, all, NAME);
  const form = readForm(flags.output, ['table', 'json', 'yaml'], NAME);
  const { change } = await (speaksOfRoll(flags) ? readRoll(flags, io, NAME) : readPivot(flags, io, NAME));
  const place = await openPlace(flags, NAME, io);
  const { plan } = await planChange(place.station(), change).finally(() => place.close());
  showProblems(plan.problems, io);
  io.stdout.write(printAs(form, plan, () => printPlan(plan, painter(io.stdout, io.env))));
  return plan.verdict === 'ready' ? STATUS.done : STATUS.preflight;
}
