import { expect, test } from 'vitest';
import { moduleOf } from './build.ts';

test('a release is built from its module, with the published versions of its staging modules', () => {
  const goMod = [
    'module k8s.io/kubernetes',
    'go 1.25.0',
    'require k8s.io/api v0.0.0',
    'replace (',
    '\tk8s.io/api => ./staging/src/k8s.io/api',
    '\tk8s.io/client-go => ./staging/src/k8s.io/client-go',
    '\texample.com/other => example.com/fork v1.0.0',
    ')',
  ].join('\n');
  expect(moduleOf('v1.35.4', goMod)).toBe(
    [
      'module bench',
      'go 1.25.0',
      'require k8s.io/kubernetes v1.35.4',
      'replace k8s.io/api => k8s.io/api v0.35.4',
      'replace k8s.io/client-go => k8s.io/client-go v0.35.4',
      '',
    ].join('\n'),
  );
});
