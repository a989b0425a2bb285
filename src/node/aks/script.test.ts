import { describe, expect, test } from 'vitest';
import { CA_BUNDLE, SEED, v040, v114, variablesOf } from '../../../test/support/options.ts';
import { evaluate } from '../../../test/support/node.ts';
import { render, renderVariables } from '../render.ts';

function scriptOf(options: unknown, settings = {}): string {
  return Buffer.from(render(options, settings).script, 'base64').toString('utf8');
}

/** Assignments of a script, by name, as they stand there. */
function assignmentsOf(script: string): [name: string, text: string][] {
  return [...script.matchAll(/^([A-Z_0-9]+)=('.*')$/gm)].map((match) => [match[1]!, match[2]!]);
}

describe('the order of a script', () => {
  const script = scriptOf(v114());

  test.each([
    [
      "echo '#EOF' >> /opt/azure/manifest.json",
      'mkdir -p /var/log/azure/Microsoft.Azure.Extensions.CustomScript/events',
    ],
    [
      'mkdir -p /var/log/azure/Microsoft.Azure.Extensions.CustomScript/events',
      '/var/log/azure/cluster-provision-cse-output.log',
    ],
    ['/var/log/azure/cluster-provision-cse-output.log', 'grep -Fqs EOF /opt/azure/containers/provision.sh'],
    ['grep -Fqs EOF /opt/azure/containers/provision.sh', '-ge 1200'],
    ['-ge 1200', 'exit 100'],
    ['set -o allexport', 'ADMINUSER='],
    ['CSE_TIMEOUT=', 'nohup /bin/bash /opt/azure/containers/provision_start.sh'],
  ])('%s stands before %s', (first, second) => {
    expect(script).toContain(first);
    expect(script.indexOf(second)).toBeGreaterThan(script.indexOf(first));
  });
});

describe('assignments', () => {
  test.each([
    ['aks/v1.14', v114(), {}],
    ['aks/v0.4.0', v040(), SEED],
  ] as const)('on %s are all quoted, each name once', (_, options, settings) => {
    const script = scriptOf(options, settings);
    const names = assignmentsOf(script).map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toHaveLength([...script.matchAll(/^[A-Z_0-9]+=/gm)].length);
    const { variables, decoded } = renderVariables(options, settings);
    expect(names.toSorted()).toEqual([...Object.keys(variables), ...Object.keys(decoded)].toSorted());
  });

  test('mean in bash what the variables say', () => {
    const options = v114({
      overrides: { messageOfTheDay: 'aGk=', outboundCommand: `curl "it's" $HOME \`id\` \\` },
      extraVariables: { KUBELET_IMAGE: "a\n'b' $(id)" },
    });
    const { variables } = renderVariables(options);
    const assignments = scriptOf(options)
      .split('set -o allexport\n')[1]!
      .replace(/^nohup .*$/m, '');
    const names = Object.keys(variables);
    expect(evaluate(assignments, names)).toEqual(Object.values(variables));
  });

  test('have a line for each certificate, and their number', () => {
    const variables = variablesOf(v114({ overrides: { customCATrustConfigCerts: [CA_BUNDLE, 'eA=='] } }));
    expect(variables).toMatchObject({
      CUSTOM_CA_TRUST_COUNT: '2',
      CUSTOM_CA_CERT_0: CA_BUNDLE,
      CUSTOM_CA_CERT_1: 'eA==',
    });
    expect(variables).not.toHaveProperty('CUSTOM_CA_CERT_2');
  });

  test('of extra variables are sorted by name', () => {
    const script = scriptOf(
      v114({ extraVariables: { SKIP_WAAGENT_HOLD: 'true', KUBELET_IMAGE: 'x', ENABLE_MANAGED_GPU: 'true' } }),
    );
    const names = assignmentsOf(script).map(([name]) => name);
    expect(names.slice(-3)).toEqual(['ENABLE_MANAGED_GPU', 'KUBELET_IMAGE', 'SKIP_WAAGENT_HOLD']);
  });

  test('of extra variables are sorted together with those that overrides bring', () => {
    const overrides = { httpProxyURLs: 'http://proxy:3128' };
    const script = scriptOf(v114({ overrides, extraVariables: { SKIP_WAAGENT_HOLD: 'true', KUBELET_IMAGE: 'x' } }));
    const names = assignmentsOf(script).map(([name]) => name);
    expect(names.slice(-3)).toEqual(['KUBELET_IMAGE', 'PROXY_VARS', 'SKIP_WAAGENT_HOLD']);
  });

  test('of labels are sorted together with those that aks/v0.4.0 adds', () => {
    const labels = { zebra: '1', 'kubernetes.azure.com/n': '2', a: '3' };
    const text = assignmentsOf(scriptOf(v040({ labels }), SEED)).find(([name]) => name === 'KUBELET_NODE_LABELS')![1];
    const keys = text
      .slice(1, -1)
      .split(',')
      .map((entry) => entry.split('=')[0]!);
    expect(keys).toEqual([
      'a',
      'kubernetes.azure.com/cluster',
      'kubernetes.azure.com/mode',
      'kubernetes.azure.com/n',
      'kubernetes.azure.com/role',
      'zebra',
    ]);
  });

  test('of labels are sorted by key', () => {
    const labels = { b: '1', 'a/b': '2', B: '3', '10': '4', '9': '5' };
    const text = assignmentsOf(scriptOf(v114({ labels }))).find(([name]) => name === 'KUBELET_NODE_LABELS')![1];
    expect(text).toBe("'10=4,9=5,B=3,a/b=2,b=1'");
  });

  test('never carry what the custom-cloud branch would', () => {
    expect(scriptOf(v114())).not.toMatch(/REPO_DEPOT_ENDPOINT|init-aks-custom-cloud/);
  });
});
