/**
 * Shell text that is safe to put into a script. Only {@link quote} makes it out of a value, so a value that
 * was not quoted does not compile where a script is put together.
 */
export type ShellWord = string & { readonly [shellWord]: true };
declare const shellWord: unique symbol;

/**
 * Quotes a value for bash: inside single quotes every byte stands for itself, and a single quote is written
 * as an escaped one between two quoted runs.
 *
 * The value must not hold NUL, which no shell variable can carry; the option reader refuses it.
 */
export function quote(value: string): ShellWord {
  const inner = value.includes("'") ? value.replaceAll("'", String.raw`'\''`) : value;
  return `'${inner}'` as ShellWord;
}

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Whether bash takes the name as the name of a variable. */
export function isIdentifier(name: string): boolean {
  return IDENTIFIER.test(name);
}

/** One assignment, without a line break at its end. */
export function assignment(name: string, value: ShellWord): string {
  return `${name}=${value}`;
}
