import { join } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { hasErrors, type Problem } from '../../core/problem.ts';
import type { BootstrapperKind, Outcome, RenderedNode } from '../../node/bootstrapper.ts';
import { bootstrapperNamed } from '../../node/registry.ts';
import { NODE_FLAGS, readFlags, readForm, readSettings, requireFile } from '../arguments.ts';
import { nameOf, readDocuments } from '../input.ts';
import { STATUS, type Command, type Io, type Status } from '../io.ts';
import { countProblems, painter, printProblems } from '../output.ts';

const FORMS = ['base64', 'script', 'variables', 'json'] as const;
type Form = (typeof FORMS)[number];

/** A document that was accepted, with its warnings. */
interface Accepted {
  readonly node: RenderedNode;
  readonly problems: readonly Problem[];
}

export const nodeRender: Command = {
  summary: 'print the script that a new node runs',
  help: `Prints the script that a new node runs, as a virtual machine's custom data.

Examples:
  bootlace node render -f pool.yaml                        base64, one line a document
  bootlace node render -f pool.yaml -o script | less       the script itself
  bootlace node render -f pool.yaml -o script -O node.sh   into a file, with a summary
  bootlace node render -f pools.yaml -o script -O scripts/ several documents: 0000.sh, 0001.sh …
  cat pool.json | bootlace node render -f - -o variables   what the script assigns, as JSON

Flags:
  -f, --file FILE          YAML or JSON, several documents allowed; - is standard input
  -o, --output FORM        base64 (default), script, variables, json
  -O, --output-file OUT    write there instead, atomically and with mode 0600
      --bootstrapper NAME  aks (default, short for aks/v1.14), aks/v1.14, aks/v0.4.0
      --lenient            values of the Go package; findings about meaning are warnings

What is printed carries the bootstrap token. Warnings go to standard error.
Exit status: 0 rendered, 1 could not write, 2 usage or refused input (then nothing is printed).
`,
  run: runRender,
};

async function runRender(args: readonly string[], io: Io): Promise<Status> {
  const flags = readFlags(args, { ...NODE_FLAGS, 'output-file': { type: 'string', short: 'O' } }, 'node render');
  const form = readForm(flags.output, FORMS, 'node render');
  const out = flags['output-file'];
  if (out === '') throw new UsageError('-O names no file', 'Write `-O FILE`, or leave it out for standard output.');
  const settings = readSettings(flags);
  const file = requireFile(flags.file, 'node render');
  const kind = bootstrapperNamed(settings.bootstrapper);
  const outcomes = (await readDocuments(file, io)).map((document): Outcome => {
    if (document.problems.length > 0) return { problems: document.problems, node: undefined };
    return kind.assess(document.value, { ...settings, source: document.source });
  });
  const problems = outcomes.flatMap((outcome) => outcome.problems);
  if (hasErrors(problems)) return refuse(problems, file, io);
  const accepted = outcomes.filter((outcome): outcome is Accepted => outcome.node !== undefined);
  if (out === undefined) {
    if (form === 'script' && accepted.length > 1) {
      throw new UsageError(
        `the file has ${accepted.length} documents, and scripts cannot be told apart on one output`,
        'Write `-O DIRECTORY`, or another form.',
      );
    }
    warn(problems, file, io);
    io.stdout.write(accepted.map((one) => print(one, form, kind)).join(''));
    return STATUS.done;
  }
  const { summarize } = await import('../summary.ts');
  const written = await writeAll(accepted, form, kind, out);
  io.stderr.write(summarize(written, problems, nameOf(file), kind, painter(io.stderr, io.env)));
  return STATUS.done;
}

function refuse(problems: readonly Problem[], file: string, io: Io): Status {
  const paint = painter(io.stderr, io.env);
  io.stderr.write(
    `${printProblems(problems, nameOf(file), paint)}\n${nameOf(file)}: ${countProblems(problems)}; nothing was rendered\n`,
  );
  return STATUS.refused;
}

function warn(problems: readonly Problem[], file: string, io: Io): void {
  if (problems.length === 0) return;
  io.stderr.write(`${printProblems(problems, nameOf(file), painter(io.stderr, io.env))}\n`);
}

function print({ node, problems }: Accepted, form: Form, kind: BootstrapperKind): string {
  switch (form) {
    case 'base64':
      return `${node.base64}\n`;
    case 'script':
      return node.text();
    case 'variables':
      return `${JSON.stringify(node.variables())}\n`;
    case 'json':
      return `${JSON.stringify({
        bootstrapper: kind.name,
        script: node.base64,
        bytes: node.bytes,
        base64Length: node.base64.length,
        limit: kind.limit,
        problems,
      })}\n`;
    default:
      return form satisfies never;
  }
}

/** A file that was written, with the node whose script is in it. */
export interface Written {
  readonly path: string;
  readonly node: RenderedNode;
}

async function writeAll(
  accepted: readonly Accepted[],
  form: Form,
  kind: BootstrapperKind,
  out: string,
): Promise<readonly Written[]> {
  const { isDirectory, makeDirectory, writeAtomically } = await import('../write.ts');
  const intoDirectory = form === 'script' && (accepted.length > 1 || out.endsWith('/') || (await isDirectory(out)));
  if (!intoDirectory) {
    await writeAtomically(out, accepted.map((one) => print(one, form, kind)).join(''));
    return accepted.map(({ node }) => ({ path: out, node }));
  }
  await makeDirectory(out);
  const written: Written[] = [];
  for (const [index, one] of accepted.entries()) {
    const path = join(out, `${String(index).padStart(4, '0')}.sh`);
    await writeAtomically(path, print(one, form, kind));
    written.push({ path, node: one.node });
  }
  return written;
}
