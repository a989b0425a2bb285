import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { render } from '../../src/node/render.ts';
import { needs } from '../support/needs.ts';
import { SCRIPT_CASES, type ScriptCase } from './cases.ts';
import { expectGolden } from './golden.ts';

function scriptOf({ bootstrapper, lenient, options }: ScriptCase): string {
  return Buffer.from(render(options, { bootstrapper, lenient: lenient ?? false }).script, 'base64').toString('utf8');
}

test.each(SCRIPT_CASES)('the script of $name is as recorded', (one) => {
  expectGolden(`scripts/${one.name}.sh`, scriptOf(one));
});

test.each(SCRIPT_CASES)('bash can read the script of $name', (one) => {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: scriptOf(one), encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test.skipIf(!needs('shellcheck'))('shellcheck finds nothing in any golden script', () => {
  for (const one of SCRIPT_CASES) {
    const { stdout, status } = spawnSync('shellcheck', ['-s', 'bash', '-'], { input: scriptOf(one), encoding: 'utf8' });
    expect({ name: one.name, stdout, status }).toEqual({ name: one.name, stdout: '', status: 0 });
  }
});
