import { dump } from 'js-yaml';
import { hasErrors, sortProblems, type Problem } from '../../core/problem.ts';
import { check } from '../../node/check.ts';
import { NODE_FLAGS, readFlags, readForm, readSettings, requireFile } from '../arguments.ts';
import { nameOf, readDocuments } from '../input.ts';
import { STATUS, type Command, type Io, type Status } from '../io.ts';
import { countProblems, painter, printProblems } from '../output.ts';

const FORMS = ['table', 'json', 'yaml'] as const;

export const nodeCheck: Command = {
  summary: 'say everything that is wrong with options',
  help: `Says everything that is wrong with the options of a node, with the place and what to write instead.

Examples:
  bootlace node check -f pool.yaml
  bootlace node check -f pool.yaml --fail-on warning       for CI
  bootlace node check -f pool.yaml -o json | jq '.[].code'

Flags:
  -f, --file FILE          YAML or JSON, several documents allowed; - is standard input
  -o, --output FORM        table (default), json, yaml
      --fail-on SEVERITY   error (default) or warning
      --bootstrapper NAME  aks (default, short for aks/v1.14), aks/v1.14, aks/v0.4.0
      --lenient            what the Go package would let pass is a warning

Looks further than render: certificates are parsed, and their expiry is compared with the clock.
Exit status: 0 nothing at or above --fail-on, 2 something, or usage.
`,
  run: runCheck,
};

async function runCheck(args: readonly string[], io: Io): Promise<Status> {
  const flags = readFlags(args, { ...NODE_FLAGS, 'fail-on': { type: 'string' } }, 'node check');
  const form = readForm(flags.output, FORMS, 'node check');
  const failOn = readForm(flags['fail-on'], ['error', 'warning'], 'node check', 'severity');
  const settings = readSettings(flags);
  const file = requireFile(flags.file, 'node check');
  const documents = await readDocuments(file, io);
  const problems = sortProblems(
    documents.flatMap(({ value, source, problems: faults }) =>
      faults.length > 0 ? faults : check(value, { ...settings, source, now: io.now() }),
    ),
  );
  io.stdout.write(print(problems, form, file, documents.length, io));
  return hasErrors(problems) || (failOn === 'warning' && problems.length > 0) ? STATUS.refused : STATUS.done;
}

function print(
  problems: readonly Problem[],
  form: (typeof FORMS)[number],
  file: string,
  documents: number,
  io: Io,
): string {
  switch (form) {
    case 'json':
      return `${JSON.stringify(problems, undefined, 2)}\n`;
    case 'yaml':
      return dump(problems, { noRefs: true });
    case 'table': {
      const paint = painter(io.stdout, io.env);
      const found = problems.length > 0 ? `${printProblems(problems, nameOf(file), paint)}\n` : '';
      const count = problems.length > 0 ? countProblems(problems) : paint('green', 'no problems');
      return `${found}${nameOf(file)}: ${count} in ${documents} ${documents === 1 ? 'document' : 'documents'}\n`;
    }
    default:
      return form satisfies never;
  }
}
