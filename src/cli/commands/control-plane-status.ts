import { status } from '../../control-plane/operations/status.ts';
import { printAs } from '../control-plane/print.ts';
import { readFlags, readForm } from '../arguments.ts';
import { openPlace, PLACE_FLAGS, PLACE_HELP } from '../control-plane/place.ts';
import { printStatus } from '../control-plane/status-report.ts';
import { STATUS, type Command, type Io, type Status } from '../io.ts';
import { painter } from '../output.ts';

const NAME = 'control-plane status';

export const controlPlaneStatus: Command = {
  summary: 'say who really serves on this node, and what to do next',
  help: `Says for each component of this node's control plane which process serves on its port and what started it, whether
it runs as it is defined, who leads, what is left of a run, what of kubeadm may be used now, and what to do next. It goes
by processes and ports, and works without an API.

Examples:
  bootlace control-plane status
  bootlace control-plane status -o json | jq .next
  bootlace control-plane status --simulated cluster.json

Flags:
${PLACE_HELP}
  -o, --output FORM        table (default), json, yaml

Exit status: 0 nothing is left to do, 1 something is, 2 usage.
`,
  run: runStatus,
};

async function runStatus(args: readonly string[], io: Io): Promise<Status> {
  const flags = readFlags(args, { ...PLACE_FLAGS, output: { type: 'string', short: 'o' } } as const, NAME);
  const form = readForm(flags.output, ['table', 'json', 'yaml'], NAME);
  const place = await openPlace(flags, NAME, io);
  const found = await status(place.station()).finally(() => place.close());
  io.stdout.write(printAs(form, found, () => printStatus(found, painter(io.stdout, io.env))));
  return found.next.length === 0 ? STATUS.done : STATUS.failed;
}
