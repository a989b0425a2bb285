import { posix } from 'node:path';
import type { Host } from '../../cluster/host.ts';
import type { Pod } from '../../cluster/objects.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import type { StrategyContext } from './context.ts';
import { StepError } from './steps.ts';

/** Where manifests lie that the kubelet is not to read. */
export const PARKING = '/etc/kubernetes/bootlace';

function parkedPath(component: ControlPlaneComponent): string {
  return posix.join(PARKING, `${component}.yaml`);
}

/** Takes a static Pod away: its manifest goes to where the kubelet does not look. Refuses one that has changed since. */
export async function parkManifest(
  { host, manifests }: StrategyContext,
  component: ControlPlaneComponent,
): Promise<void> {
  const { path, text } = manifests[component];
  const found = await readText(host, path);
  if (found === text) return host.files.move(path, parkedPath(component));
  // A run before this one may have come so far.
  if (found === undefined && (await readText(host, parkedPath(component))) === text) return undefined;
  throw new StepError('STEP_FAILED', `The manifest ${path} is not any more what it was when the run began.`);
}

/**
 * Puts the manifest back as it was, to the byte, and says whether anything had to be done. The kept file is moved, which
 * works on a full disk; what is kept of another run does not count.
 */
export async function restoreManifest(
  { host, manifests }: StrategyContext,
  component: ControlPlaneComponent,
): Promise<boolean> {
  const { path, text } = manifests[component];
  if ((await readText(host, path)) === text) return false;
  if ((await readText(host, parkedPath(component))) === text) await host.files.move(parkedPath(component), path);
  else await host.files.write(path, text);
  return true;
}

/** Puts another manifest in the place of a static Pod's own, which is kept. */
export async function replaceManifest(
  { host, manifests }: StrategyContext,
  component: ControlPlaneComponent,
  pod: Pod,
): Promise<void> {
  const { path, text } = manifests[component];
  await host.files.write(parkedPath(component), text);
  await host.files.write(path, textOf(pod));
}

/** Keeps a manifest for a person, or a run, that goes back to the static Pod. */
export async function keepManifest(
  { host }: StrategyContext,
  component: ControlPlaneComponent,
  text: string,
): Promise<void> {
  await host.files.write(parkedPath(component), text);
}

/** The manifest that is kept of a component, if one is. */
export function readKept(
  files: Pick<Host['files'], 'read'>,
  component: ControlPlaneComponent,
): Promise<string | undefined> {
  return readText({ files }, parkedPath(component));
}

/** Removes the manifest that was kept of a component. */
export async function forgetManifest({ host }: StrategyContext, component: ControlPlaneComponent): Promise<void> {
  await host.files.remove(parkedPath(component));
}

/** Where the manifest of a static Pod lies that is beside those of the node. */
export function staticPodPath({ manifestsDir }: StrategyContext, pod: Pod): string {
  return pathIn(manifestsDir, pod);
}

/** Puts a static Pod beside those of the node. */
export async function addStaticPod({ host, manifestsDir }: StrategyContext, pod: Pod): Promise<void> {
  await host.files.write(pathIn(manifestsDir, pod), textOf(pod));
}

/** Takes a static Pod away that was added, and keeps its manifest. It is no error when there is none. */
export async function takeStaticPod({ host, manifestsDir }: StrategyContext, pod: Pod): Promise<void> {
  const path = pathIn(manifestsDir, pod);
  if ((await readText(host, path)) !== undefined) await host.files.move(path, pathIn(PARKING, pod));
}

/** Brings back a static Pod that was taken away, from where it is kept, so that it needs no room on the disk. */
export async function bringBackStaticPod(context: StrategyContext, pod: Pod): Promise<void> {
  const { host, manifestsDir } = context;
  const kept = pathIn(PARKING, pod);
  if ((await readText(host, kept)) === textOf(pod)) await host.files.move(kept, pathIn(manifestsDir, pod));
  else if ((await readText(host, pathIn(manifestsDir, pod))) === undefined) await addStaticPod(context, pod);
}

/** Removes the manifest that was kept of a static Pod. */
export async function forgetStaticPod({ host }: StrategyContext, pod: Pod): Promise<void> {
  await host.files.remove(pathIn(PARKING, pod));
}

function pathIn(directory: string, pod: Pod): string {
  return posix.join(directory, `${pod.metadata.name}.yaml`);
}

/** JSON is YAML to the kubelet. */
export function textOf(pod: Pod): string {
  return `${JSON.stringify(pod, undefined, 2)}\n`;
}

async function readText(
  { files }: { readonly files: Pick<Host['files'], 'read'> },
  path: string,
): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await files.read(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export async function exists(host: Host, path: string): Promise<boolean> {
  return (await readText(host, path)) !== undefined;
}
