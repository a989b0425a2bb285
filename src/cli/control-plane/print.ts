import { printYaml } from '../../format/yaml.ts';

export type PrintForm = 'table' | 'json' | 'yaml';

/** A result in the form that was asked for. The table is made where it is wanted alone. */
export function printAs(form: PrintForm, value: object, table: () => string): string {
  switch (form) {
    case 'json':
      return `${JSON.stringify(value, undefined, 2)}\n`;
    case 'yaml':
      return printYaml(value);
    case 'table':
      return table();
    default:
      return form satisfies never;
  }
}
