// Makes dist/: the library by the TypeScript compiler, file by file, and the command as one bundle, since most
// of the time of a start is loading modules.
import * as esbuild from 'esbuild';
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(`${root}dist`, { recursive: true, force: true });
execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, '-p', `${root}tsconfig.build.json`], {
  stdio: 'inherit',
});
// The command is the bundle below.
rmSync(`${root}dist/cli`, { recursive: true });

/** Keeps the program out of the entry file, so that an old Node can parse the entry and say that it is old. */
const programApart: esbuild.Plugin = {
  name: 'program-apart',
  setup(build) {
    build.onResolve({ filter: /\/program\.ts$/ }, () => ({ path: `${root}scripts/build/loader.cjs` }));
    build.onResolve({ filter: /\/program\.cjs$/ }, () => ({ path: './program.cjs', external: true }));
  },
};

const common = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  absWorkingDir: root,
  legalComments: 'none',
  logLevel: 'warning',
} as const;
await esbuild.build({
  ...common,
  entryPoints: ['src/cli/program.ts'],
  outfile: 'dist/bin/program.cjs',
  target: 'node22',
  minify: true,
});
await esbuild.build({
  ...common,
  entryPoints: ['src/cli/main.ts'],
  outfile: 'dist/bin/bootlace.cjs',
  target: 'node6',
  supported: { 'dynamic-import': false },
  plugins: [programApart],
});
execFileSync(process.execPath, [
  `${root}scripts/build/code-cache.ts`,
  `${root}dist/bin/program.cjs`,
  `${root}examples/aks-node.yaml`,
]);
chmodSync(`${root}dist/bin/bootlace.cjs`, 0o755);

const licences = ['js-yaml'].map(
  (name) => `${name}\n\n${readFileSync(`${root}node_modules/${name}/LICENSE`, 'utf8').trim()}\n`,
);
writeFileSync(`${root}dist/bin/THIRD-PARTY.txt`, `The command bundles these libraries.\n\n${licences.join('\n')}`);
