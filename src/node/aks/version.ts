import type { ProblemList } from '../../core/problem.ts';
import { quoted } from '../../core/redact.ts';
import type { Profile } from './profiles.ts';

/** A Kubernetes version that decides rules: its numbers, or those of Go's fallback. */
export interface KubernetesVersion {
  readonly text: string;
  readonly major: number;
  readonly minor: number;
}

// The strict form of semantic versioning: no leading v, no leading zeros, no empty identifier.
const STRICT =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** The version, or `undefined` where it is not three plain numbers. */
export function parseVersion(text: string): KubernetesVersion | undefined {
  const match = text.length <= 200 ? STRICT.exec(text) : null;
  // Go keeps each number in 64 bits, which are at most 20 digits.
  if (match === null || /\d{20}/.test(text)) return undefined;
  return { text, major: Number(match[1]), minor: Number(match[2]) };
}

/**
 * Reads the version and reports what is wrong with it for the profile. A result is `undefined` only where
 * there is nothing to render at all.
 */
export function checkVersion(text: string, profile: Profile, problems: ProblemList): KubernetesVersion | undefined {
  const path = '/kubernetesVersion';
  const version = parseVersion(text);
  if (version === undefined) {
    const message = `${quoted(text)} is no version of Kubernetes.`;
    if (profile.versionRule === 'strict') {
      problems.error('VERSION_INVALID', path, message, versionHint(text, profile));
      return undefined;
    }
    problems.refuse('VERSION_INVALID', path, message, versionHint(text, profile));
    return { text, major: 1, minor: 0 };
  }
  if (version.major !== 1) {
    problems.refuse(
      'VERSION_INVALID',
      path,
      `Major version ${version.major} does not exist; rules go by the minor number ${version.minor} alone.`,
      `Write a version that begins with 1, as in "${profile.exampleVersion}".`,
    );
    return version;
  }
  const { minors, brokenFrom } = profile;
  const limited = profile.limited.find((limit) => limit.minor === version.minor);
  if (brokenFrom !== undefined && version.minor >= brokenFrom.minor) {
    problems.refuse(
      'VERSION_UNSUPPORTED',
      path,
      `${profile.name} cannot start a node of ${text}: ${brokenFrom.reason}.`,
      'Render with aks/v1.14.',
    );
  } else if (limited !== undefined) {
    problems.warn(
      'VERSION_UNKNOWN',
      path,
      `${profile.name} on 1.${version.minor}: ${limited.reason}.`,
      'Render with aks/v1.14.',
    );
  } else if (version.minor < minors.oldest || version.minor > minors.newest) {
    const used = version.minor < minors.oldest ? minors.oldest : minors.newest;
    problems.warn(
      'VERSION_UNKNOWN',
      path,
      `${profile.name} was made for 1.${minors.oldest} to 1.${minors.newest}; ${quoted(text)} gets the rules of 1.${used}.`,
      'Compare the flags with the release notes of the kubelet before you use the node.',
    );
  }
  return version;
}

function versionHint(text: string, profile: Profile): string {
  const bare = text.trim().replace(/^[vV]+/, '');
  if (parseVersion(bare)) return `Write it without the prefix and blanks: "${bare}".`;
  if (/^\d+\.\d+$/.test(bare)) return `Write three numbers, as in "${bare}.0".`;
  return `Write three numbers without a leading v, as in "${profile.exampleVersion}".`;
}
