import { sortProblems } from '../../core/problem.ts';
import { refusal, type BootstrapperKind, type Outcome, type Settings } from '../bootstrapper.ts';
import { assess } from './bootstrap.ts';
import { canonicalVariables } from './canonical.ts';
import { checkCertificates } from './certificates.ts';
import { highlights } from './highlights.ts';
import { optionsSchema } from './json-schema.ts';
import { profileOf, type Profile, type ProfileName } from './profiles.ts';
import { printScript, scriptText } from './script.ts';
import { reportSize, SIZE_LIMIT } from './size.ts';

/** An AKS profile, as the verbs see a bootstrapper. */
export function aksBootstrapper(name: ProfileName): BootstrapperKind {
  const profile = profileOf(name);
  return {
    name,
    limit: SIZE_LIMIT,
    assess: (options, settings) => assessAndPrint(options, profile, settings).outcome,
    check: (options, settings) => {
      const { certificates, outcome } = assessAndPrint(options, profile, settings);
      return sortProblems([...outcome.problems, ...checkCertificates(certificates, settings)]);
    },
    schema: () => optionsSchema(name),
  };
}

function assessAndPrint(
  options: unknown,
  profile: Profile,
  settings: Settings,
): { outcome: Outcome; certificates: readonly string[] } {
  const { problems, bootstrap, certificates } = assess(options, profile, settings);
  if (bootstrap === undefined) return { certificates, outcome: refusal(problems.sorted()) };
  const script = printScript(profile, bootstrap);
  const bytes = script.head.bytes + script.body.bytes;
  if (bytes > SIZE_LIMIT) reportSize(bytes, bootstrap, profile, problems);
  if (problems.hasErrors) return { certificates, outcome: refusal(problems.sorted()) };
  return {
    certificates,
    outcome: {
      problems: problems.sorted(),
      script: { text: () => scriptText(script), base64: script.head.base64 + script.body.base64, bytes },
      variables: () => canonicalVariables(profile, bootstrap),
      highlights: () => highlights(profile, bootstrap),
    },
  };
}
