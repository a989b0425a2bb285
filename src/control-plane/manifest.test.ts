import { describe, expect, test } from 'vitest';
import { lines, manifest, manifestText } from '../../test/support/manifests.ts';
import { parseManifest } from './manifest.ts';

const SCHEDULER = manifestText('v1.37.2/default/kube-scheduler');

test.each(['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'])(
  '%s is read from YAML',
  async (component) => {
    const read = await parseManifest(manifestText(`v1.37.2/default/${component}`));
    expect(read.problems).toEqual([]);
    expect(read.component).toBe(component);
    expect(read.pod).toEqual(manifest(component));
  },
);

test('a manifest is read from JSON', async () => {
  const pod = manifest('kube-scheduler');
  expect((await parseManifest(JSON.stringify(pod, undefined, 2))).pod).toEqual(pod);
  expect((await parseManifest(JSON.stringify(pod))).pod).toEqual(pod);
});

describe('refused', () => {
  test.each<[string, string, string]>([
    ['an empty file', '', 'error DOCUMENT_EMPTY '],
    ['a comment alone', '# nothing\n', 'error DOCUMENT_EMPTY '],
    ['what is no YAML', 'a: [', 'error DOCUMENT_SYNTAX '],
    ['two documents', `${SCHEDULER}---\n${SCHEDULER}`, 'error MANIFEST_DOCUMENTS '],
    ['a list', '- a', 'error MANIFEST_KIND '],
    ['a text', 'a', 'error MANIFEST_KIND '],
    ['another kind', SCHEDULER.replace('kind: Pod', 'kind: DaemonSet'), 'error MANIFEST_KIND /kind'],
    ['no kind', SCHEDULER.replace('kind: Pod\n', ''), 'error MANIFEST_KIND /kind'],
    ['another API version', SCHEDULER.replace('apiVersion: v1', 'apiVersion: v2'), 'error MANIFEST_KIND /apiVersion'],
    [
      'no metadata',
      'apiVersion: v1\nkind: Pod\nspec: {containers: [{name: kube-scheduler}]}',
      'error FIELD_MISSING /metadata',
    ],
    ['no spec', 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}', 'error FIELD_MISSING /spec'],
    [
      'no containers',
      'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {}',
      'error FIELD_MISSING /spec/containers',
    ],
    [
      'null for containers',
      'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: null}',
      'error FIELD_MISSING /spec/containers',
    ],
    [
      'an empty list of containers',
      'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: []}',
      'error FIELD_MISSING /spec/containers',
    ],
    [
      'a container that is a text',
      'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [a]}',
      'error FIELD_TYPE /spec/containers/0',
    ],
    [
      'a flag that is a number',
      SCHEDULER.replace('- --leader-elect=true', '- 1'),
      'error FIELD_TYPE /spec/containers/0/command',
    ],
    [
      'a label that is a number',
      SCHEDULER.replace('tier: control-plane', 'tier: 1'),
      'error FIELD_TYPE /metadata/labels',
    ],
    [
      'a probe without a port',
      SCHEDULER.replace('        port: probe-port\n', ''),
      'error FIELD_MISSING /spec/containers/0/livenessProbe/httpGet/port',
    ],
    [
      'a port that is no number',
      SCHEDULER.replace('containerPort: 10259', 'containerPort: a'),
      'error FIELD_TYPE /spec/containers/0/ports/0/containerPort',
    ],
    [
      'another component',
      SCHEDULER.replaceAll('kube-scheduler', 'etcd'),
      'error COMPONENT_UNKNOWN /spec/containers/0/name',
    ],
    [
      'a label of another component',
      SCHEDULER.replace('component: kube-scheduler', 'component: etcd'),
      'error COMPONENT_UNKNOWN /metadata/labels/component',
    ],
    [
      'two components',
      SCHEDULER.replace('  hostNetwork: true', '  - name: kube-apiserver\n  hostNetwork: true'),
      'error COMPONENT_UNKNOWN /spec/containers/1/name',
    ],
    [
      'a shell around the component',
      SCHEDULER.replace('  - command:\n', '  - command:\n    - sh\n    - -c\n'),
      'error COMMAND_UNREADABLE /spec/containers/0/command/0',
    ],
  ])('%s', async (_, text, expected) => {
    const { pod, problems } = await parseManifest(text);
    expect(pod).toBeUndefined();
    expect(lines(problems)).toEqual([expected]);
    expect(problems[0]!.hint).not.toContain('options');
    expect(problems[0]!.line).toBeGreaterThan(0);
  });
});

test('a problem stands where the value does', async () => {
  const text = SCHEDULER.replace('tier: control-plane', 'tier: 1').replace('labels:', '\n  labels:');
  const { problems } = await parseManifest(text);
  expect(problems[0]).toMatchObject({ line: 5, column: 3 });
});

test('a component is known by its container, wherever that stands, and by the path of its executable', async () => {
  const text = SCHEDULER.replace(
    '  - command:\n    - kube-scheduler',
    '  - name: sidecar\n  - command:\n    - /usr/local/bin/kube-scheduler',
  );
  expect((await parseManifest(text)).component).toBe('kube-scheduler');
});

test('a component whose image brings the executable may have arguments alone', async () => {
  const text = SCHEDULER.replace('  - command:\n    - kube-scheduler', '  - args:');
  expect((await parseManifest(text)).problems).toEqual([]);
});
