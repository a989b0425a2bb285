import { describe, expect, test } from 'vitest';
import { errorOf } from '../../../../test/support/errors.ts';
import { SelfHostingError } from '../errors.ts';
import { buildDaemonSet } from '../daemonset.ts';
import { getMutatorsFromFeatureGates } from './mutators.ts';
import { buildSelfHostedSecrets, SELF_HOSTED_SECRETS } from './secrets.ts';

const FILES = SELF_HOSTED_SECRETS.flatMap(({ files }) => Object.values(files));

function contents(files: readonly string[] = FILES): Record<string, Uint8Array> {
  return Object.fromEntries(files.map((file) => [file, Buffer.from(`content of ${file}`)]));
}

describe('the Secrets', () => {
  test('are these, in this order', () => {
    const rows = SELF_HOSTED_SECRETS.map(({ name, type, directory, files }) => [name, type, directory, files]);
    const tls = 'kubernetes.io/tls';
    const pki = 'certificatesDir';
    const pair = (name: string): object => ({ 'tls.crt': `${name}.crt`, 'tls.key': `${name}.key` });
    expect(rows).toEqual([
      ['ca', tls, pki, pair('ca')],
      ['apiserver', tls, pki, pair('apiserver')],
      ['apiserver-kubelet-client', tls, pki, pair('apiserver-kubelet-client')],
      ['sa', tls, pki, { 'tls.crt': 'sa.pub', 'tls.key': 'sa.key' }],
      ['front-proxy-ca', tls, pki, pair('front-proxy-ca')],
      ['front-proxy-client', tls, pki, pair('front-proxy-client')],
      ['scheduler.conf', 'Opaque', 'kubeConfigDir', { 'scheduler.conf': 'scheduler.conf' }],
      ['controller-manager.conf', 'Opaque', 'kubeConfigDir', { 'controller-manager.conf': 'controller-manager.conf' }],
    ]);
  });

  test('hold the files byte for byte, in base64', () => {
    const bytes = Uint8Array.from([0, 255, 10, 13, 128]);
    const secrets = buildSelfHostedSecrets({ ...contents(), 'sa.pub': bytes });
    expect(secrets.map(({ metadata }) => metadata.name)).toEqual(SELF_HOSTED_SECRETS.map(({ name }) => name));
    expect(secrets[3]).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'sa', namespace: 'kube-system' },
      type: 'kubernetes.io/tls',
      data: { 'tls.crt': 'AP8KDYA=', 'tls.key': Buffer.from('content of sa.key').toString('base64') },
    });
  });

  test('put a public key where the type wants a certificate', () => {
    const [, , , sa] = buildSelfHostedSecrets(contents());
    expect(Buffer.from(sa!.data['tls.crt']!, 'base64').toString()).toBe('content of sa.pub');
  });

  test.each(FILES)('cannot be made without %s, which the error names without showing any content', (missing) => {
    const error = errorOf(() => buildSelfHostedSecrets(contents(FILES.filter((file) => file !== missing))));
    expect(error).toBeInstanceOf(SelfHostingError);
    expect(error).toMatchObject({ code: 'FILE_UNREADABLE' });
    expect(String(error)).toContain(missing);
    expect(String(error)).not.toContain('content of');
  });

  test('cannot be made with an external CA, which has no key here', () => {
    const error = errorOf(() => buildSelfHostedSecrets(contents(FILES.filter((file) => file !== 'ca.key'))));
    expect(String(error)).toContain('external CA');
  });

  test('take an empty file as it is', () => {
    expect(buildSelfHostedSecrets({ ...contents(), 'ca.crt': new Uint8Array() })[0]!.data['tls.crt']).toBe('');
  });
});

test('every Secret and key that a mutator mounts is one that is stored', () => {
  const stored = new Map(SELF_HOSTED_SECRETS.map(({ name, files }) => [name, Object.keys(files)]));
  const volumes = [{ name: 'k8s-certs' }, { name: 'kubeconfig' }];
  const mutators = getMutatorsFromFeatureGates({ StoreCertsInSecrets: true });
  for (const component of Object.keys(mutators)) {
    const podSpec = buildDaemonSet(component, { containers: [{ name: 'x' }], volumes }, mutators).spec.template.spec;
    const text = JSON.stringify(podSpec.volumes);
    for (const [, name] of text.matchAll(/"secretName":"([^"]+)"/g)) expect([...stored.keys()]).toContain(name);
    for (const [, name, items] of text.matchAll(/"secret":\{"name":"([^"]+)","items":(\[[^\]]+\])/g)) {
      const keys = (JSON.parse(items!) as { key: string }[]).map(({ key }) => key);
      expect(stored.get(name!)).toEqual(expect.arrayContaining(keys));
    }
  }
});
