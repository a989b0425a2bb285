import { VERSION } from '../../core/version.ts';
import { BOOTSTRAPPER_NAMES } from '../../node/registry.ts';
import { readFlags, readForm } from '../arguments.ts';
import { STATUS, type Command, type Io, type Status } from '../io.ts';

export const version: Command = {
  summary: 'print the version and the bootstrappers',
  help: `Prints the version of bootlace and its bootstrappers.

Examples:
  bootlace version
  bootlace version -o json

Flags:
  -o, --output FORM  text (default), json
`,
  run: runVersion,
};

async function runVersion(args: readonly string[], io: Io): Promise<Status> {
  const flags = readFlags(args, { output: { type: 'string', short: 'o' } }, 'version');
  const form = readForm(flags.output, ['text', 'json'], 'version');
  const facts = { version: VERSION, bootstrappers: BOOTSTRAPPER_NAMES };
  io.stdout.write(
    form === 'json' ? `${JSON.stringify(facts)}\n` : `bootlace ${VERSION} (${BOOTSTRAPPER_NAMES.join(', ')})\n`,
  );
  return STATUS.done;
}
