import { isSame } from '../../../core/same.ts';
import { ProblemList, type Problem } from '../../../core/problem.ts';
import { quoted } from '../../../core/redact.ts';
import type { Pod } from '../../../cluster/objects.ts';
import { checkPod, subjectOf } from '../../subject.ts';
import { flagIndex, flagValues } from '../../../format/flags.ts';
import { argvOf, argvPath } from './rule.ts';

/** Flags in which two API servers must agree while both serve, with what happens when they do not. */
const AGREED: Readonly<Record<string, string>> = {
  'encryption-provider-config': 'the one cannot read what the other writes',
  'etcd-prefix': 'they hold two clusters',
  'etcd-servers': 'they may hold two clusters',
  'service-account-issuer': 'the one refuses tokens of the other',
  'service-account-key-file': 'the one refuses tokens of the other',
  'service-account-signing-key-file': 'the one refuses tokens of the other',
  'service-cluster-ip-range': 'they give out addresses from two ranges',
  'storage-media-type': 'an older one may not read what the other writes',
};

/**
 * Reports what keeps two definitions of an API server from serving side by side, as they do while the second takes
 * over from the first: flags in which they have to agree, and more than one minor version between them. Paths are
 * those of the second. Files of the same name are taken to be the same.
 */
export function checkSideBySide(first: Pod, second: Pod): readonly Problem[] {
  const problems = new ProblemList();
  const [one, other] = [first, second].map((pod) => serverOf(pod, problems));
  if (one === undefined || other === undefined) return problems.sorted();
  for (const [flag, harm] of Object.entries(AGREED)) {
    const [a, b] = [one, other].map(({ argv }) => flagValues(argv, flag));
    if (isSame(a, b)) continue;
    const index = flagIndex(other.argv, flag);
    problems.error(
      'SERVERS_DIFFER',
      index === undefined ? `${other.path}/command` : argvPath(other.path, other.container, index),
      `--${flag} is ${printed(b!)} and was ${printed(a!)}: ${harm}.`,
      'Change it with an outage, after a look at the documentation of the flag.',
    );
  }
  const [a, b] = [one, other].map(({ container }) => minorOf(container.image));
  if (a !== undefined && b !== undefined && Math.abs(a - b) > 1) {
    problems.error(
      'SERVERS_DIFFER',
      `${other.path}/image`,
      `Between Kubernetes 1.${a} and 1.${b} lies more than one minor version.`,
      'Go one minor version at a time.',
    );
  }
  return problems.sorted();
}

function serverOf(pod: Pod, problems: ProblemList) {
  const subject = checkPod(pod, problems) && subjectOf(pod, problems);
  if (subject === undefined) return undefined;
  const container = pod.spec.containers[subject.index]!;
  return { container, argv: argvOf(container), path: `/spec/containers/${subject.index}` };
}

function printed(values: readonly string[]): string {
  return values.length === 0 ? 'not set' : values.map(quoted).join(' and ');
}

/** The minor version that the tag of an image names, if it names one. */
function minorOf(image: string | undefined): number | undefined {
  const minor = /:v?1\.(\d+)(?:[.\-+@]|$)/.exec(image ?? '')?.[1];
  return minor === undefined ? undefined : Number(minor);
}
