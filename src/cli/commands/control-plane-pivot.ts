import { readFlags } from '../arguments.ts';
import { PLACE_FLAGS, PLACE_HELP } from '../control-plane/bench.ts';
import { CHANGE_FLAGS, CHANGE_HELP, readPivot } from '../control-plane/change.ts';
import { RUN_FLAGS, RUN_HELP, runOnBench } from '../control-plane/run.ts';
import type { Command, Io, Status } from '../io.ts';

const NAME = 'control-plane pivot';

export const controlPlanePivot: Command = {
  summary: 'let the cluster host the control plane of this node itself',
  help: `Turns the static Pods of this node's control plane into Pods of DaemonSets, one component after the other. A second
API server takes the connections meanwhile; each step is journalled, proven and taken back where it fails.

Examples:
  bootlace control-plane pivot --simulated cluster.json
  bootlace control-plane plan --simulated cluster.json -o yaml > plan.yaml
  bootlace control-plane pivot --simulated cluster.json -f plan.yaml
  bootlace control-plane pivot --simulated cluster.json --fault power-cut@kube-scheduler/start
  bootlace control-plane resume --simulated cluster.json

Flags:
${PLACE_HELP}
${CHANGE_HELP}
  -f, --file FILE          a plan, which is carried out as it was made; refused where it is stale
${RUN_HELP}

Ctrl-C once stops when the step that runs has come to its end, twice at once; \`resume\` and \`rollback\` go on from there.
Exit status: 0 done, 1 failed, 2 usage, 3 refused and nothing was changed, 4 stopped with a journal open, 5 undone: what
served before serves again.
`,
  run: runPivot,
};

async function runPivot(args: readonly string[], io: Io): Promise<Status> {
  const all = { ...PLACE_FLAGS, ...CHANGE_FLAGS, ...RUN_FLAGS, file: { type: 'string', short: 'f' } } as const;
  const flags = readFlags(args, all, NAME);
  return runOnBench({ verb: 'pivot', ...(await readPivot(flags, io, NAME)) }, flags, NAME, io);
}
