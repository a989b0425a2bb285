import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { files, type Cluster } from '../bench.ts';
import { run } from '../commands.ts';
import { BenchError } from '../errors.ts';
import { packImages } from '../images.ts';
import { REPOSITORY } from '../repository.ts';

/** Bundles the agent into one file, and returns its path. */
export async function bundleAgent(folder: string): Promise<string> {
  const outfile = join(folder, 'agent.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'agent/main.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    outfile,
    logLevel: 'silent',
  });
  return outfile;
}

/** Packs an image of the agent, with the Node that runs this and the libraries that it is linked to. */
export async function packAgent(
  cluster: Cluster,
  bundle: string,
): Promise<{ readonly name: string; readonly archive: string }> {
  const node = process.execPath;
  const linked = (await run(['ldd', node])).split('\n');
  // Lines such as "libm.so.6 => /lib/libm.so.6 (0x7f…)", and "/lib64/ld-linux.so.2 (0x7f…)" for the loader.
  const libraries = linked.map((line) => /(?:=> |^\s*)(\/\S+) \(/.exec(line)?.[1]).filter((path) => path !== undefined);
  if (libraries.length === 0) throw new BenchError(`cannot tell what ${node} is linked to`);
  const text = await readFile(bundle);
  const version = createHash('sha256').update(text).update(process.version).digest('hex').slice(0, 12);
  const name = `${REPOSITORY}/probe:${version}`;
  // Beside the archive: a probe's own folder goes with the cluster.
  const copy = join(files.images(cluster.bench), `agent-${version}.mjs`);
  await writeFile(copy, text);
  const contents = { '/agent.mjs': copy, '/node': node, ...Object.fromEntries(libraries.map((path) => [path, path])) };
  return { name, archive: await packImages(cluster.bench, 'probe', [{ name, files: contents, entrypoint: '/node' }]) };
}
