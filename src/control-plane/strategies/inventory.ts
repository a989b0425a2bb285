import { posix } from 'node:path';
import { isClusterError, type Cluster, type DaemonSetObject } from '../../cluster/api.ts';
import type { DaemonSet } from '../../cluster/objects.ts';
import type { Files } from '../../cluster/files.ts';
import type { Host } from '../../cluster/host.ts';
import type { Clock } from '../../core/clock.ts';
import { hasErrors, ProblemList, type Problem } from '../../core/problem.ts';
import { quoted, reasonOf } from '../../core/redact.ts';
import { parseManifest } from '../manifest.ts';
import {
  CONTROL_PLANE_COMPONENTS,
  CONTROL_PLANE_NAMESPACE,
  type ControlPlaneComponent,
} from '../selfhosting/labels.ts';
import { convertDaemonSet } from '../selfhosting/modern/convert.ts';
import { hostLabel } from '../selfhosting/modern/facts.ts';
import { hostedName, hostedValue } from '../selfhosting/modern/hosted.ts';
import type { ManifestFile, StrategyContext } from './context.ts';
import { folderProblems } from './folder.ts';
import { readKept, textOf } from './static-pods.ts';
import { argvOf, portOf } from './waits.ts';
import { flagValue } from '../../format/flags.ts';

/** A problem of one file on the node. */
export type FileProblem = Problem & { readonly file: string };

export interface InventorySettings {
  readonly host: Host;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly manifestsDir: string;
  readonly components: readonly ControlPlaneComponent[];
  readonly relayPort: number;
  readonly log: (message: string) => void;
}

/** What a strategy needs to know of a node before it plans: nothing is changed. */
export async function takeInventory(
  settings: InventorySettings,
): Promise<{ readonly context?: StrategyContext; readonly problems: readonly FileProblem[] }> {
  const { host, cluster, manifestsDir, relayPort } = settings;
  const { manifests, problems } = await readManifests(host.files, manifestsDir, (component) =>
    findHosted(cluster, component, host.nodeName),
  );
  const all = [
    ...problems,
    ...(await linksAmong(host, manifestsDir)),
    ...(await problemsBeside(host, manifestsDir, problems)),
  ];
  if (manifests === undefined || hasErrors(all)) return { problems: all };
  const service = await cluster.get({ kind: 'Service', namespace: 'default', name: 'kubernetes' });
  const argv = argvOf(manifests['kube-apiserver'].pod, 'kube-apiserver');
  const takenPorts = [...new Set((await host.listeners()).map(({ port }) => port))];
  const isDown = ([component, { pod }]: readonly [string, ManifestFile]): boolean => {
    const known = component as ControlPlaneComponent;
    return !takenPorts.includes(portOf(argvOf(pod, known), known));
  };
  const context: StrategyContext = {
    ...settings,
    manifests: Object.fromEntries(
      Object.entries(manifests).map((entry) => [entry[0], { ...entry[1], ...(isDown(entry) && { isDown: true }) }]),
    ) as StrategyContext['manifests'],
    server: {
      address: flagValue(argv, 'advertise-address') ?? (await addressOf(cluster, host.nodeName)),
      port: portOf(argv, 'kube-apiserver'),
    },
    service: { address: service.spec?.clusterIP ?? '', port: service.spec?.ports?.[0]?.port ?? 443 },
    takenPorts,
    admitsRelay: await host.admits(relayPort, true),
  };
  return { context, problems: all };
}

/** Manifests that are links: moving one moves the link, and whoever writes to what it leads to changes a control plane. */
async function linksAmong({ files }: Host, manifestsDir: string): Promise<readonly FileProblem[]> {
  const problems: FileProblem[] = [];
  for (const component of CONTROL_PLANE_COMPONENTS) {
    const file = posix.join(manifestsDir, `${component}.yaml`);
    const target = await files.linkOf(file);
    if (target === undefined) continue;
    problems.push({
      severity: 'error',
      code: 'MANIFEST_LINK',
      path: '',
      message: `The manifest is a symbolic link to ${quoted(target)}.`,
      hint: 'Put the file itself into the folder, with mode 0600.',
      file,
    });
  }
  return problems;
}

/** What is wrong with other files in the folder, which the kubelet reads as well. */
async function problemsBeside(
  { files }: Host,
  manifestsDir: string,
  known: readonly FileProblem[],
): Promise<readonly FileProblem[]> {
  const texts: (readonly [path: string, text: string])[] = [];
  const errors = new Map<string, unknown>();
  for (const name of await namesIn(files, manifestsDir)) {
    const path = posix.join(manifestsDir, name);
    try {
      texts.push([path, new TextDecoder('utf-8', { fatal: true }).decode(await files.read(path))]);
    } catch (error) {
      if (!isMissing(error)) errors.set(path, error);
    }
  }
  return folderProblems(manifestsDir, texts, errors, known);
}

async function namesIn(files: Host['files'], directory: string): Promise<readonly string[]> {
  try {
    return await files.list(directory);
  } catch (error) {
    // All that was in it may be hosted.
    if (isMissing(error)) return [];
    throw error;
  }
}

type FindHosted = (component: ControlPlaneComponent) => Promise<DaemonSet | undefined>;

/**
 * The manifests of a control plane; absent where a problem is an error. For a component without one that the cluster
 * hosts on the node it is what the DaemonSet was made from.
 */
export async function readManifests(
  files: Pick<Files, 'read'>,
  manifestsDir: string,
  hostedBy: FindHosted = async () => undefined,
): Promise<{ readonly manifests?: StrategyContext['manifests']; readonly problems: readonly FileProblem[] }> {
  const found = await Promise.all(
    CONTROL_PLANE_COMPONENTS.map(async (component) => ({
      component,
      ...(await readManifestOf(component, files, manifestsDir, hostedBy)),
    })),
  );
  const problems = found.flatMap((one) => one.problems);
  if (hasErrors(problems)) return { problems };
  const manifests = Object.fromEntries(found.map(({ component, file }) => [component, file!]));
  return { manifests: manifests as Record<ControlPlaneComponent, ManifestFile>, problems };
}

async function readManifestOf(
  component: ControlPlaneComponent,
  files: Pick<Files, 'read'>,
  manifestsDir: string,
  hostedBy: FindHosted,
): Promise<{ readonly file?: ManifestFile; readonly problems: readonly FileProblem[] }> {
  const path = posix.join(manifestsDir, `${component}.yaml`);
  const list = new ProblemList();
  const refused = (): { readonly problems: readonly FileProblem[] } => ({ problems: inFile(path, list.sorted()) });
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await files.read(path));
  } catch (error) {
    const daemonSet = isMissing(error) ? await hostedBy(component) : undefined;
    if (daemonSet !== undefined) return fileOf(daemonSet, path, await readKept(files, component));
    list.error(
      'DOCUMENT_UNREADABLE',
      '',
      isMissing(error) ? 'There is no such file.' : `The manifest cannot be read: ${reasonOf(error)}.`,
      'Name the directory with the manifests of kubeadm, /etc/kubernetes/manifests on a node.',
    );
    return refused();
  }
  const { pod, component: actual, source, problems } = await parseManifest(text);
  if (pod === undefined || source === undefined) return { problems: inFile(path, problems) };
  if (actual !== component) {
    list.error(
      'COMPONENT_UNKNOWN',
      '',
      `The file holds ${actual}, and ${component} was expected.`,
      'Give each component the file of its name.',
    );
    return refused();
  }
  return { file: { path, text, pod, source }, problems: inFile(path, problems) };
}

/** The manifest that a DaemonSet was made from, with what was changed in it since. */
async function fileOf(
  daemonSet: DaemonSet,
  path: string,
  kept: string | undefined,
): Promise<{ readonly file?: ManifestFile; readonly problems: readonly FileProblem[] }> {
  const { pod, problems } = convertDaemonSet(daemonSet);
  if (pod === undefined) return { problems: inFile(path, problems) };
  const text = textOf(pod);
  const { source } = await parseManifest(text);
  const file = { path, text, pod, source: source!, hosted: daemonSet, ...(kept !== undefined && { kept }) };
  return { file, problems: inFile(path, problems) };
}

/** The DaemonSet that hosts a component on a node; nothing where none does. */
export async function findHosted(
  cluster: Cluster,
  component: ControlPlaneComponent,
  nodeName: string,
): Promise<DaemonSet | undefined> {
  const name = hostedName(component, { nodeName });
  try {
    const { metadata } = await cluster.get({ kind: 'Node', name: nodeName });
    const found = await cluster.get({ kind: 'DaemonSet', namespace: CONTROL_PLANE_NAMESPACE, name });
    if (metadata.labels?.[hostLabel(component)] !== hostedValue(component, { nodeName })) return undefined;
    return withoutServerFields(found);
  } catch (error) {
    if (isClusterError(error, 'NOT_FOUND')) return undefined;
    throw error;
  }
}

/** As it was applied: what the API server writes into it would be refused or meaningless another time. */
function withoutServerFields({ apiVersion, kind, metadata, spec }: DaemonSetObject): DaemonSet {
  const { name, namespace, labels, annotations } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, labels, annotations } as DaemonSet['metadata'],
    spec: spec as DaemonSet['spec'],
  };
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function inFile(file: string, problems: readonly Problem[]): readonly FileProblem[] {
  return problems.map((problem) => ({ ...problem, file }));
}

async function addressOf(cluster: Cluster, name: string): Promise<string> {
  const { status } = await cluster.get({ kind: 'Node', name });
  const addresses = (status?.['addresses'] ?? []) as readonly { readonly type: string; readonly address: string }[];
  return addresses.find(({ type }) => type === 'InternalIP')?.address ?? '';
}
