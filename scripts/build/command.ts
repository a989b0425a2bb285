import * as esbuild from 'esbuild';
import { chmodSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Keeps the program out of the entry file, so that an old Node can parse the entry and say that it is old. */
const programApart: esbuild.Plugin = {
  name: 'program-apart',
  setup(build) {
    build.onResolve({ filter: /\/program\.ts$/ }, () => ({ path: `${root}scripts/build/loader.cjs` }));
    build.onResolve({ filter: /\/program\.cjs$/ }, () => ({ path: './program.cjs', external: true }));
  },
};

/** Keeps commands for control planes in a file of their own: who renders a node need not load them. */
const controlPlaneApart: esbuild.Plugin = {
  name: 'control-plane-apart',
  setup(build) {
    build.onResolve({ filter: /\/control-plane\.ts$/ }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path: './control-plane.cjs', external: true },
    );
  },
};

/** Bundles the command into a folder, as bootlace.cjs, program.cjs and control-plane.cjs, and returns the path of the entry. */
export async function bundleCommand(folder: string): Promise<string> {
  const entry = `${folder}/bootlace.cjs`;
  const common: esbuild.BuildOptions = {
    bundle: true,
    platform: 'node',
    format: 'cjs',
    absWorkingDir: root,
    legalComments: 'none',
    logLevel: 'warning',
    // Optional: whoever only renders has none of them.
    external: ['@grpc/*', '@kubernetes/client-node'],
  };
  await esbuild.build({
    ...common,
    entryPoints: ['src/cli/program.ts'],
    outfile: `${folder}/program.cjs`,
    target: 'node22',
    minify: true,
    // The loader runs the program as a script, which can require and cannot import.
    supported: { 'dynamic-import': false },
    plugins: [controlPlaneApart],
  });
  await esbuild.build({
    ...common,
    entryPoints: ['src/cli/commands/control-plane.ts'],
    outfile: `${folder}/control-plane.cjs`,
    target: 'node22',
    minify: true,
  });
  await esbuild.build({
    ...common,
    entryPoints: ['src/cli/main.ts'],
    outfile: entry,
    target: 'node6',
    supported: { 'dynamic-import': false },
    plugins: [programApart],
  });
  chmodSync(entry, 0o755);
  return entry;
}
