import { describe, expect, test } from 'vitest';
import { CONTROL_PLANE_COMPONENTS } from '../selfhosting/labels.ts';
import { editedKubeadmConfig } from './kubeadm-config.ts';

const TEXT = `apiServer:
  extraArgs:
  - name: v
    value: "2"
  - name: audit-log-path
    value: /var/log/audit
apiVersion: kubeadm.k8s.io/v1beta4
clusterName: kubernetes
kind: ClusterConfiguration
scheduler: {}
`;

const edit = (edits: object, components: readonly (typeof CONTROL_PLANE_COMPONENTS)[number][] = ['kube-apiserver']) =>
  editedKubeadmConfig(TEXT, components, edits);

test('a flag gets its value where it stands, one that is new goes to the end, and one that is removed goes', async () => {
  expect(await edit({ setFlags: { v: '4', profiling: 'false' }, removeFlags: ['audit-log-path'] })).toBe(
    TEXT.replace(
      `  - name: v
    value: "2"
  - name: audit-log-path
    value: /var/log/audit
`,
      `  - name: v
    value: '4'
  - name: profiling
    value: 'false'
`,
    ),
  );
});

test('a component without a section gets one, and so does one whose section is empty', async () => {
  const after = await edit({ setFlags: { v: '4' } }, ['kube-controller-manager', 'kube-scheduler']);
  expect(after).toContain("controllerManager:\n  extraArgs:\n  - name: v\n    value: '4'\n");
  expect(after).toContain("scheduler:\n  extraArgs:\n  - name: v\n    value: '4'\n");
});

describe('nothing is edited', () => {
  test('where it says the same already', async () => {
    expect(await edit({ setFlags: { v: '2' } })).toBeUndefined();
    expect(await edit({ removeFlags: ['profiling'] })).toBeUndefined();
    expect(await edit({})).toBeUndefined();
  });

  test.each([
    ['of an older version, with mappings of arguments', TEXT.replace('v1beta4', 'v1beta3')],
    ['of another kind', TEXT.replace('kind: ClusterConfiguration', 'kind: InitConfiguration')],
    ['with arguments in another form', TEXT.replace(/ {2}extraArgs:[\s\S]*audit\n/, '  extraArgs: {v: "2"}\n')],
    ['that is no YAML', '{{'],
    ['that is empty', ''],
  ])('in a text %s', async (_, text) => {
    expect(await editedKubeadmConfig(text, ['kube-apiserver'], { setFlags: { v: '4' } })).toBeUndefined();
  });
});
