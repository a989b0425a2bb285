import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UsageError } from '../core/errors.ts';
import { nearestName } from '../core/nearest.ts';
import { bootstrapperNamed } from '../node/registry.ts';

type Flags = NonNullable<ParseArgsConfig['options']>;
type Values<F extends Flags> = ReturnType<
  typeof parseArgs<{ options: F; strict: true; allowPositionals: false }>
>['values'];

/** Flags that every node verb takes. */
export const NODE_FLAGS = {
  file: { type: 'string', short: 'f' },
  bootstrapper: { type: 'string' },
  lenient: { type: 'boolean' },
  output: { type: 'string', short: 'o' },
} as const satisfies Flags;

/** Reads the flags of a command, and says what to type instead of one that does not exist. */
export function readFlags<F extends Flags>(args: readonly string[], flags: F, command: string): Values<F> {
  try {
    const parsed = parseArgs({ args: [...args], options: flags, strict: true, allowPositionals: false, tokens: true });
    for (const name of repeated(parsed.tokens)) {
      if (flags[name]?.multiple) continue;
      const hint = 'Several documents go into one file, with `---` between them.';
      throw new UsageError(`--${name} is given twice`, name === 'file' ? hint : 'Give it once.');
    }
    return parsed.values as Values<F>;
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof TypeError)) throw error;
    throw usageError(error, flags, command);
  }
}

function repeated(tokens: readonly { readonly kind: string; readonly name?: string }[]): readonly string[] {
  const names = tokens.filter((token) => token.kind === 'option').map((token) => token.name ?? '');
  return names.filter((name, index) => names.indexOf(name) !== index);
}

function usageError(error: TypeError, flags: Flags, command: string): UsageError {
  const help = `Run \`bootlace ${command} --help\` for its flags.`;
  const unknown = /^Unknown option '(-{1,2})([^']*)'/.exec(error.message);
  if (unknown) {
    const near = nearestName(unknown[2]!, Object.keys(flags));
    return new UsageError(
      `${command} has no flag ${unknown[1]}${unknown[2]}`,
      near && unknown[1] === '--' ? `Did you mean --${near}?` : help,
    );
  }
  const positional = /^Unexpected argument '([^']*)'/.exec(error.message);
  if (positional)
    return new UsageError(
      `${command} takes no argument ${JSON.stringify(positional[1])}`,
      'file' in flags ? `A file goes behind -f, as in \`bootlace ${command} -f FILE\`.` : help,
    );
  return new UsageError(error.message.split(/\. |\n/)[0]!, help);
}

/** The value of `--output`, one of the forms that the command has. */
export function readForm<T extends string>(
  given: string | undefined,
  forms: readonly [T, ...T[]],
  command: string,
  what = 'output form',
): T {
  if (given === undefined) return forms[0];
  const form = forms.find((known) => known === given);
  if (form !== undefined) return form;
  throw new UsageError(`${command} has no ${what} ${JSON.stringify(given)}`, `Known: ${forms.join(', ')}.`);
}

/** The settings that node verbs share. An unknown bootstrapper is reported before any file is read. */
export function readSettings(flags: {
  readonly bootstrapper?: string | undefined;
  readonly lenient?: boolean | undefined;
}): {
  readonly bootstrapper: string;
  readonly lenient: boolean;
} {
  return { bootstrapper: bootstrapperNamed(flags.bootstrapper).name, lenient: flags.lenient ?? false };
}

/** The file that `-f` names. */
export function requireFile(file: string | undefined, command: string): string {
  if (file) return file;
  throw new UsageError(
    `${command} needs a file`,
    `Write \`bootlace ${command} -f FILE\`, or \`-f -\` for standard input.`,
  );
}
