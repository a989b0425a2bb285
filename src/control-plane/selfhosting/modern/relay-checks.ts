import { pointerTo } from '../../../core/pointer.ts';
import { quoted, shown } from '../../../core/redact.ts';
import type { Container, Pod } from '../../../cluster/objects.ts';
import { isUnspecified } from './address.ts';
import { DEFAULT_SECURE_PORT } from './facts.ts';
import { flagValue } from '../../../format/flags.ts';
import {
  CONTROL_PLANE_PORTS,
  DEFAULT_NODE_PORTS,
  LINUX_EPHEMERAL_PORTS,
  parsePortRange,
  type PortRange,
  type RelayOptions,
} from './relay-options.ts';
import { OWN_PATHS } from './relay-rules.ts';
import { allContainers, argvOf, containerOf, containerPath, flagPath, type RuleContext } from './rule.ts';
import { handlersOf, namedPort } from './rules/probes.ts';
import { mountOf } from './secrets.ts';

type Context = RuleContext<RelayOptions>;

/** Reports all for which a second server of the manifest must not run, or not on this port. */
export function checkRelay(pod: Pod, context: Context): void {
  checkNetwork(pod, context);
  checkBindAddress(pod, context);
  const own = securePort(pod, context);
  checkPort(pod, own, context);
  if (own !== undefined) checkProbes(pod, own, context);
  for (const flag of OWN_PATHS) checkOwnPath(pod, flag, context);
  checkVolumes(pod, context);
  checkPlugins(pod, context);
}

function conflict({ problems }: Context, path: string, message: string, hint: string): void {
  problems.error('RELAY_CONFLICT', path, message, hint);
}

function checkNetwork(pod: Pod, context: Context): void {
  if (pod.spec.hostNetwork === true) return;
  conflict(
    context,
    '/spec/hostNetwork',
    'Without the network of the host no redirect reaches the relay.',
    'Set hostNetwork to true.',
  );
}

/**
 * An API server asks itself too: at a loopback address where it serves on all, and otherwise at the one that it binds. A
 * redirect of that one leads it to the other server, which refuses it, and it ends without ever being ready.
 */
function checkBindAddress(pod: Pod, context: Context): void {
  const bound = flagValue(argvOf(containerOf(pod, context)), 'bind-address') ?? '';
  if (isUnspecified(bound)) return;
  conflict(
    context,
    flagPath(pod, 'bind-address', context),
    `The server asks itself at ${quoted(bound)}, and a redirect of that address would lead it to the relay.`,
    'Bind 0.0.0.0 or ::, and let a firewall keep others out.',
  );
}

function checkPort(pod: Pod, own: number | undefined, context: Context): void {
  const { port } = context.options;
  const reason = reasonAgainstPort(pod, own, context);
  if (reason === undefined) return;
  context.problems.error(
    'RELAY_PORT_TAKEN',
    '',
    `The relay cannot serve on ${shown(port)}: ${reason}.`,
    'Take 6444, or another free port below 30000.',
  );
}

function reasonAgainstPort(pod: Pod, own: number | undefined, context: Context): string | undefined {
  const { port, ephemeralPorts = LINUX_EPHEMERAL_PORTS, takenPorts = [] } = context.options;
  const nodePorts = nodePortRange(pod, context);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return 'a port is a number from 1 to 65535';
  if (port === own) return 'it is the port of the server that the relay stands in for';
  const owner = CONTROL_PLANE_PORTS[port];
  if (owner !== undefined) return `it is the port of ${owner}`;
  if (isWithin(port, nodePorts)) return `a Service may get it as a node port (${nodePorts.from} to ${nodePorts.to})`;
  if (isWithin(port, ephemeralPorts))
    return `an outgoing connection may get it (${ephemeralPorts.from} to ${ephemeralPorts.to})`;
  return takenPorts.includes(port) ? 'something listens there already' : undefined;
}

function isWithin(port: number, { from, to }: PortRange): boolean {
  return port >= from && port <= to;
}

function nodePortRange(pod: Pod, context: Context): PortRange {
  const text = flagValue(argvOf(containerOf(pod, context)), 'service-node-port-range');
  if (text === undefined) return DEFAULT_NODE_PORTS;
  const range = parsePortRange(text);
  if (range !== undefined) return range;
  flagInvalid(pod, 'service-node-port-range', 'is no range of ports', 'Write it as in 30000-32767.', context);
  return DEFAULT_NODE_PORTS;
}

/** The port of the server, or nothing where its flag is no port, which is reported. */
function securePort(pod: Pod, context: Context): number | undefined {
  const text = flagValue(argvOf(containerOf(pod, context)), 'secure-port');
  if (text === undefined) return DEFAULT_SECURE_PORT[context.component];
  if (/^\d{1,5}$/.test(text)) return Number(text);
  flagInvalid(pod, 'secure-port', 'is no port', 'Write a number.', context);
  return undefined;
}

function flagInvalid(pod: Pod, flag: string, fault: string, hint: string, context: Context): void {
  const value = flagValue(argvOf(containerOf(pod, context)), flag);
  context.problems.error('FLAG_INVALID', flagPath(pod, flag, context), `${shown(value)} ${fault}.`, hint);
}

/** A probe of another port asks something that the relay does not have. */
function checkProbes(pod: Pod, own: number, context: Context): void {
  const container = containerOf(pod, context);
  for (const { path, port } of handlersOf(container, containerPath(context))) {
    const number = typeof port === 'number' ? port : namedPort(container, port);
    if (number === undefined || number === own) continue;
    conflict(
      context,
      `${path}/port`,
      `The probe asks port ${number}, and the server serves on ${own}.`,
      `Let it ask ${own}.`,
    );
  }
}

/** The relay writes beside the file of the server, so the folder has to be there. */
function checkOwnPath(pod: Pod, flag: string, context: Context): void {
  const container = containerOf(pod, context);
  const path = flagValue(argvOf(container), flag);
  const mount = path ? mountOf(container, path) : undefined;
  if (!path || mount?.mountPath.replace(/\/$/, '') !== path) return;
  conflict(
    context,
    flagPath(pod, flag, context),
    `${quoted(path)} is mounted as a single file, which two servers must not write; a file beside it would stay in the container.`,
    'Mount its folder.',
  );
}

function checkVolumes(pod: Pod, context: Context): void {
  const container = containerOf(pod, context);
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const path = pointerTo(`${containerPath(context)}/volumeMounts`, index);
    const volume = pod.spec.volumes?.find(({ name }) => name === mount.name);
    const other = writerBeside(pod, mount.name, context);
    if (volume?.emptyDir !== undefined) {
      conflict(
        context,
        path,
        `${quoted(mount.mountPath)} is an emptyDir: the one of the relay is another, without what is in this one.`,
        'Take a folder of the node (hostPath).',
      );
    } else if (other !== undefined) {
      conflict(
        context,
        path,
        `The container ${quoted(other.name)} can write to ${quoted(mount.mountPath)}: a socket that it opens there ends with the Pod that is replaced.`,
        'Run it in a Pod of its own, or let it mount the volume with readOnly.',
      );
    } else if (mount.readOnly !== true && !isExplained(container, mount.mountPath)) {
      context.problems.warn(
        'RELAY_SHARED_VOLUME',
        path,
        `Both servers can write to ${quoted(mount.mountPath)}.`,
        'Mount it with readOnly, unless the API server writes there.',
      );
    }
  }
}

/** Another container of the Pod that may write to a volume. */
function writerBeside(pod: Pod, volume: string, context: Context): Container | undefined {
  return allContainers(pod).find(
    ({ container, path }) =>
      path !== containerPath(context) &&
      (container.volumeMounts ?? []).some(({ name, readOnly }) => name === volume && readOnly !== true),
  )?.container;
}

/** Whether a mount is there for a file that the relay has a name of its own for. */
function isExplained(container: Container, mountPath: string): boolean {
  return OWN_PATHS.some((flag) => {
    const path = flagValue(argvOf(container), flag);
    return path !== undefined && mountOf(container, path)?.mountPath === mountPath;
  });
}

/**
 * Sockets without a file (abstract ones) show in no mount: what encryption or token signing asks may be another
 * container of this Pod, which the relay does not have.
 */
function checkPlugins(pod: Pod, context: Context): void {
  if (allContainers(pod).length === 1) return;
  const argv = argvOf(containerOf(pod, context));
  const { encryptionConfiguration } = context.options;
  if (flagValue(argv, 'encryption-provider-config') && asksKms(encryptionConfiguration)) {
    conflict(
      context,
      flagPath(pod, 'encryption-provider-config', context),
      encryptionConfiguration === undefined
        ? 'The encryption may ask a KMS plugin in another container of this Pod, which ends with it.'
        : 'The encryption asks a KMS plugin, which may be another container of this Pod and ends with it.',
      'Run the plugin in a Pod of its own, or give the content of the file to show that there is none.',
    );
  }
  if (flagValue(argv, 'service-account-signing-endpoint')?.startsWith('@')) {
    conflict(
      context,
      flagPath(pod, 'service-account-signing-endpoint', context),
      'What signs tokens may be another container of this Pod, which ends with it.',
      'Run it in a Pod of its own, on a socket in a folder of the node.',
    );
  }
}

/** Whether an EncryptionConfiguration has a KMS provider, or is not known. */
function asksKms(configuration: unknown): boolean {
  if (typeof configuration !== 'object' || configuration === null) return true;
  const { resources } = configuration as { resources?: unknown };
  if (!Array.isArray(resources)) return true;
  return resources.some((resource: { providers?: unknown } | null) => {
    const providers = resource?.providers;
    return (
      !Array.isArray(providers) ||
      providers.some((one: unknown) => typeof one === 'object' && one !== null && 'kms' in one)
    );
  });
}
