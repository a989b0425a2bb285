import { UsageError } from '../../core/errors.ts';
import { readFlags } from '../arguments.ts';
import { PLACE_FLAGS, PLACE_HELP } from '../control-plane/place.ts';
import { RUN_FLAGS, RUN_HELP, runAt } from '../control-plane/run.ts';
import type { Command, Io, Status } from '../io.ts';

const NAME = 'control-plane rollback';

export const controlPlaneRollback: Command = {
  summary: 'take back a change of this node, or its pivot',
  help: `Takes back the run that is open on this node, from wherever it stopped; without one, the pivot of the node, however
long ago that was. What served before serves again, and nothing of bootlace is left.

Where no API is to be had at all, --offline goes by files and the container runtime alone. What is left in the cluster is
removed by a second \`rollback --finish\` once there is an API; \`status\` says so until then.

Examples:
  bootlace control-plane rollback
  bootlace control-plane rollback --offline
  bootlace control-plane rollback --finish
  bootlace control-plane rollback --simulated cluster.json

Flags:
${PLACE_HELP}
      --offline            without any API: static Pods are brought back, and the cluster is told later
      --finish             removes what an offline way back has left in the cluster
${RUN_HELP}

Exit status: 0 undone, as it was to be, 1 failed, 2 usage, 3 there is nothing to take back, 4 stopped with a journal open.
`,
  run: runRollback,
};

async function runRollback(args: readonly string[], io: Io): Promise<Status> {
  const all = { ...PLACE_FLAGS, ...RUN_FLAGS, offline: { type: 'boolean' }, finish: { type: 'boolean' } } as const;
  const flags = readFlags(args, all, NAME);
  if (flags.offline && flags.finish)
    throw new UsageError('--offline and --finish are given at once', 'Give --finish once there is an API again.');
  return runAt({ verb: flags.offline ? 'rollback-offline' : flags.finish ? 'finish' : 'rollback' }, flags, NAME, io);
}
