import { readFlags } from '../arguments.ts';
import { acceptsRisk } from '../control-plane/consent.ts';
import { PLACE_FLAGS, PLACE_HELP } from '../control-plane/place.ts';
import { CHANGE_FLAGS, CHANGE_HELP, readPivot } from '../control-plane/change.ts';
import { RUN_FLAGS, RUN_HELP, runAt } from '../control-plane/run.ts';
import { STATUS, type Command, type Io, type Status } from '../io.ts';

const NAME = 'control-plane pivot';

export const controlPlanePivot: Command = {
  summary: 'let the cluster host the control plane of this node itself',
  help: `Turns the static Pods of this node's control plane into Pods of DaemonSets, one component after the other. A second
API server takes the connections meanwhile; each step is journalled, proven and taken back where it fails.

Examples:
  bootlace control-plane pivot
  bootlace control-plane plan -o yaml > plan.yaml
  bootlace control-plane pivot -f plan.yaml --accept-reboot-risk
  bootlace control-plane pivot --simulated cluster.json --fault power-cut@kube-scheduler/start
  bootlace control-plane resume --simulated cluster.json

Afterwards nothing on the disk of the node starts its API server: a reboot, or somebody who deletes its Pod, takes it away
until \`bootlace control-plane rollback\` brings the static Pods back, which needs no API. So this asks first.

Flags:
${PLACE_HELP}
${CHANGE_HELP}
  -f, --file FILE          a plan, which is carried out as it was made; refused where it is stale
      --accept-reboot-risk what a reboot does is known, and nobody is asked; a simulated cluster needs it not
${RUN_HELP}

Ctrl-C once stops when the step that runs has come to its end, twice at once; \`resume\` and \`rollback\` go on from there.
Exit status: 0 done, 1 failed, 2 usage, 3 refused and nothing was changed, 4 stopped with a journal open, 5 undone: what
served before serves again.
`,
  run: runPivot,
};

async function runPivot(args: readonly string[], io: Io): Promise<Status> {
  const flags = readFlags(
    args,
    {
      ...PLACE_FLAGS,
      ...CHANGE_FLAGS,
      ...RUN_FLAGS,
      file: { type: 'string', short: 'f' },
      'accept-reboot-risk': { type: 'boolean' },
      yes: { type: 'boolean', short: 'y' },
    } as const,
    NAME,
  );
  const wanted = await readPivot(flags, io, NAME);
  const isReal = flags.simulated === undefined;
  if (isReal && !flags['accept-reboot-risk'] && !(await acceptsRisk(flags.yes === true, io))) return STATUS.preflight;
  return runAt({ verb: 'pivot', ...wanted }, flags, NAME, io);
}
