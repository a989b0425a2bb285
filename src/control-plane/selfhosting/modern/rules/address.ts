import { isSame } from '../../../../core/same.ts';
import { quoted } from '../../../../core/redact.ts';
import type { EnvVar, Pod } from '../../../../cluster/objects.ts';
import { canonicalAddress, isLoopback, isUnspecified } from '../address.ts';
import { flagValue, setFlag } from '../../../../format/flags.ts';
import { isPerNode } from '../hosted.ts';
import type { ConvertOptions } from '../options.ts';
import type { Edit } from '../patch.ts';
import { argvEdits, argvOf, containerOf, containerPath, flagPath, type Rule, type RuleContext } from '../rule.ts';

const HOST_IP: EnvVar = { name: 'HOST_IP', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } };

export const advertiseAddress: Rule<ConvertOptions> = {
  name: 'advertise-address',
  reason:
    'The API server advertises the address of its node, so it can as well be asked of the Pod. One that differs from what the API calls the address of the node was chosen, and stays.',
  apply: (pod, context) => {
    const container = containerOf(pod, context);
    const path = containerPath(context);
    const { nodeAddress } = context.options;
    const advertised = flagValue(argvOf(container), 'advertise-address');
    if (nodeAddress === undefined || advertised === undefined || context.component !== 'kube-apiserver') return [];
    if (canonicalAddress(advertised) !== canonicalAddress(nodeAddress)) return [];
    const env = mergeEnv(container.env ?? undefined, `${path}/env`, HOST_IP);
    if (env === undefined) return [];
    return [...env, ...argvEdits(pod, path, (argv) => setFlag(argv, 'advertise-address', `$(${HOST_IP.name})`))];
  },
};

/** The edits that add a variable, or `undefined` where one of its name means something else. */
function mergeEnv(env: readonly EnvVar[] | undefined, path: string, added: EnvVar): readonly Edit[] | undefined {
  const present = env?.find(({ name }) => name === added.name);
  if (present !== undefined) return isSame(present, added) ? [] : undefined;
  return env === undefined
    ? [{ path, value: [added] }]
    : [{ path: `${path}/${env.length}`, value: added, insert: true }];
}

/** Warns of an address that only one node can bind, where the component is meant to start on several. */
export function checkBindAddress(pod: Pod, context: RuleContext<ConvertOptions>): void {
  const { component, options, problems } = context;
  const bound = flagValue(argvOf(containerOf(pod, context)), 'bind-address');
  if (bound === undefined || isUnspecified(bound) || isLoopback(bound) || isPerNode(component, options)) return;
  problems.warn(
    'ADDRESS_OF_ONE_NODE',
    flagPath(pod, 'bind-address', context),
    `Only one node can bind ${quoted(bound)}; on any other the component does not start.`,
    'Bind 127.0.0.1, as kubeadm does, or let one node alone host the component.',
  );
}
