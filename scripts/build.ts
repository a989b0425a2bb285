// Makes dist/: the library by the TypeScript compiler, file by file, and the command as one bundle, since most
// of the time of a start is loading modules.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleCommand } from './build/command.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });
execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', `${root}tsconfig.build.json`], {
  stdio: 'inherit',
});
await bundleCommand(`${root}dist/bin`);
execFileSync(
  process.execPath,
  [`${root}scripts/build/code-cache.ts`, `${root}dist/bin/program.cjs`, `${root}examples/aks-node.yaml`],
  { stdio: 'inherit' },
);

const licence = readFileSync(`${root}node_modules/js-yaml/LICENSE`, 'utf8').trim();
writeFileSync(`${root}dist/bin/THIRD-PARTY.txt`, `The command bundles this library.\n\njs-yaml\n\n${licence}\n`);
