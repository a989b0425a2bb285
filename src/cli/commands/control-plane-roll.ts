import { readFlags } from '../arguments.ts';
import { PLACE_FLAGS, PLACE_HELP } from '../control-plane/place.ts';
import { CHANGE_FLAGS, CHANGE_HELP, readRoll, ROLL_FLAGS, ROLL_HELP } from '../control-plane/change.ts';
import { RUN_FLAGS, RUN_HELP, runAt } from '../control-plane/run.ts';
import type { Command, Io, Status } from '../io.ts';

const NAME = 'control-plane roll';

export const controlPlaneRoll: Command = {
  summary: 'give a component of this node another flag, image or process without an outage',
  help: `Rolls components of this node's control plane, static Pods or hosted ones, and leaves them what they are. The new
definition is first proven on another port: where it fails there, what serves was never touched.

Examples:
  bootlace control-plane roll --restart
  bootlace control-plane roll --set-flag v=4 --remove-flag profiling
  bootlace control-plane roll --component kube-scheduler --set-flag v=4
  bootlace control-plane roll --image registry.k8s.io/kube-apiserver:v1.35.5
  bootlace control-plane roll -f kube-apiserver.yaml
  bootlace control-plane roll --restart --simulated cluster.json

What to roll:
${ROLL_HELP}

Flags:
${PLACE_HELP}
${CHANGE_HELP}
${RUN_HELP}

Ctrl-C once stops when the step that runs has come to its end, twice at once; \`resume\` and \`rollback\` go on from there.
Exit status: 0 done, 1 failed, 2 usage, 3 refused and nothing was changed, 4 stopped with a journal open, 5 undone: what
served before serves again.
`,
  run: runRoll,
};

async function runRoll(args: readonly string[], io: Io): Promise<Status> {
  const flags = readFlags(args, { ...PLACE_FLAGS, ...CHANGE_FLAGS, ...ROLL_FLAGS, ...RUN_FLAGS } as const, NAME);
  return runAt({ verb: 'roll', ...(await readRoll(flags, io, NAME)) }, flags, NAME, io);
}
