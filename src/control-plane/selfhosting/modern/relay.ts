import { ProblemList, type Problem } from '../../../core/problem.ts';
import type { Pod } from '../../../cluster/objects.ts';
import { checkPod, subjectOf } from '../../subject.ts';
import { checkRelay } from './relay-checks.ts';
import type { RelayOptions } from './relay-options.ts';
import { RELAY_RULES } from './relay-rules.ts';
import { runRules, type Change, type RuleContext } from './rule.ts';

export interface Relay {
  /** A static Pod. Absent when a problem is an error. */
  readonly pod?: Pod;
  readonly changes: readonly Change[];
  readonly problems: readonly Problem[];
}

/**
 * The relay of an API server: a second static Pod on the same node that serves on another port while the first is
 * replaced. Refused where two servers of the manifest must not run side by side, and on a port that may be given to
 * something else.
 *
 * Only its own port is served: the caller redirects clients, and asks the relay with a client certificate, a token
 * and an aggregated API before that, since authenticators that start late do not hold /readyz back.
 *
 * @example
 * const { pod, problems } = relayPod(manifest, { port: 6444 });
 */
export function relayPod(pod: Pod, options: RelayOptions): Relay {
  const problems = new ProblemList(false, options.source);
  const subject = checkPod(pod, problems) && subjectOf(pod, problems);
  if (subject === undefined) return { changes: [], problems: problems.sorted() };
  const context: RuleContext<RelayOptions> = { ...subject, options, problems };
  if (subject.component !== 'kube-apiserver') {
    problems.error(
      'COMPONENT_UNKNOWN',
      `/spec/containers/${subject.index}/name`,
      `A relay stands in for an API server, and this is ${subject.component}: a second one waits for the lease of the first by itself.`,
      'Give the manifest of kube-apiserver.',
    );
    return { changes: [], problems: problems.sorted() };
  }
  checkRelay(pod, context);
  const { pod: relay, changes } = runRules(RELAY_RULES, pod, context);
  return { ...(!problems.hasErrors && { pod: relay }), changes, problems: problems.sorted() };
}
