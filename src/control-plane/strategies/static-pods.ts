import { posix } from 'node:path';
import type { Host } from '../../cluster/host.ts';
import type { Pod } from '../../cluster/objects.ts';
import type { ControlPlaneComponent } from '../selfhosting/labels.ts';
import type { StrategyContext } from './context.ts';
import { StepError } from './steps.ts';

/** Where manifests lie that the kubelet is not to read. */
const PARKING = '/etc/kubernetes/bootlace';

function parkedPath(component: ControlPlaneComponent): string {
  return posix.join(PARKING, `${component}.yaml`);
}

/** Takes a static Pod away: its manifest goes to where the kubelet does not look. */
export async function parkManifest(
  { host, manifests }: StrategyContext,
  component: ControlPlaneComponent,
): Promise<void> {
  await host.files.move(manifests[component].path, parkedPath(component));
}

/** Puts the manifest back as it was, to the byte. Where it is already there, nothing is done. */
export async function restoreManifest(
  { host, manifests }: StrategyContext,
  component: ControlPlaneComponent,
): Promise<void> {
  const { path } = manifests[component];
  if (await exists(host, parkedPath(component))) return host.files.move(parkedPath(component), path);
  if (await exists(host, path)) return undefined;
  throw new StepError('STEP_FAILED', `There is neither ${path} nor ${parkedPath(component)}.`);
}

async function exists({ files }: Host, path: string): Promise<boolean> {
  try {
    await files.stat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
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

/**
 * Puts a static Pod beside those of the node. One that was taken away comes back from where it was kept, so that a way
 * back needs no room on the disk.
 */
export async function addStaticPod({ host, manifestsDir }: StrategyContext, pod: Pod): Promise<void> {
  const path = pathIn(manifestsDir, pod);
  const kept = pathIn(PARKING, pod);
  if (await exists(host, kept)) await host.files.move(kept, path);
  else await host.files.write(path, textOf(pod));
}

/** Takes a static Pod away that was added, and keeps its manifest. It is no error when there is none. */
export async function takeStaticPod({ host, manifestsDir }: StrategyContext, pod: Pod): Promise<void> {
  const path = pathIn(manifestsDir, pod);
  if (await exists(host, path)) await host.files.move(path, pathIn(PARKING, pod));
}

/** Removes the manifest that was kept of a static Pod. */
export async function forgetStaticPod({ host }: StrategyContext, pod: Pod): Promise<void> {
  await host.files.remove(pathIn(PARKING, pod));
}

function pathIn(directory: string, pod: Pod): string {
  return posix.join(directory, `${pod.metadata.name}.yaml`);
}

/** JSON is YAML to the kubelet. */
function textOf(pod: Pod): string {
  return `${JSON.stringify(pod, undefined, 2)}\n`;
}
