import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Built } from './build.ts';
import { files, type Bench } from './bench.ts';
import { run } from './commands.ts';
import { imageConfiguration } from './kubeadm.ts';
import { REPOSITORY } from './repository.ts';

/** A shell with the usual commands, on every node. */
export const BUSYBOX = `${REPOSITORY}/busybox:1`;

/** An image of programs, each a file at a path in it. */
export interface Image {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** Names under which one of the files is known too, each a path. */
  readonly links?: readonly string[];
  /** What runs when a Pod says nothing else. */
  readonly entrypoint: string;
}

/** The names that kubeadm has for the images of a version. */
export async function imageNames(bench: Bench, built: Built, kubernetes: string): Promise<ImageNames> {
  const kubeadm = join(built.kubernetes, 'kubeadm');
  const configuration = join(files.images(bench), 'kubeadm.yaml');
  await mkdir(dirname(configuration), { recursive: true });
  await writeFile(configuration, imageConfiguration(kubernetes));
  const names = (await run([kubeadm, 'config', 'images', 'list', '--config', configuration])).trim().split('\n');
  return Object.fromEntries(names.map((name) => [/\/([a-z-]+):/.exec(name)?.[1] ?? name, name]));
}

/** Names of images with their tags, by the program that each holds. */
export type ImageNames = Readonly<Record<string, string>>;

/** What each node has: what holds a Pod, and a shell with the usual commands. */
export async function nodeImages(built: Built, names: ImageNames): Promise<Image[]> {
  const commands = (await run(['busybox', '--list'])).trim().split('\n');
  const links = commands.filter((name) => name !== 'busybox').map((name) => `/bin/${name}`);
  return [
    { name: names['pause']!, files: { '/pause': join(built.pause, 'pause') }, entrypoint: '/pause' },
    { name: BUSYBOX, files: { '/bin/busybox': '/usr/bin/busybox' }, links, entrypoint: '/bin/busybox' },
  ];
}

/** What a control-plane node has besides. */
export function controlPlaneImages(built: Built, names: ImageNames): Image[] {
  return ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'].map((program) => {
    const path = `/usr/local/bin/${program}`;
    const folder = program === 'etcd' ? built.etcd : built.kubernetes;
    return { name: names[program]!, files: { [path]: join(folder, program) }, entrypoint: path };
  });
}

/**
 * Packs images into an archive as `docker save` writes them, and returns its path. One that was packed from the
 * same files is used again.
 */
export async function packImages(bench: Bench, name: string, images: readonly Image[]): Promise<string> {
  const archive = join(files.images(bench), `${name}.tar`);
  const key = JSON.stringify([images, await versionsOf(images)]);
  if ((await readFile(`${archive}.key`, 'utf8').catch(() => undefined)) === key) return archive;
  await mkdir(dirname(archive), { recursive: true });
  const work = await mkdtemp(`${archive}-`);
  try {
    const manifest = [];
    for (const image of images) manifest.push(await packImage(image, work));
    await writeFile(join(work, 'manifest.json'), JSON.stringify(manifest));
    await tar(`${work}.tar`, work);
    await rename(`${work}.tar`, archive);
    await writeFile(`${archive}.key`, key);
    return archive;
  } finally {
    await rm(`${work}.tar`, { force: true });
    await rm(work, { recursive: true, force: true });
  }
}

/** What tells one build of the same file from another. */
async function versionsOf(images: readonly Image[]): Promise<object[]> {
  const paths = images.flatMap((image) => Object.values(image.files));
  return await Promise.all(paths.map(async (path) => [path, (await stat(path)).size, (await stat(path)).mtimeMs]));
}

async function packImage(image: Image, work: string): Promise<object> {
  const root = await mkdtemp(join(work, '.root-'));
  for (const [path, source] of Object.entries(image.files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await cp(source, join(root, path), { dereference: true });
  }
  for (const path of image.links ?? []) await symlink(image.entrypoint, join(root, path));
  await mkdir(join(root, 'tmp'));
  await chmod(join(root, 'tmp'), 0o1777);
  const layer = join(work, `${basename(root).slice(1)}.tar`);
  await tar(layer, root);
  await rm(root, { recursive: true });
  const digest = createHash('sha256');
  await pipeline(createReadStream(layer), digest);
  const config = {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: { Env: ['PATH=/usr/local/bin:/usr/bin:/bin'], Entrypoint: [image.entrypoint] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest.digest('hex')}`] },
  };
  const text = JSON.stringify(config);
  const configName = `${createHash('sha256').update(text).digest('hex')}.json`;
  await writeFile(join(work, configName), text);
  return { Config: configName, RepoTags: [image.name], Layers: [basename(layer)] };
}

async function tar(archive: string, folder: string): Promise<void> {
  const sameEverywhere = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
  await run(['tar', '--create', '--file', archive, '--directory', folder, ...sameEverywhere, '.']);
}
