import { quoted } from '../../../../core/redact.ts';
import type { Container, Pod } from '../../../../cluster/objects.ts';
import { HANDLERS } from '../../../shape.ts';
import { canonicalAddress, loopbackOf } from '../address.ts';
import { flagValue } from '../../../../format/flags.ts';
import { valueAt, type Edit } from '../patch.ts';
import { allContainers, argvOf, containerOf, containerPath, type Rule, type RuleContext } from '../rule.ts';

/** What the kubelet asks over the network: a probe, or a hook of the lifecycle. */
interface Handler {
  readonly path: string;
  readonly host: string | undefined;
  readonly port: number | string;
}

export function handlersOf(container: Container, path: string): readonly Handler[] {
  return HANDLERS.flatMap(({ path: place }) => {
    const found = valueAt(container, place) as { host?: string; port: number | string } | undefined | null;
    return found ? [{ path: `${path}${place}`, host: found.host ?? undefined, port: found.port }] : [];
  });
}

export const probePorts: Rule<unknown> = {
  name: 'probe-ports',
  reason: 'A probe that names a port finds none once the container declares no ports; the number stays right.',
  apply: (pod, context) =>
    allContainers(pod).flatMap(({ container, path }) =>
      handlersOf(container, path).flatMap((handler) => numericPort(container, handler, context)),
    ),
};

function numericPort(
  container: Container,
  { path, port }: Handler,
  { problems }: RuleContext<unknown>,
): readonly Edit[] {
  if (typeof port === 'number') return [];
  const number = namedPort(container, port);
  if (number !== undefined) return [{ path: `${path}/port`, value: number }];
  problems.error(
    'PROBE_PORT_UNKNOWN',
    `${path}/port`,
    `The container declares no port named ${quoted(port)}.`,
    'Write the number of the port.',
  );
  return [];
}

/** The port that a name stands for in its container. A number in quotes is a number, as the kubelet has it. */
export function namedPort(container: Container, name: string): number | undefined {
  const declared = (container.ports ?? []).find((port) => port.name === name);
  if (declared !== undefined) return declared.containerPort;
  return /^\d{1,5}$/.test(name) ? Number(name) : undefined;
}

export const containerPorts: Rule<unknown> = {
  name: 'container-ports',
  reason:
    'On the network of the host each declared port claims the port of the node: the new Pod could not be placed beside the one that it replaces. Declaring a port opens nothing.',
  apply: (pod) => allContainers(pod).map(({ path }) => ({ path: `${path}/ports` })),
};

export const probeHosts: Rule<unknown> = {
  name: 'probe-hosts',
  reason:
    'The address of one node is wrong on the others, where the probe would ask the first. Loopback is right wherever the server listens on it; without a host the kubelet asks the address of the Pod, which is that of its node.',
  apply: (pod, context) => [...ownHosts(pod, context), ...otherHosts(pod, context)],
};

function ownHosts(pod: Pod, context: RuleContext<unknown>): readonly Edit[] {
  const container = containerOf(pod, context);
  const loopback = loopbackOf(flagValue(argvOf(container), 'bind-address') ?? '');
  return handlersOf(container, containerPath(context))
    .filter(({ host }) => host)
    .map(({ path }) => ({ path: `${path}/host`, ...(loopback !== undefined && { value: loopback }) }));
}

/** What another container listens on is not known; that the address of the node is its own, is. */
function otherHosts(pod: Pod, context: RuleContext<unknown>): readonly Edit[] {
  const advertised = flagValue(argvOf(containerOf(pod, context)), 'advertise-address');
  if (advertised === undefined) return [];
  return allContainers(pod)
    .filter(({ path }) => path !== containerPath(context))
    .flatMap(({ container, path }) => handlersOf(container, path))
    .filter(({ host }) => host && canonicalAddress(host) === canonicalAddress(advertised))
    .map(({ path }) => ({ path: `${path}/host` }));
}
