import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { errorOf } from '../../../test/support/errors.ts';
import { ClusterError } from '../api.ts';
import { loadClient, loadKubeConfig, type ClientModule } from './load.ts';

const folder = mkdtempSync(join(tmpdir(), 'bootlace-load-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A client whose kubeconfig knows one context, and fails as it is told. */
function client({ failure, hasCluster = true }: { failure?: Error; hasCluster?: boolean } = {}): ClientModule {
  return {
    KubeConfig: class {
      current = 'a';
      loadFromFile(): void {
        if (failure) throw failure;
      }
      setCurrentContext(name: string): void {
        this.current = name;
      }
      getContextObject(name: string): unknown {
        return ['a', 'b'].includes(name) ? {} : null;
      }
      getCurrentCluster(): { server: string } | null {
        return hasCluster ? { server: `https://${this.current}` } : null;
      }
      getCurrentUser(): null {
        return null;
      }
      loadFromClusterAndUser(): void {}
      async applyToHTTPSOptions(): Promise<void> {}
    },
  };
}

describe('the optional dependency', () => {
  test('is asked for by its name, when it is needed', async () => {
    const found = client();
    expect(await loadClient(async () => found)).toBe(found);
  });

  test('is told how to be installed when it is missing', async () => {
    const cause = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    const error: unknown = await loadClient(() => Promise.reject(cause)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ClusterError);
    expect(error).toMatchObject({ code: 'CLIENT_MISSING', cause });
    expect(String(error)).toContain('npm install @kubernetes/client-node@2.0.1');
  });
});

describe('a kubeconfig', () => {
  test('has its own current context, or the one that is asked for', () => {
    expect(loadKubeConfig(client(), '/k', undefined).getCurrentCluster()?.server).toBe('https://a');
    expect(loadKubeConfig(client(), '/k', 'b').getCurrentCluster()?.server).toBe('https://b');
  });

  test('without the context that is asked for is refused', () => {
    const error = errorOf(() => loadKubeConfig(client(), '/k', 'c'));
    expect(error).toMatchObject({ code: 'KUBECONFIG_INVALID' });
    expect(String(error)).toContain('context c');
  });

  test('without a current cluster is refused', () => {
    expect(errorOf(() => loadKubeConfig(client({ hasCluster: false }), '/k', undefined))).toMatchObject({
      code: 'KUBECONFIG_INVALID',
    });
  });

  test('that does not parse is refused without the line that the parser quotes', () => {
    const failure = new Error('bad indentation\n 3 |     token: hunter2');
    const error = errorOf(() => loadKubeConfig(client({ failure }), '/k', undefined)) as Error;
    expect(error).toMatchObject({ code: 'KUBECONFIG_INVALID' });
    expect(error.message).toBe('/k is not a kubeconfig.');
    expect(error.cause).toBeUndefined();
  });

  test('that cannot be read is refused with the reason', () => {
    const failure = Object.assign(new Error('x'), { code: 'EACCES' });
    expect(String(errorOf(() => loadKubeConfig(client({ failure }), '/k', undefined)))).toContain('EACCES');
  });
});

// Runs where the optional dependency is installed, which a clone always has: it is a development dependency too.
const installed = await loadClient().catch(() => undefined);
test.skipIf(!installed)('the official client takes a kubeconfig as it is expected to', async () => {
  const path = join(folder, 'config');
  const cluster = { server: 'http://127.0.0.1:1', 'insecure-skip-tls-verify': true };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'k', cluster }],
    users: [{ name: 'u', user: { token: 'abc' } }],
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
  };
  writeFileSync(path, JSON.stringify(config));
  const kubeConfig = loadKubeConfig(installed!, path, 'c');
  expect(kubeConfig.getCurrentCluster()?.server).toBe('http://127.0.0.1:1');
  const options = { headers: { accept: 'x' } };
  await kubeConfig.applyToHTTPSOptions(options);
  expect(options).toMatchObject({ headers: { accept: 'x', Authorization: 'Bearer abc' }, agent: expect.anything() });
});
