import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { manifest, manifestText } from '../../../test/support/manifests.ts';
import { bootlace } from '../../../test/support/command.ts';
import { convertStaticPod, relayPod } from '../../control-plane/index.ts';
import { printYaml } from '../../format/yaml.ts';

const CONVERT = ['control-plane', 'convert'];
const file = (name: string) =>
  fileURLToPath(new URL(`../../../test/golden/manifests/v1.37.2/default/${name}.yaml`, import.meta.url));
const run = (...args: readonly string[]) => bootlace([...CONVERT, ...args]);

test('shows the DaemonSet as YAML', () => {
  const { status, stdout, stderr } = run('-f', file('kube-scheduler'));
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toBe(printYaml(convertStaticPod(manifest('kube-scheduler')).daemonSet));
});

test('reads standard input, and shows JSON', () => {
  const { stdout } = bootlace(
    [...CONVERT, '-f', '-', '-o', 'json', '--node', 'n1'],
    manifestText('v1.37.2/default/kube-apiserver'),
  );
  expect(JSON.parse(stdout)).toEqual(convertStaticPod(manifest('kube-apiserver'), { nodeName: 'n1' }).daemonSet);
});

test('warns of an API server whose node has no name, and shows it all the same', () => {
  const { status, stdout, stderr } = run('-f', file('kube-apiserver'));
  expect(status).toBe(0);
  expect(stdout).toContain('name: self-hosted-kube-apiserver\n');
  expect(stderr).toContain('NODE_UNNAMED');
});

test('shows the relay', () => {
  const { stdout } = run('-f', file('kube-apiserver'), '--relay-port', '6444');
  expect(stdout).toBe(printYaml(relayPod(manifest('kube-apiserver'), { port: 6444 }).pod));
});

test('shows what kubeadm 1.10 made', () => {
  const { status, stdout } = run('-f', file('kube-scheduler'), '--profile', 'v1.10');
  expect(status).toBe(0);
  expect(stdout).toContain('node-role.kubernetes.io/master');
});

test('says on standard error which rules changed what, and why', () => {
  const { stdout, stderr } = run('-f', file('kube-scheduler'), '--explain');
  expect(stdout).toBe(run('-f', file('kube-scheduler')).stdout);
  expect(stderr).toMatch(
    /^container-ports {2}On the network of the host .*\n {4}\/spec\/containers\/0\/ports {2}removed \[/m,
  );
  expect(stderr).toMatch(/^ {4}DaemonSet \/spec\/updateStrategy {2}added \{"type":"OnDelete"\}$/m);
});

test('does not show what a removed container has in its environment', () => {
  const pod = manifest('kube-apiserver');
  const sidecar = { name: 's', env: [{ name: 'PASSWORD', value: 'hunter2' }], args: ['--password=hunter2'] };
  const input = JSON.stringify({ ...pod, spec: { ...pod.spec, containers: [...pod.spec.containers, sidecar] } });
  const { stderr } = bootlace([...CONVERT, '-f', '-', '--relay-port', '6444', '--explain'], input);
  expect(stderr).toContain('removed {"name":"s","env":"a list of 1","args":"a list of 1"}');
});

test.each<[string, string, string]>([
  ['an empty file', '', 'DOCUMENT_EMPTY'],
  ['what is no YAML', 'a: [', 'DOCUMENT_SYNTAX'],
  ['two documents', 'a: 1\n---\nb: 2\n', 'MANIFEST_DOCUMENTS'],
  ['another kind', 'apiVersion: apps/v1\nkind: DaemonSet\n', 'MANIFEST_KIND'],
  ['no container', 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: []}\n', 'FIELD_MISSING'],
  ['another component', manifestText('v1.35.4/default/etcd'), 'COMPONENT_UNKNOWN'],
])('refuses %s with status 2 and its place', (_, input, code) => {
  for (const profile of ['modern', 'v1.10']) {
    const { status, stdout, stderr } = bootlace([...CONVERT, '-f', '-', '--profile', profile], input);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^standard input:\\d+:\\d+ {2}error {2}.* {2}${code}\n`));
  }
});

test('refuses a file of more than 8 MiB without a word of node options', () => {
  const { status, stderr } = bootlace([...CONVERT, '-f', '-'], `a: ${'x'.repeat(8 * 1024 * 1024)}`);
  expect(status).toBe(2);
  expect(stderr).toContain('DOCUMENT_TOO_LARGE');
  expect(stderr).not.toMatch(/options/i);
});

test.each<[string, string[]]>([
  ['needs a file', []],
  ['has no output form "table"', ['-f', 'x', '-o', 'table']],
  ['has no output form "v1.9"', ['-f', 'x', '--profile', 'v1.9']],
  ['--relay-port takes a number', ['-f', 'x', '--relay-port', 'a']],
  ['takes --node or --relay-port', ['-f', 'x', '--relay-port', '6444', '--node', 'n1']],
  ['has no --explain with --profile v1.10', ['-f', 'x', '--explain', '--profile', 'v1.10']],
  ['has no --relay-port with --profile v1.10', ['-f', 'x', '--relay-port', '6444', '--profile', 'v1.10']],
])('says that it %s', (message, args) => {
  const { status, stdout, stderr } = run(...args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(message);
});

test('refuses a port that may be given to something else', () => {
  expect(run('-f', file('kube-apiserver'), '--relay-port', '30001')).toMatchObject({ status: 2, stdout: '' });
});

test('is listed, and has help with examples', () => {
  expect(bootlace(['control-plane']).stdout).toContain('bootlace control-plane convert');
  expect(run('--help').stdout).toContain('Examples:');
});
