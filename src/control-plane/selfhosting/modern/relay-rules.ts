import { posix } from 'node:path';
import { pointerTo } from '../../../core/pointer.ts';
import type { Pod } from '../../../cluster/objects.ts';
import { ENDPOINT_ANNOTATION, KUBEADM_LABELS, RELAY_LABEL } from './facts.ts';
import { flagValue, hasFlag, removeFlag, setFeatureGate, setFlag } from '../../../format/flags.ts';
import type { Edit } from './patch.ts';
import { RELAY_NAME, type RelayOptions } from './relay-options.ts';
import { argvEdits, containerOf, containerPath, type Rule, type RuleContext } from './rule.ts';
import { containerPorts, handlersOf, probePorts } from './rules/probes.ts';

type RelayRule = Rule<RelayOptions>;

/** Flags of the proxy between API servers, which the API server refuses to take while its gate is off. */
const PEER_FLAGS: readonly string[] = ['peer-ca-file', 'peer-advertise-ip', 'peer-advertise-port'];

/** A rule about a flag of the server. */
function flagRule(
  name: string,
  reason: string,
  change: (argv: readonly string[], options: RelayOptions) => readonly string[],
): RelayRule {
  return {
    name,
    reason,
    apply: (pod, context) => argvEdits(pod, containerPath(context), (argv) => change(argv, context.options)),
  };
}

const relayName: RelayRule = {
  name: 'relay-name',
  reason: 'Two static Pods of one name are one to the kubelet.',
  apply: (_, { options }) => [{ path: '/metadata/name', value: options.name ?? RELAY_NAME }],
};

const relayLabels: RelayRule = {
  name: 'relay-labels',
  reason:
    'kubeadm finds the API server of a node by its labels and endpoint annotation and refuses two; bootlace finds the relay by a label of its own.',
  apply: (_, { component }) => [
    ...KUBEADM_LABELS.map((label) => ({ path: pointerTo('/metadata/labels', label) })),
    { path: pointerTo('/metadata/annotations', ENDPOINT_ANNOTATION) },
    { path: pointerTo('/metadata/labels', RELAY_LABEL), value: component },
  ],
};

const relayProbes: RelayRule = {
  name: 'relay-probes',
  reason: 'Probes ask the port of the relay, and not the server that it stands in for.',
  apply: (pod, context) =>
    handlersOf(containerOf(pod, context), containerPath(context)).map(({ path }) => ({
      path: `${path}/port`,
      value: context.options.port,
    })),
};

const relayPort = flagRule(
  'relay-port',
  'The port of the node is held by the server that is replaced.',
  (argv, { port }) => setFlag(argv, 'secure-port', String(port)),
);

const relayEndpoints = flagRule(
  'relay-endpoints',
  'Clients reach the relay by a redirect; in the endpoints of the kubernetes Service it would stand for the node, and take the node away when it stops.',
  (argv) => setFlag(argv, 'endpoint-reconciler-type', 'none'),
);

const relayAuditLog = flagRule(
  'relay-audit-log',
  'The audit log is not opened for appending: two servers would overwrite each other. A name before the name keeps the rotation of the one from the files of the other.',
  (argv) => ownPath(argv, 'audit-log-path'),
);

const relayDebugSocket = flagRule('relay-debug-socket', 'A socket belongs to one server.', (argv) =>
  ownPath(argv, 'debug-socket-path'),
);

const relayPeers = flagRule(
  'relay-peers',
  'API servers of one host have one identity, under which peers would find either. With the gate off the server refuses the flags that belong to it.',
  (argv) => {
    if (!PEER_FLAGS.some((flag) => hasFlag(argv, flag))) return argv;
    return setFeatureGate(PEER_FLAGS.reduce(removeFlag, argv), 'UnknownVersionInteroperabilityProxy', false);
  },
);

function ownPath(argv: readonly string[], flag: string): readonly string[] {
  const path = flagValue(argv, flag);
  // A dash is standard output, which every container has of its own.
  if (!path || path === '-') return argv;
  return setFlag(argv, flag, posix.join(posix.dirname(path), `relay-${posix.basename(path)}`));
}

const relayContainers: RelayRule = {
  name: 'relay-containers',
  reason: 'The relay is the API server alone: a copied container would run twice.',
  apply: (pod, { index }) => [
    // From the back, so that no removal moves what a later one means.
    ...pod.spec.containers
      .map((_, at) => ({ path: `/spec/containers/${at}` }))
      .filter((__, at) => at !== index)
      .toReversed(),
    { path: '/spec/initContainers' },
  ],
};

const relayResources: RelayRule = {
  name: 'relay-resources',
  reason:
    'To make room for the requests of a static Pod the kubelet evicts others; and a limit without a request counts as one.',
  apply: (_, context) => [
    { path: '/spec/resources' },
    ...['requests', 'limits'].map((field) => ({ path: `${containerPath(context)}/resources/${field}` })),
  ],
};

const relayVolumes: RelayRule = {
  name: 'relay-volumes',
  reason: 'Volumes that only other containers mount are not needed.',
  apply: unusedVolumes,
};

function unusedVolumes(pod: Pod, context: RuleContext<RelayOptions>): readonly Edit[] {
  const mounted = new Set((containerOf(pod, context).volumeMounts ?? []).map(({ name }) => name));
  return (pod.spec.volumes ?? [])
    .flatMap(({ name }, index) => (mounted.has(name) ? [] : [{ path: `/spec/volumes/${index}` }]))
    .toReversed();
}

/**
 * The rules that make a relay from the manifest of an API server, in the order in which they run: other containers
 * go last, since after that the server's container may stand in another place. What none of them names stays:
 * flags, certificates, security settings, priority class, host network, the address that probes ask.
 */
export const RELAY_RULES: readonly RelayRule[] = [
  relayName,
  relayLabels,
  probePorts,
  containerPorts,
  relayProbes,
  relayPort,
  relayEndpoints,
  relayAuditLog,
  relayDebugSocket,
  relayPeers,
  relayResources,
  relayVolumes,
  relayContainers,
];

/** What flags of the relay point to files of its own, for those who check that it may write there. */
export const OWN_PATHS: readonly string[] = ['audit-log-path', 'debug-socket-path'];
