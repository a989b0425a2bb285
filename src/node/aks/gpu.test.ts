import { describe, expect, test } from 'vitest';
import { findings, SEED, v040, v114, variablesOf } from '../../../test/support/options.ts';
import { renderVariables } from '../render.ts';

const VALUES = { gpuDriverVersion: '580.159.04', gpuDriverType: 'cuda-lts', gpuImageSHA: '20260629214430' };
const ON = { gpuNode: true, gpuDriverInstallationEnabled: true, ...VALUES };
const SEED_ON = { gpuNode: true, gpuDriverVersion: 'cuda-535.54.03', gpuImageSHA: 'sha-ff213d' };

function gpuOf(options: unknown, settings = {}): unknown {
  const { variables, decoded } = renderVariables(options, settings);
  const { GPU_NODE, CONFIG_GPU_DRIVER_IF_NEEDED, GPU_DRIVER_VERSION, GPU_DRIVER_TYPE, GPU_IMAGE_SHA } = variables;
  const runtime = JSON.stringify(decoded['CONTAINERD_CONFIG_CONTENT']).includes('nvidia') ? 'nvidia' : 'runc';
  return [GPU_NODE, CONFIG_GPU_DRIVER_IF_NEEDED, GPU_DRIVER_VERSION, GPU_DRIVER_TYPE, GPU_IMAGE_SHA, runtime];
}

describe('set-up on aks/v1.14', () => {
  test('is on with both switches', () => {
    expect(findings(v114(ON))).toEqual([]);
    expect(gpuOf(v114(ON))).toEqual(['true', 'true', '580.159.04', 'cuda-lts', '20260629214430', 'nvidia']);
  });

  test.each([
    ['the installation is off', { gpuDriverInstallationEnabled: false }],
    ['the installation is not named', { gpuDriverInstallationEnabled: null }],
    ['the node has no GPU', { gpuNode: false }],
  ])('is off when %s, with a warning for each value', (_, off) => {
    const options = v114({ ...ON, ...off });
    expect(findings(options)).toEqual([
      'warning GPU_UNUSED /gpuDriverType',
      'warning GPU_UNUSED /gpuDriverVersion',
      'warning GPU_UNUSED /gpuImageSHA',
    ]);
    expect(gpuOf(options)).toEqual(['false', 'false', '', '', '', 'runc']);
  });

  test.each(Object.keys(VALUES))('needs %s', (field) => {
    for (const value of ['', null]) {
      expect(findings(v114({ ...ON, [field]: value }))).toEqual([`error GPU_INCOMPLETE /${field}`]);
    }
  });

  test.each(Object.keys(VALUES))('takes no blank in %s', (field) => {
    expect(findings(v114({ ...ON, [field]: 'a b' }))).toEqual([`error CHARACTER_UNSAFE /${field}`]);
  });
});

describe('set-up on aks/v0.4.0', () => {
  test('is on with gpuNode alone, and needs no driver type', () => {
    expect(findings(v040(SEED_ON), SEED)).toEqual([]);
    expect(gpuOf(v040(SEED_ON), SEED)).toEqual(['true', 'true', 'cuda-535.54.03', undefined, 'sha-ff213d', 'nvidia']);
  });

  test('leaves the driver switch on without a GPU, as in Go', () => {
    expect(variablesOf(v040(), SEED)).toMatchObject({ GPU_NODE: 'false', CONFIG_GPU_DRIVER_IF_NEEDED: 'true' });
  });

  test('has no driver type and no installation switch', () => {
    expect(findings(v040({ ...SEED_ON, gpuDriverType: 'cuda', gpuDriverInstallationEnabled: true }), SEED)).toEqual([
      'error FIELD_WRONG_PROFILE /gpuDriverInstallationEnabled',
      'error FIELD_WRONG_PROFILE /gpuDriverType',
    ]);
  });

  test.each(['gpuDriverVersion', 'gpuImageSHA'])('needs %s', (field) => {
    expect(findings(v040({ ...SEED_ON, [field]: '' }), SEED)).toEqual([`error GPU_INCOMPLETE /${field}`]);
  });
});
