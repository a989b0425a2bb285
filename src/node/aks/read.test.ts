import { describe, expect, test } from 'vitest';
import {
  findings,
  kubeletFlagsOf,
  LENIENT,
  nodeLabelsOf,
  problemAt,
  SEED,
  v040,
  v114,
} from '../../../test/support/options.ts';
import { parseDocuments } from '../../format/documents.ts';
import { check } from '../check.ts';
import type { Problem } from '../../core/problem.ts';

/** Problems of options in YAML, complete but for the lines given, which stand first. */
function checkYaml(lines: string): readonly Problem[] {
  const names = [...lines.matchAll(/^(\w+):/gm)].map((match) => match[1]!);
  const rest = Object.entries(v114()).filter(([name]) => !names.includes(name));
  const text = `${lines}${rest.map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`).join('')}`;
  const document = parseDocuments(text)[0]!;
  expect(document.problems).toEqual([]);
  return check(document.value, { source: document.source });
}

describe('unknown fields', () => {
  test.each([
    ['subnetID', 'subnetId'],
    ['kuberneteVersion', 'kubernetesVersion'],
    ['Labels', 'labels'],
    ['lables', 'labels'],
    ['caBundel', 'caBundle'],
  ])('%s is answered with %s, in lenient mode as well', (name, near) => {
    for (const settings of [{}, LENIENT]) {
      const problem = problemAt(`/${name}`, v114({ [name]: 'x' }), settings);
      expect(problem).toMatchObject({ severity: 'error', code: 'FIELD_UNKNOWN' });
      expect(problem.hint).toContain(`\`${near}\``);
    }
  });

  test('one like no other is answered with the names that there are', () => {
    expect(problemAt('/xyzzy', v114({ xyzzy: 1 })).hint).toContain('subnetId');
  });

  test('one of the kubelet configuration has its path', () => {
    const options = v114({ kubeletConfig: { maxPods: 30, maxPod: 5 } });
    expect(problemAt('/kubeletConfig/maxPod', options).hint).toContain('`maxPods`');
  });

  test.each(['__proto__', 'constructor', 'toString', 'a/b~c'])('%s is one', (name) => {
    const options = { ...v114(), ...(JSON.parse('{}') as object) };
    Object.defineProperty(options, name, { value: 'x', enumerable: true, configurable: true });
    expect(findings(options)).toEqual([`error FIELD_UNKNOWN /${name.replace('~', '~0').replace('a/', 'a~1')}`]);
  });

  test('a value is never shown, since it may be a misspelt secret', () => {
    const problem = problemAt('/kubeletClientTlsBootstrapTokn', v114({ kubeletClientTlsBootstrapTokn: 'hunter2' }));
    expect(JSON.stringify(problem)).not.toContain('hunter2');
  });
});

describe('fields of the other profile', () => {
  test.each([
    ['clusterId', 'networkSecurityGroupName'],
    ['userAssignedIdentityId', 'kubeletIdentityClientId'],
  ])('%s on aks/v1.14 is answered with %s', (name, counterpart) => {
    const problem = problemAt(`/${name}`, v114({ [name]: 'x' }), LENIENT);
    expect(problem).toMatchObject({ severity: 'error', code: 'FIELD_WRONG_PROFILE' });
    expect(problem.hint).toContain(counterpart);
  });

  test.each([
    ['kubeletIdentityClientId', 'userAssignedIdentityId'],
    ['networkSecurityGroupName', 'clusterId'],
    ['routeTableName', 'clusterId'],
    ['gpuDriverType', 'aks/v1.14'],
  ])('%s on aks/v0.4.0 is answered with %s', (name, counterpart) => {
    const problem = problemAt(`/${name}`, v040({ [name]: 'x' }), SEED);
    expect(problem.code).toBe('FIELD_WRONG_PROFILE');
    expect(problem.hint).toContain(counterpart);
  });

  test('podsPerCore is one of aks/v0.4.0', () => {
    expect(findings(v114({ kubeletConfig: { maxPods: 30, podsPerCore: 5 } }))).toEqual([
      'error FIELD_WRONG_PROFILE /kubeletConfig/podsPerCore',
    ]);
  });
});

describe('types, which lenient does not relax', () => {
  test.each<[string, unknown]>([
    ['/arch', { arch: 5 }],
    ['/arch', { arch: ['amd64'] }],
    ['/gpuNode', { gpuNode: 'true' }],
    ['/gpuNode', { gpuNode: 1 }],
    ['/labels', { labels: ['a=b'] }],
    ['/labels', { labels: 'a=b' }],
    ['/labels', { labels: new Map([['a', 'b']]) }],
    ['/labels/a', { labels: { a: 1 } }],
    ['/labels/a', { labels: { a: true } }],
    ['/taints', { taints: {} }],
    ['/taints/0', { taints: [null] }],
    ['/kubeletConfig', { kubeletConfig: [] }],
    ['/kubeletConfig/kubeReserved/cpu', { kubeletConfig: { maxPods: 30, kubeReserved: { cpu: 1 } } }],
    ['/kubeletConfig/cpuCFSQuota', { kubeletConfig: { maxPods: 30, cpuCFSQuota: 'true' } }],
    ['/kubeletConfig/podPidsLimit', { kubeletConfig: { maxPods: 30, podPidsLimit: 1.5 } }],
    ['/kubeletConfig/podPidsLimit', { kubeletConfig: { maxPods: 30, podPidsLimit: 2 ** 53 } }],
    ['/kubeletConfig/allowedUnsafeSysctls', { kubeletConfig: { maxPods: 30, allowedUnsafeSysctls: 'net.a' } }],
    ['/kubeletConfig/allowedUnsafeSysctls/1', { kubeletConfig: { maxPods: 30, allowedUnsafeSysctls: ['net.a', 1] } }],
    ['/kubeletConfig/containerLogMaxFiles', { kubeletConfig: { maxPods: 30, containerLogMaxFiles: 2 ** 31 } }],
    [
      '/kubeletConfig/imageGCHighThresholdPercent',
      { kubeletConfig: { maxPods: 30, imageGCHighThresholdPercent: '85%' } },
    ],
  ])('%s: %j', (path, replaced) => {
    const options = v114(replaced as Record<string, unknown>);
    expect(findings(options, LENIENT)).toEqual([`error FIELD_TYPE ${path}`]);
    expect(findings(options)).toEqual([`error FIELD_TYPE ${path}`]);
  });

  test.each<unknown>([null, undefined, 'text', 5, [], new Map(), new Date(0)])(
    'options are a mapping and not %j',
    (options) => {
      expect(check(options, LENIENT)).toContainEqual(
        expect.objectContaining({ severity: 'error', code: 'FIELD_TYPE', path: '' }),
      );
    },
  );

  test.each([
    ['NUL', 'a\0b'],
    ['a lone surrogate', 'a\ud800b'],
  ])('%s is refused wherever it stands', (_, text) => {
    expect(findings(v114({ clusterName: text }), LENIENT)).toEqual(['error ENCODING_INVALID /clusterName']);
    expect(findings(v114({ labels: { [text]: 'x' } }), LENIENT)).toEqual([`error ENCODING_INVALID /labels/${text}`]);
    expect(findings(v114({ labels: { x: text } }), LENIENT)).toEqual(['error ENCODING_INVALID /labels/x']);
  });
});

describe('a value of the wrong type is reported once, and not as missing too', () => {
  test.each<[string, Record<string, unknown>]>([
    ['/kubeletConfig/maxPods', { kubeletConfig: { maxPods: '30' } }],
    ['/taints/0/effect', { taints: [{ key: 'k', effect: 5 }] }],
    ['/taints/0/key', { taints: [{ key: 5, effect: 'NoSchedule' }] }],
    [
      '/gpuImageSHA',
      {
        gpuNode: true,
        gpuDriverInstallationEnabled: true,
        gpuDriverVersion: '1',
        gpuDriverType: 'cuda',
        gpuImageSHA: 20260629214430,
      },
    ],
    [
      '/kubeletConfig/evictionSoftGracePeriod/memory.available',
      {
        kubeletConfig: {
          maxPods: 30,
          evictionSoft: { 'memory.available': '1Gi' },
          evictionSoftGracePeriod: { 'memory.available': 90 },
        },
      },
    ],
    ['/overrides/httpProxyURLs', { overrides: { shouldConfigureHTTPProxy: true, httpProxyURLs: 5 } }],
  ])('%s', (path, replaced) => {
    expect(findings(v114(replaced))).toEqual([`error FIELD_TYPE ${path}`]);
  });
});

describe('text that YAML reads as a number', () => {
  test.each([
    ['kubernetesVersion: 1.30', '/kubernetesVersion', '"1.30"', 'kubernetesVersion'],
    ['gpuImageSHA: 20260629214430', '/gpuImageSHA', '"20260629214430"', 'gpuImageSHA'],
    ['arch: 010', '/arch', '"010"', 'arch'],
    ['location: on', '/location', '"on"', 'location'],
    ['labels: {x: 1e3}', '/labels/x', '"1e3"', 'labels'],
  ])('%s is refused, and the hint has the source text in quotes', (line, path, quoted, key) => {
    const problem = checkYaml(`clusterName: demo\n${line}\n`).find((candidate) => candidate.path === path)!;
    expect(problem).toMatchObject({ severity: 'error', code: 'FIELD_TYPE', document: 0, line: 2 });
    expect(problem.column).toBe(line.startsWith(`${key}: {`) ? line.indexOf('{') + 2 : 1);
    expect(problem.hint).toContain(quoted);
  });

  test('a token that is one is refused without its text', () => {
    const [problem] = checkYaml('kubeletClientTLSBootstrapToken: 123456.78901234567890\n');
    expect(problem).toMatchObject({ code: 'FIELD_TYPE', path: '/kubeletClientTLSBootstrapToken' });
    expect(JSON.stringify(problem)).not.toContain('123456');
  });

  test('the cluster ID of aks/v0.4.0 as well', () => {
    const { value, source } = parseDocuments(JSON.stringify(v040({ clusterId: 12345678 })))[0]!;
    expect(problemAt('/clusterId', value, { ...SEED, source }).hint).toContain('"12345678"');
  });
});

describe('null means absent', () => {
  test('for every field that may be absent', () => {
    const absent = {
      clusterName: null,
      clusterEndpoint: null,
      labels: null,
      taints: null,
      kubeletConfig: null,
      gpuNode: null,
      gpuDriverVersion: null,
      networkPolicy: null,
      overrides: null,
      extraVariables: null,
    };
    expect(findings(v114(absent))).toEqual([]);
  });

  test('for a required field, which is missing then', () => {
    expect(findings(v114({ location: null }))).toEqual(['error FIELD_MISSING /location']);
  });

  test('for settings of the kubelet, which leave the base flags', () => {
    const kubeletConfig = { maxPods: 30, podPidsLimit: null, evictionHard: null };
    expect(kubeletFlagsOf(v114({ kubeletConfig }))).toEqual(kubeletFlagsOf(v114({ kubeletConfig: { maxPods: 30 } })));
  });

  test('for an entry of a map, with a warning', () => {
    const labels = { a: '1', b: null };
    expect(findings(v114({ labels }))).toEqual(['warning NULL_ENTRY /labels/b']);
    expect(nodeLabelsOf(v114({ labels }))).toEqual({ a: '1' });
  });
});

test('an item of the wrong type leaves the numbers of the others alone, and nothing more is said of it', () => {
  const taints = ['x', { key: 'k', value: 'v' }];
  expect(findings(v114({ taints }))).toEqual(['error FIELD_TYPE /taints/0', 'error TAINT_INVALID /taints/1/effect']);
  const allowedUnsafeSysctls = [5, 'vm.swappiness'];
  expect(findings(v114({ kubeletConfig: { maxPods: 30, allowedUnsafeSysctls } }))).toEqual([
    'error FIELD_TYPE /kubeletConfig/allowedUnsafeSysctls/0',
    'error VALUE_INVALID /kubeletConfig/allowedUnsafeSysctls/1',
  ]);
});

test('options that are no mapping are one problem', () => {
  expect(findings([1])).toEqual(['error FIELD_TYPE ']);
});
