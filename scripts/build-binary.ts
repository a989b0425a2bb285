// Makes dist/bin/bootlace, one executable with everything in it: nodes of a control plane have no Node.js.
//
// npm run build:binary [-- OUTPUT [ENTRY]]
import * as esbuild from 'esbuild';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [, , output = join(root, 'dist/bin/bootlace'), entry = 'src/cli/main.ts'] = process.argv;
const folder = mkdtempSync(join(tmpdir(), 'bootlace-binary-'));
try {
  const main = join(folder, 'main.cjs');
  await esbuild.build({
    entryPoints: [entry],
    absWorkingDir: root,
    outfile: main,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    target: 'node26',
    logLevel: 'warning',
  });
  const config = join(folder, 'sea.json');
  writeFileSync(config, JSON.stringify({ main, output, disableExperimentalSEAWarning: true }));
  mkdirSync(join(output, '..'), { recursive: true });
  execFileSync(process.execPath, ['--build-sea', config], { stdio: ['ignore', 'ignore', 'inherit'] });
} finally {
  rmSync(folder, { recursive: true });
}
