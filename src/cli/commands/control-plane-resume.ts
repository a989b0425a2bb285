import { readFlags } from '../arguments.ts';
import { PLACE_FLAGS, PLACE_HELP } from '../control-plane/place.ts';
import { RUN_FLAGS, RUN_HELP, runAt } from '../control-plane/run.ts';
import type { Command, Io, Status } from '../io.ts';

const NAME = 'control-plane resume';

export const controlPlaneResume: Command = {
  summary: 'go on with a change of this node that was stopped',
  help: `Goes on with the run that the journal of this node tells of, in the direction that it had: after a kill, a reboot or
Ctrl-C. It needs the files of the node, and no API to begin with.

Examples:
  bootlace control-plane resume
  bootlace control-plane resume --simulated cluster.json

Flags:
${PLACE_HELP}
${RUN_HELP}

Exit status: 0 done, 1 failed, 2 usage, 3 there is nothing to go on with, 4 stopped again, 5 undone: what served before
serves again.
`,
  run: async (args: readonly string[], io: Io): Promise<Status> => {
    const flags = readFlags(args, { ...PLACE_FLAGS, ...RUN_FLAGS } as const, NAME);
    return runAt({ verb: 'resume' }, flags, NAME, io);
  },
};
