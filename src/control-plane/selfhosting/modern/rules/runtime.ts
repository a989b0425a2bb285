import { parseGoDuration } from '../../../../format/duration.ts';
import { quoted } from '../../../../core/redact.ts';
import { DEFAULT_GRACE_PERIOD } from '../facts.ts';
import { flagValue } from '../../../../format/flags.ts';
import type { ConvertOptions } from '../options.ts';
import { argvOf, containerOf, flagPath, type Rule, type RuleContext } from '../rule.ts';
import type { Pod } from '../../../../cluster/objects.ts';

export const serviceAccountToken: Rule<ConvertOptions> = {
  name: 'service-account-token',
  reason:
    'A static Pod gets no token of a service account, and no component of the control plane reads one. The volume of the token would tie the start of the API server to the API.',
  apply: () => [{ path: '/spec/automountServiceAccountToken', value: false }],
};

export const serviceLinks: Rule<ConvertOptions> = {
  name: 'service-links',
  reason: 'Variables for every Service of the namespace would go into the environment; a static Pod has none.',
  apply: () => [{ path: '/spec/enableServiceLinks', value: false }],
};

export const dnsPolicy: Rule<ConvertOptions> = {
  name: 'dns-policy',
  reason: 'Asked for. Left alone, names are resolved as the manifest has it, which does not need CoreDNS.',
  apply: (_, { options }) =>
    options.dnsPolicy === undefined ? [] : [{ path: '/spec/dnsPolicy', value: options.dnsPolicy }],
};

/** Flags of the API server whose durations pass before it stops to serve. */
const SHUTDOWN_FLAGS: readonly string[] = ['shutdown-delay-duration', 'shutdown-watch-termination-grace-period'];

export const gracePeriod: Rule<ConvertOptions> = {
  name: 'grace-period',
  reason:
    'The API server goes on serving for the shutdown delay; what it then needs to end must not be cut off, as the default of 30 s would.',
  apply: (pod, context) => {
    const seconds = SHUTDOWN_FLAGS.reduce((sum, flag) => sum + secondsOf(pod, flag, context), 0);
    if (seconds === 0) return [];
    const given = pod.spec['terminationGracePeriodSeconds'];
    const needed = DEFAULT_GRACE_PERIOD + seconds;
    if (typeof given === 'number' && given >= needed) return [];
    return [{ path: '/spec/terminationGracePeriodSeconds', value: needed }];
  },
};

/** Whole seconds of a flag of the API server, rounded up; 0 for other components and without the flag. */
function secondsOf(pod: Pod, flag: string, context: RuleContext<ConvertOptions>): number {
  const text = context.component === 'kube-apiserver' ? flagValue(argvOf(containerOf(pod, context)), flag) : undefined;
  if (text === undefined) return 0;
  const nanoseconds = parseGoDuration(text);
  if (nanoseconds !== undefined && nanoseconds >= 0n) return Math.ceil(Number(nanoseconds) / 1e9);
  context.problems.error(
    'FLAG_INVALID',
    flagPath(pod, flag, context),
    `${quoted(text)} is no duration.`,
    'Write one as Go does, as in 20s.',
  );
  return 0;
}
