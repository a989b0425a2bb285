import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderVariables } from '../../src/node/render.ts';
import { SCRIPT_CASES } from '../golden/cases.ts';
import { needs } from '../support/needs.ts';
import { runOnNode } from '../support/node.ts';
import { expectReceived, scriptOf } from '../support/received.ts';

const typical = SCRIPT_CASES.find((one) => one.name === 'typical')!;

describe.skipIf(!needs('mount namespace'))('on a node', () => {
  test.each(SCRIPT_CASES)('$name: the start script sees every variable with its value', (one) => {
    const { status, environment, stderr } = runOnNode(scriptOf(one));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expectReceived(one, environment!);
  });

  test('nothing but the assigned variables is added to the environment', () => {
    const { variables, decoded } = renderVariables(typical.options);
    const { environment } = runOnNode(scriptOf(typical));
    const own = new Set([...Object.keys(variables), ...Object.keys(decoded), 'PATH', 'PWD', 'SHLVL', '_', 'OLDPWD']);
    expect([...environment!.keys()].filter((name) => !own.has(name))).toEqual([]);
  });

  test('any text arrives as it was written', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom(
          "'",
          '"',
          '`',
          '$',
          '\\',
          '\n',
          '\r',
          '\t',
          ' ',
          '!',
          '#',
          '*',
          '~',
          '(',
          ')',
          'é',
          '😀',
          '\u0001',
        ),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
      ),
      maxLength: 40,
    });
    const name = fc.stringMatching(/^BOOTLACE_[A-Z0-9_]{1,12}$/);
    const clean = text.map((value) => value.replaceAll('\0', ''));
    fc.assert(
      fc.property(fc.dictionary(name, clean, { minKeys: 10, maxKeys: 40 }), clean, (extraVariables, resourceGroup) => {
        const options = { ...typical.options, resourceGroup, extraVariables };
        const { environment } = runOnNode(scriptOf({ ...typical, lenient: true, options }));
        expect(environment!.get('RESOURCE_GROUP')).toBe(resourceGroup);
        for (const [key, value] of Object.entries(extraVariables)) expect(environment!.get(key)).toBe(value);
      }),
      { numRuns: 25, seed: 20_260_629 },
    );
  });

  test('the script marks the manifest, makes the events folder and logs date and host', () => {
    const log = '/var/log/azure/cluster-provision-cse-output.log';
    const { files } = runOnNode(scriptOf(typical), { files: ['/opt/azure/manifest.json', log] });
    expect(files.get('/opt/azure/manifest.json')).toBe('#EOF\n');
    expect(files.get(log)).toMatch(/^[^\n]*\d{4}[^\n]*,[^\n]+\n$/);
  });

  test('the script waits until the script of the image is whole', () => {
    const { status, environment } = runOnNode(scriptOf(typical), { readyAfter: 1.5 });
    expect({ status, started: environment !== undefined }).toEqual({ status: 0, started: true });
  });

  test('after 1,200 tries the script says what it waited for and exits with 100', () => {
    const log = '/var/log/azure/cluster-provision-cse-output.log';
    const run = runOnNode(scriptOf(typical), { readyAfter: 'never', fastSleep: true, files: [log] });
    expect({ status: run.status, started: run.environment !== undefined }).toEqual({ status: 100, started: false });
    expect(run.stderr).toContain('/opt/azure/containers/provision.sh');
    expect(run.files.get(log)).toContain('/opt/azure/containers/provision.sh');
  });

  test('the exit status of the start script is the exit status of the script', () => {
    expect(runOnNode(scriptOf(typical), { startStatus: 51 }).status).toBe(51);
  });
});
