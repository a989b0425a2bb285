import { dump } from 'js-yaml';
import { bootstrapperNamed } from '../../node/registry.ts';
import { readFlags, readForm } from '../arguments.ts';
import { STATUS, type Command, type Io, type Status } from '../io.ts';

export const schema: Command = {
  summary: "print the JSON Schema of a bootstrapper's options",
  help: `Prints the JSON Schema (draft 2020-12) of a bootstrapper's options, for editors and generators.

Examples:
  bootlace schema > aks.schema.json
  bootlace schema --bootstrapper aks/v0.4.0 -o yaml

Flags:
      --bootstrapper NAME  aks (default, short for aks/v1.14), aks/v1.14, aks/v0.4.0
  -o, --output FORM        json (default), yaml

A schema sees one field at a time: \`bootlace node check\` knows the rest.
Exit status: 0 done, 2 usage.
`,
  run: runSchema,
};

async function runSchema(args: readonly string[], io: Io): Promise<Status> {
  const flags = readFlags(args, { bootstrapper: { type: 'string' }, output: { type: 'string', short: 'o' } }, 'schema');
  const form = readForm(flags.output, ['json', 'yaml'], 'schema');
  const document = bootstrapperNamed(flags.bootstrapper).schema();
  io.stdout.write(form === 'json' ? `${JSON.stringify(document, undefined, 2)}\n` : dump(document, { noRefs: true }));
  return STATUS.done;
}
