import { describe, expect, test } from 'vitest';
import { printYaml } from '../../src/format/yaml.ts';
import { accountFor, convertDaemonSet, convertStaticPod, readManifest, relayPod } from '../../src/control-plane/index.ts';
import { leavesOf } from '../../src/control-plane/selfhosting/modern/accounting.ts';
import { valueAt } from '../../src/control-plane/selfhosting/modern/patch.ts';
import type { DaemonSet } from '../../src/cluster/objects.ts';
import { parseDocuments } from '../../src/format/documents.ts';
import { lines, MANIFESTS, manifestText } from '../support/manifests.ts';
import { expectGolden } from './golden.ts';

const OPTIONS = { nodeName: 'n1' };
const RELAY = { port: 6444 };
const API_SERVERS = MANIFESTS.filter(({ component }) => component === 'kube-apiserver');

/** Every field of a manifest that a rule may change. All others are kept, in every manifest. */
const CHANGED_BY: Readonly<Record<string, RegExp>> = {
  'template-metadata': /^\/(apiVersion|kind|status|metadata\/(name|namespace|creationTimestamp))$/,
  'probe-ports': /^\/spec\/containers\/0\/\w+Probe\/httpGet\/port$/,
  'probe-hosts': /^\/spec\/containers\/0\/\w+Probe\/httpGet\/host$/,
  'container-ports': /^\/spec\/containers\/0\/ports\/0\/(containerPort|name|protocol)$/,
};

const RELAY_CHANGED_BY: Readonly<Record<string, RegExp>> = {
  'relay-name': /^\/metadata\/name$/,
  'relay-labels': /^\/metadata\/(labels\/(component|tier)|annotations\/kubeadm\.kubernetes\.io~1.*endpoint)$/,
  'relay-probes': /^\/spec\/containers\/0\/\w+Probe\/httpGet\/port$/,
  'container-ports': /^\/spec\/containers\/0\/ports\/0\/(containerPort|name|protocol)$/,
  'relay-port': /^\/spec\/containers\/0\/command\/\d+ --secure-port=/,
  'relay-audit-log': /^\/spec\/containers\/0\/command\/\d+ --audit-log-path=/,
  'relay-resources': /^\/spec\/containers\/0\/resources\/(requests|limits)\/(cpu|memory)$/,
  'relay-containers': /^\/spec\/containers\/1\//,
};

test('there are manifests of four versions in nine configurations', () => {
  expect(MANIFESTS).toHaveLength(4 * 9 * 3);
});

describe.each(MANIFESTS)('$name', ({ name, pod, text }) => {
  const { daemonSet, changes, problems } = convertStaticPod(pod, OPTIONS);

  test('becomes the DaemonSet that is recorded', () => {
    expect(lines(problems)).toEqual([]);
    expectGolden(`control-plane/${name}.yaml`, printYaml(daemonSet));
  });

  test('has every field kept, or changed by a rule that is meant to', () => {
    const accounts = accountFor(pod, { output: daemonSet!.spec.template, changes, problems });
    expect(accounts.map(({ path }) => path)).toEqual(leavesOf(pod));
    for (const { path, verdict, rule } of accounts) {
      const meant = Object.keys(CHANGED_BY).filter((key) => CHANGED_BY[key]!.test(path));
      if (verdict === 'changed') expect(meant, path).toContain(rule);
      else expect(verdict, path).toBe('kept');
    }
  });

  test('has nothing in the DaemonSet that is neither of the manifest nor of a rule', () => {
    const added = changes.filter(({ object }) => object === 'Pod').map(({ path }) => path);
    const strangers = leavesOf(daemonSet!.spec.template).filter(
      (path) => !leavesOf(pod).includes(path) && !added.some((one) => path === one || path.startsWith(`${one}/`)),
    );
    expect(strangers).toEqual([]);
  });

  test('comes back from the DaemonSet as kubeadm wrote it', () => {
    const stored = JSON.parse(JSON.stringify(daemonSet)) as DaemonSet;
    const back = convertDaemonSet(stored);
    expect(back.problems).toEqual([]);
    expect(back.pod).toEqual(pod);
    expect(printYaml(back.pod)).toBe(text.replaceAll(`""`, `''`));
  });

  test('is the same to who reads the YAML', () => {
    expect(parseDocuments(printYaml(daemonSet))[0]!.value).toEqual(daemonSet);
  });
});

describe.each(API_SERVERS)('the relay of $name', ({ name, pod }) => {
  const { pod: relay, changes, problems } = relayPod(pod, RELAY);

  test('is the Pod that is recorded', () => {
    expect(lines(problems)).toEqual([]);
    expectGolden(`control-plane/${name}.relay.yaml`, printYaml(relay));
  });

  test('has every field kept, or changed by a rule that is meant to', () => {
    for (const { path, verdict, rule } of accountFor(pod, { output: relay, changes, problems })) {
      const field = path.includes('/command/') ? `${path} ${String(valueAt(pod, path))}` : path;
      const meant = Object.keys(RELAY_CHANGED_BY).filter((key) => RELAY_CHANGED_BY[key]!.test(field));
      if (verdict === 'changed') expect(meant, path).toContain(rule);
      else expect(verdict, path).toBe('kept');
    }
  });
});

test('a manifest of etcd is refused', () => {
  const manifest = readManifest(parseDocuments(manifestText('v1.35.4/default/etcd')));
  expect(manifest.pod).toBeUndefined();
  expect(lines(manifest.problems)).toEqual(['error COMPONENT_UNKNOWN /spec/containers/0/name']);
});
