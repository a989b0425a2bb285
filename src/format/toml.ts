/** What a TOML value can be here: the subset that containerd's configuration uses. */
export type TomlValue = string | number | boolean | readonly string[] | TomlTable;

export interface TomlTable {
  readonly [key: string]: TomlValue;
}

/**
 * Prints a table as TOML: the plain values of a table first, then its sub-tables, both in the order given.
 * A table that holds only sub-tables gets no header of its own.
 */
export function printToml(table: TomlTable): string {
  const lines: string[] = [];
  printTable(table, [], lines);
  return `${lines.join('\n')}\n`;
}

function printTable(table: TomlTable, path: readonly string[], lines: string[]): void {
  const entries = Object.entries(table);
  const values = entries.filter((entry): entry is [string, Exclude<TomlValue, TomlTable>] => !isTable(entry[1]));
  if (path.length > 0 && values.length > 0) {
    if (lines.length > 0) lines.push('');
    lines.push(`[${path.map(printKey).join('.')}]`);
  }
  for (const [key, value] of values) lines.push(`${printKey(key)} = ${printValue(value)}`);
  for (const [key, value] of entries) if (isTable(value)) printTable(value, [...path, key], lines);
}

function isTable(value: TomlValue): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value);
}

function printKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : printString(key);
}

function printValue(value: Exclude<TomlValue, TomlTable>): string {
  if (typeof value === 'string') return printString(value);
  if (Array.isArray(value)) return `[${value.map(printString).join(', ')}]`;
  return String(value);
}

// JSON's escapes are a subset of TOML's basic strings, but for DEL, which TOML wants escaped as well.
function printString(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', String.raw`\u007F`);
}
