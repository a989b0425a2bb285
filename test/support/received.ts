import { parse as parseToml } from 'smol-toml';
import { expect } from 'vitest';
import { render, renderVariables } from '../../src/node/render.ts';
import type { ScriptCase } from '../golden/cases.ts';

/** The script of a case, as a node has it. */
export function scriptOf({ bootstrapper, lenient, options }: ScriptCase): string {
  return decode(render(options, { bootstrapper, lenient: lenient ?? false }).script);
}

/** Compares what the image's start script was given with what the options mean. */
export function expectReceived(one: ScriptCase, environment: ReadonlyMap<string, string>): void {
  const { bootstrapper, lenient = false, options } = one;
  const { variables, decoded } = renderVariables(options, { bootstrapper, lenient });
  const seen = Object.fromEntries(Object.keys(variables).map((name) => [name, environment.get(name)]));
  expect(seen).toEqual({ ...variables });
  expect(parseToml(decode(environment.get('CONTAINERD_CONFIG_CONTENT')!))).toEqual(
    decoded['CONTAINERD_CONFIG_CONTENT'],
  );
  const flags = Object.entries(decoded['KUBELET_FLAGS'] as Record<string, string>).map(
    ([name, value]) => `${name}=${value}`,
  );
  expect(environment.get('KUBELET_FLAGS')!.split(' --')).toEqual(flags.join(' ').split(' --'));
  const labels = Object.entries(decoded['KUBELET_NODE_LABELS'] as Record<string, string>);
  const sorted = labels.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => `${key}=${value}`);
  expect(environment.get('KUBELET_NODE_LABELS')).toBe(sorted.join(','));
}

function decode(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}
