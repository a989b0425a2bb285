import { pointerTo } from '../../../core/pointer.ts';
import { quoted } from '../../../core/redact.ts';
import type { Container, Pod, Volume, VolumeMount } from '../../../cluster/objects.ts';
import { neededFiles, type FileKind, type NeededFile } from './certificates.ts';
import { flagIndex } from '../../../format/flags.ts';
import { hostedName } from './hosted.ts';
import type { ConvertOptions } from './options.ts';
import type { Edit } from './patch.ts';
import { allContainers, argvOf, argvPath, containerOf, containerPath, type RuleContext } from './rule.ts';

type Context = RuleContext<ConvertOptions>;

/** A Secret that the DaemonSet needs, and the files of the node that its keys are made of. */
export interface SecretPlan {
  readonly name: string;
  /** Volume of the Pod that it takes the place of. */
  readonly volume: string;
  readonly entries: readonly SecretEntry[];
}

export interface SecretEntry {
  readonly key: string;
  /** The file on the node. */
  readonly file: string;
  /** Where the file lies in the volume, as `items[].path` has it. */
  readonly path: string;
}

/** What Secret mode comes to: which files are covered and by what, or problems for those that are not. */
export interface Coverage {
  readonly secrets: readonly SecretPlan[];
  readonly edits: readonly Edit[];
}

/** Kinds for which a volume is taken from a Secret. A volume of configuration alone stays on the disk. */
const FROM_SECRETS: readonly FileKind[] = ['certificate', 'key', 'ca-key', 'token-key', 'kubeconfig'];

/** Folders of the certificates that the system trusts: a component reads all of them, and no flag says so. */
const SYSTEM_TRUST: readonly string[] = [
  '/etc/ca-certificates',
  '/etc/pki',
  '/etc/ssl',
  '/usr/local/share/ca-certificates',
  '/usr/share/ca-certificates',
];

/** A needed file in the mount that holds it. */
interface Located {
  readonly file: NeededFile;
  readonly mount: VolumeMount;
  readonly volume: Volume;
}

/** Computes the Secrets for all that the flags name, and refuses what no Secret can cover. */
export function coverFiles(pod: Pod, context: Context): Coverage {
  const { component, problems, options } = context;
  const container = containerOf(pod, context);
  if (options.nodeName === undefined) {
    problems.error(
      'NODE_UNNAMED',
      '',
      'Each node has certificates and kubeconfigs of its own, so Secrets are made for one node.',
      'Name the node that the manifest is from.',
    );
  }
  const files = neededFiles(component, container);
  const located = files.flatMap((file) => locate(pod, file, context) ?? []);
  const volumes = (pod.spec.volumes ?? []).filter((volume) =>
    located.some((one) => one.volume === volume && FROM_SECRETS.includes(one.file.kind)),
  );
  for (const { file } of located.filter(({ volume }) => volumes.includes(volume))) warnOfKey(container, file, context);
  const covered = volumes.map((volume) =>
    coverVolume(
      pod,
      volume,
      located.filter((one) => one.volume === volume),
      context,
    ),
  );
  return { secrets: covered.map(({ secret }) => secret), edits: covered.flatMap(({ edits }) => edits) };
}

function locate(pod: Pod, file: NeededFile, context: Context): Located | undefined {
  const container = containerOf(pod, context);
  const mount = mountOf(container, file.path);
  const volume = pod.spec.volumes?.find(({ name }) => name === mount?.name);
  if (mount && volume?.hostPath) return { file, mount, volume };
  if (FROM_SECRETS.includes(file.kind))
    uncovered(container, file, 'it lies in no volume that comes from the disk of the node', context);
  return undefined;
}

/** The mount that holds a path: of several, the innermost. */
export function mountOf(container: Container, path: string): VolumeMount | undefined {
  return (container.volumeMounts ?? [])
    .filter(({ mountPath }) => path === mountPath || path.startsWith(`${mountPath.replace(/\/$/, '')}/`))
    .toSorted((a, b) => b.mountPath.length - a.mountPath.length)[0];
}

function coverVolume(
  pod: Pod,
  volume: Volume,
  located: readonly Located[],
  context: Context,
): { readonly secret: SecretPlan; readonly edits: readonly Edit[] } {
  const container = containerOf(pod, context);
  const { mount } = located[0]!;
  for (const { file } of located) {
    const reason = reasonAgainst(pod, volume, mount, file);
    if (reason !== undefined) uncovered(container, file, reason, context);
  }
  refuseStrangers(container, mount, located, context);
  const name = `${hostedName(context.component, context.options)}-${volume.name}`;
  const entries = entriesOf(volume, mount, located);
  refuseSharedKeys(container, entries, located, context);
  const items = entries.map(({ key, path }) => ({ key, path }));
  const volumeIndex = pod.spec.volumes!.indexOf(volume);
  const mountIndex = container.volumeMounts!.indexOf(mount);
  const isFile = located.some(({ file }) => file.path === mount.mountPath);
  return {
    secret: { name, volume: volume.name, entries },
    edits: [
      { path: `/spec/volumes/${volumeIndex}/hostPath` },
      { path: `/spec/volumes/${volumeIndex}/secret`, value: { secretName: name, items } },
      // A Secret is a folder: without this a file that is mounted by itself would become one.
      ...(isFile
        ? [{ path: `${containerPath(context)}/volumeMounts/${mountIndex}/subPath`, value: entries[0]!.path }]
        : []),
    ],
  };
}

function entriesOf(volume: Volume, mount: VolumeMount, located: readonly Located[]): readonly SecretEntry[] {
  const paths = [...new Set(located.map(({ file }) => file.path))].toSorted();
  return paths.map((path) => {
    const inside = path === mount.mountPath ? '' : path.slice(mount.mountPath.replace(/\/$/, '').length);
    const relative = inside === '' ? path.slice(path.lastIndexOf('/') + 1) : inside.slice(1);
    // Keys of a Secret have no slash: kubeadm once made one of "etcd/ca" and was refused.
    return {
      key: relative.replaceAll(/[^-._a-zA-Z0-9]/g, '.'),
      file: `${volume.hostPath!.path.replace(/\/$/, '')}${inside}`,
      path: relative,
    };
  });
}

function refuseSharedKeys(
  container: Container,
  entries: readonly SecretEntry[],
  located: readonly Located[],
  context: Context,
): void {
  for (const { file } of located) {
    const own = entries.find(({ path }) => file.path.endsWith(`/${path}`));
    const isShared = entries.some(({ key, path }) => key === own?.key && path !== own.path);
    if (isShared) uncovered(container, file, 'another file would have the same key in it', context);
  }
}

/** Why a file of a volume cannot come from a Secret, if there is a reason. */
function reasonAgainst(pod: Pod, volume: Volume, mount: VolumeMount, file: NeededFile): string | undefined {
  if (file.kind === 'configuration') return 'it may name files beside it that are not known';
  if (SYSTEM_TRUST.some((folder) => `${mount.mountPath}/`.startsWith(`${folder}/`)))
    return 'it lies among the certificates that the system trusts, which would be gone';
  if (mount.readOnly !== true) return 'the component may write to its folder, and a Secret is read-only';
  if (mount.subPath !== undefined || 'subPathExpr' in mount) return 'only a part of the volume is mounted';
  const mounts = allContainers(pod).flatMap(({ container }) => container.volumeMounts ?? []);
  if (mounts.filter(({ name }) => name === volume.name).length > 1)
    return 'its volume is mounted more than once, and the other mount would lose what no flag names';
  return file.path.includes('/../') ? 'its path goes upwards' : undefined;
}

/** Refuses flags that are not known to name files and yet point into the volume: what they name would be gone. */
function refuseStrangers(
  container: Container,
  mount: VolumeMount,
  located: readonly Located[],
  context: Context,
): void {
  for (const [index, element] of argvOf(container).entries()) {
    const isKnown = located.some(({ file }) => element.includes(file.path));
    if (isKnown || !element.includes(mount.mountPath)) continue;
    context.problems.error(
      'SECRET_UNCOVERED',
      argvPath(containerPath(context), container, index),
      `${quoted(element)} points into ${quoted(mount.mountPath)}, and what is there is not known.`,
      'Keep certificates on the disk of the node.',
    );
  }
}

function uncovered(container: Container, file: NeededFile, reason: string, context: Context): void {
  context.problems.error(
    'SECRET_UNCOVERED',
    pathOf(container, file, context),
    `${quoted(file.path)} of --${file.flag} cannot come from a Secret: ${reason}.`,
    'Keep certificates on the disk of the node.',
  );
}

function warnOfKey(container: Container, file: NeededFile, context: Context): void {
  const harm = HARM[file.kind];
  if (harm === undefined) return;
  context.problems.warn(
    'SECRET_KEY_EXPOSED',
    pathOf(container, file, context),
    `${quoted(file.path)} would lie in etcd, and in every backup of it: ${harm}.`,
    'Keep it on the disk of the node, or encrypt Secrets at rest and let nobody read them.',
  );
}

const HARM: Partial<Readonly<Record<FileKind, string>>> = {
  'ca-key': 'who reads it can sign a certificate for anybody',
  'token-key': 'who reads it can sign a token for any service account',
};

function pathOf(container: Container, { flag, path }: NeededFile, context: Context): string {
  const index = flagIndex(argvOf(container), flag, path) ?? flagIndex(argvOf(container), flag);
  return index === undefined
    ? pointerTo(containerPath(context), 'command')
    : argvPath(containerPath(context), container, index);
}
