import { describe, expect, test } from 'vitest';
import { CA_BUNDLE, findings, LENIENT, problemAt, v114 } from '../../../test/support/options.ts';
import { RefusedError } from '../../core/errors.ts';
import { render } from '../render.ts';
import { encodedLength } from '../../format/base64.ts';

/** Options whose script has exactly so many bytes. */
function ofSize(bytes: number): Record<string, unknown> {
  const empty = render(v114({ extraVariables: { KUBELET_IMAGE: '' } })).bytes;
  return v114({ extraVariables: { KUBELET_IMAGE: 'x'.repeat(bytes - empty) } });
}

test('65,535 bytes and 87,380 characters of base64 are as much as Azure takes', () => {
  const rendering = render(ofSize(65_535));
  expect(rendering).toMatchObject({ bytes: 65_535, base64Length: 87_380, limit: 65_535, problems: [] });
  expect(Buffer.from(rendering.script, 'base64')).toHaveLength(65_535);
});

describe('one byte more', () => {
  const options = ofSize(65_536);

  test('is refused', () => {
    expect(findings(options)).toEqual(['error RESULT_TOO_LARGE ']);
    expect(() => render(options)).toThrow(RefusedError);
  });

  test('is a warning under lenient', () => {
    expect(findings(options, LENIENT)).toEqual(['warning RESULT_TOO_LARGE ']);
    expect(render(options, LENIENT).bytes).toBe(65_536);
  });

  test('is reported with the size, the limit and the largest part', () => {
    const { message, hint } = problemAt('', options);
    expect(message).toContain('65536 bytes (87384 characters of base64)');
    expect(message).toContain('65535 (87380)');
    expect(hint).toMatch(/^Largest parts: KUBELET_IMAGE \(\d+ bytes\), /);
  });
});

test('bytes are counted and not characters', () => {
  const options = v114({ extraVariables: { KUBELET_IMAGE: '👍'.repeat(15_000) } });
  expect(problemAt('', options).hint).toContain('KUBELET_IMAGE (60000 bytes)');
});

test('a long list of certificates is the largest part, by the override that holds it', () => {
  const options = v114({ overrides: { customCATrustConfigCerts: Array.from({ length: 120 }, () => CA_BUNDLE) } });
  expect(problemAt('', options).hint).toMatch(/^Largest parts: overrides\.customCATrustConfigCerts \(\d+ bytes\)/);
});

test('base64 has four characters for each three bytes that were begun', () => {
  expect([0, 1, 2, 3, 4, 65_535].map(encodedLength)).toEqual([0, 4, 4, 4, 8, 87_380]);
});
