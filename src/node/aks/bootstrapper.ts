import { oncePer } from '../../core/once.ts';
import { sortProblems } from '../../core/problem.ts';
import type { BootstrapperKind, CanonicalVariables, Outcome, RenderedNode, Settings } from '../bootstrapper.ts';
import { assess, type Bootstrap } from './bootstrap.ts';
import { canonicalVariables } from './canonical.ts';
import { checkCertificates } from './certificates.ts';
import { highlights } from './highlights.ts';
import { optionsSchema } from './json-schema.ts';
import { profileOf, type Profile, type ProfileName } from './profiles.ts';
import { printScript, type Script } from './script.ts';
import { reportSize, SIZE_LIMIT } from './size.ts';

/** An AKS profile, as the verbs see a bootstrapper. */
export const aksBootstrapper = oncePer((name: ProfileName): BootstrapperKind => {
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
});

function assessAndPrint(
  options: unknown,
  profile: Profile,
  settings: Settings,
): { outcome: Outcome; certificates: readonly string[] } {
  const { problems, bootstrap, certificates } = assess(options, profile, settings);
  let node: RenderedNode | undefined;
  if (bootstrap !== undefined) {
    const script = printScript(profile, bootstrap);
    const bytes = script.head.bytes + script.body.bytes;
    if (bytes > SIZE_LIMIT) reportSize(bytes, bootstrap, profile, problems);
    if (!problems.hasErrors) node = new AksNode(profile, bootstrap, script);
  }
  return { outcome: { problems: problems.sorted(), node }, certificates };
}

class AksNode implements RenderedNode {
  readonly #profile: Profile;
  readonly #bootstrap: Bootstrap;
  readonly #script: Script;

  constructor(profile: Profile, bootstrap: Bootstrap, script: Script) {
    this.#profile = profile;
    this.#bootstrap = bootstrap;
    this.#script = script;
  }

  get base64(): string {
    return this.#script.head.base64 + this.#script.body.base64;
  }

  get bytes(): number {
    return this.#script.head.bytes + this.#script.body.bytes;
  }

  text(): string {
    return this.#script.head.text + this.#script.body.text;
  }

  variables(): CanonicalVariables {
    return canonicalVariables(this.#profile, this.#bootstrap);
  }

  highlights(): readonly (readonly [name: string, value: string])[] {
    return highlights(this.#profile, this.#bootstrap);
  }
}
