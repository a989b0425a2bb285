import { describe, expect, test } from 'vitest';
import { frozen, lines, manifest, withContainer, withSpec } from '../../../../test/support/manifests.ts';
import type { DaemonSet, Pod } from '../../../cluster/objects.ts';
import { accountFor, leavesOf } from './accounting.ts';
import { convertDaemonSet, convertStaticPod } from './convert.ts';
import { RECORD_ANNOTATION } from './facts.ts';

const server = manifest('kube-apiserver');
const NODE = { nodeName: 'n1' };

function converted(pod: Pod = server): DaemonSet {
  return frozen(JSON.parse(JSON.stringify(convertStaticPod(pod, NODE).daemonSet)) as DaemonSet);
}

describe('the DaemonSet', () => {
  test('of an API server is of one node, and the others are of every node that opts in', () => {
    expect(converted().metadata.name).toBe('self-hosted-kube-apiserver-n1');
    expect(converted(manifest('kube-scheduler')).metadata.name).toBe('self-hosted-kube-scheduler');
  });

  test('of a node with a long name has a short one that is its own', () => {
    const [a, b] = ['a', 'b'].map((end) => {
      const { daemonSet } = convertStaticPod(server, { nodeName: `${'node.'.repeat(20)}${end}` });
      return daemonSet!.metadata.labels!['control-plane.bootlace.io/kube-apiserver']!;
    });
    expect(a).not.toBe(b);
    expect(a).toMatch(/^[a-z0-9][-.a-z0-9]{0,61}[a-z0-9]$/);
  });

  test('selects by labels that its Pods have', () => {
    const { spec } = converted();
    expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
  });

  test('waits for somebody to delete the old Pod', () => {
    expect(converted().spec.updateStrategy).toEqual({ type: 'OnDelete' });
  });

  test('lives in the namespace of the Pod', () => {
    expect(converted({ ...server, metadata: { ...server.metadata, namespace: 'other' } }).metadata.namespace).toBe(
      'other',
    );
  });

  test('has every change with its rule, path, reason and values', () => {
    const { changes } = convertStaticPod(server, NODE);
    expect(changes).toContainEqual({
      rule: 'probe-ports',
      reason: expect.any(String) as string,
      object: 'Pod',
      op: 'replace',
      path: '/spec/containers/0/livenessProbe/httpGet/port',
      before: 'probe-port',
      after: 6443,
    });
  });
});

describe('the way back', () => {
  test('restores fields that were null, keys that were overwritten and lists that were merged', () => {
    const pod: Pod = frozen({
      ...server,
      metadata: {
        ...server.metadata,
        labels: { ...server.metadata.labels, 'k8s-app': 'mine' },
        creationTimestamp: null,
      },
      spec: {
        ...server.spec,
        nodeSelector: { 'node-role.kubernetes.io/control-plane': 'x', a: 'b' },
        tolerations: [
          { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' },
          { key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' },
          { key: 'a', operator: 'Exists' },
        ],
        automountServiceAccountToken: true,
      },
    });
    expect(convertDaemonSet(converted(pod))).toEqual({ pod, problems: [] });
  });

  test('keeps what was changed in the DaemonSet since', () => {
    const { spec, ...rest } = converted();
    const template = {
      ...spec.template,
      spec: { ...spec.template.spec, containers: [{ ...spec.template.spec.containers[0]!, image: 'newer' }] },
    };
    const { pod, problems } = convertDaemonSet({ ...rest, spec: { ...spec, template } });
    expect(problems).toEqual([]);
    expect(pod).toEqual(withContainer(server, { image: 'newer' }));
  });

  test('does not mind what the API server adds', () => {
    const { spec, ...rest } = converted(manifest('kube-apiserver', 'default', 'v1.33.13'));
    const added = { restartPolicy: 'Always', schedulerName: 'default-scheduler', terminationGracePeriodSeconds: 30 };
    const metadata = { ...spec.template.metadata, creationTimestamp: null };
    const template = { metadata, spec: { ...spec.template.spec, ...added } };
    const { pod, problems } = convertDaemonSet({ ...rest, spec: { ...spec, template } });
    expect(problems).toEqual([]);
    expect(pod).toEqual(withSpec(manifest('kube-apiserver', 'default', 'v1.33.13'), added));
  });

  test('warns where a change is no longer there to take back, and keeps the new value', () => {
    const { spec, ...rest } = converted();
    const template = { ...spec.template, spec: { ...spec.template.spec, enableServiceLinks: true } };
    const { pod, problems } = convertDaemonSet({ ...rest, spec: { ...spec, template } });
    expect(lines(problems)).toEqual(['warning CONVERSION_RECORD_DIFFERS /spec/template/spec/enableServiceLinks']);
    expect(pod!.spec.enableServiceLinks).toBe(true);
  });

  test.each<[string, string | undefined]>([
    ['is missing', undefined],
    ['is no JSON', '{'],
    ['is null', 'null'],
    ['is of another version', '{"version":2,"changes":[]}'],
    ['has a change that is none', '{"version":1,"changes":[{"op":"add","path":"/a"}]}'],
    ['has a change without a place', '{"version":1,"changes":[{"op":"remove","path":"","before":1}]}'],
  ])('is refused where the record %s', (_, text) => {
    const daemonSet = converted();
    const annotations = text === undefined ? {} : { [RECORD_ANNOTATION]: text };
    const { pod, problems } = convertDaemonSet({ ...daemonSet, metadata: { ...daemonSet.metadata, annotations } });
    expect(pod).toBeUndefined();
    expect(lines(problems)).toEqual([
      'error CONVERSION_RECORD_INVALID /metadata/annotations/control-plane.bootlace.io~1static-pod',
    ]);
  });

  test('is refused where nothing of a Pod is left', () => {
    const record = '{"version":1,"changes":[]}';
    const daemonSet = converted();
    const { problems } = convertDaemonSet({ ...daemonSet, metadata: { annotations: { [RECORD_ANNOTATION]: record } } });
    expect(lines(problems)).toEqual(['error MANIFEST_KIND /kind']);
  });
});

describe('the account', () => {
  test('calls a field lost that is gone without a rule', () => {
    const { daemonSet, changes, problems } = convertStaticPod(server, NODE);
    const { image: _, ...container } = daemonSet!.spec.template.spec.containers[0]!;
    const output = { ...daemonSet!.spec.template, spec: { ...daemonSet!.spec.template.spec, containers: [container] } };
    const lost = accountFor(server, { output, changes, problems }).filter(({ verdict }) => verdict === 'lost');
    expect(lost).toEqual([{ path: '/spec/containers/0/image', verdict: 'lost' }]);
  });

  test('calls a field lost that has another value without a rule', () => {
    const { daemonSet, changes, problems } = convertStaticPod(server, NODE);
    const output = { ...daemonSet!.spec.template, spec: { ...daemonSet!.spec.template.spec, priority: 1 } };
    const lost = accountFor(server, { output, changes, problems }).filter(({ verdict }) => verdict === 'lost');
    expect(lost).toEqual([{ path: '/spec/priority', verdict: 'lost' }]);
  });

  test('says of a refused field which problem refuses it', () => {
    const pod = withSpec(server, { restartPolicy: 'Never' });
    const conversion = convertStaticPod(pod, NODE);
    const accounts = accountFor(pod, { ...conversion, output: conversion.daemonSet });
    expect(accounts).toContainEqual({ path: '/spec/restartPolicy', verdict: 'refused', code: 'MANIFEST_UNSUPPORTED' });
    expect(accounts.map(({ path }) => path)).toEqual(leavesOf(pod));
    expect(accounts.filter(({ verdict }) => verdict === 'lost')).toEqual([]);
  });
});
