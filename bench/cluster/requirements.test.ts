import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { missingFor } from './requirements.ts';

describe.skipIf(process.platform !== 'linux')('on a computer without programs', () => {
  let empty: string;
  beforeEach(() => {
    empty = mkdtempSync(join(tmpdir(), 'bootlace-empty-'));
    vi.stubEnv('PATH', empty);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(empty, { recursive: true });
  });

  test('a cluster needs Go, and packages in one line that can be run', async () => {
    const missing = await missingFor('cluster');
    expect(missing[0]).toBe('Go is needed, and there is no command `go`');
    const packages = missing.find((line) => line.startsWith('packages are missing'))!;
    expect(packages).toMatch(/: apt-get install -y containerd runc .*haproxy busybox-static util-linux tar$/);
    expect(packages).not.toContain('\n');
  });

  test('a build needs Go alone', async () => {
    expect(await missingFor('build')).toHaveLength(1);
  });
});

test('who is not root is told so', async () => {
  vi.spyOn(process, 'getuid').mockReturnValue(1000);
  expect(await missingFor('cluster')).toContain('root is needed, for namespaces and mounts');
  vi.restoreAllMocks();
});
