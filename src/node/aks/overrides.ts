import type { ProblemList } from '../../core/problem.ts';
import { quoted } from '../../core/redact.ts';
import { once } from '../../core/once.ts';
import { isBase64 } from '../../format/base64.ts';
import { trustedCertificatesFault } from './bundle.ts';
import { environmentFileFault, hostNameFault, jsonStringFault } from './names.ts';
import type { Profile } from './profiles.ts';
import type { WellFormedOptions } from './read.ts';
import { VARIABLES, type OverrideRule, type VariableFact } from './variables.ts';

/** Reports overrides that are not ours to set, or whose value breaks a reader on the node. */
export function checkOverrides(options: WellFormedOptions, profile: Profile, problems: ProblemList): void {
  const overrides: Readonly<Record<string, unknown>> = options.overrides ?? {};
  for (const field of Object.keys(overrides)) {
    const fact = overridable().get(field);
    if (fact !== undefined) checkOverride(fact, overrides[field], problems);
  }
  checkFixed(overrides, profile, problems);
}

/** Fields that `overrides` may set; the others are derived, or belong to the custom-cloud branch. */
export const overridable = once(() => new Map(VARIABLES.map((fact) => [fact.field, fact])));

function checkOverride(fact: VariableFact, value: unknown, problems: ProblemList): void {
  const path = `/overrides/${fact.field}`;
  switch (fact.origin) {
    case 'custom cloud':
      if (value !== fact.default) {
        problems.error(
          'OVERRIDE_CUSTOM_CLOUD',
          path,
          'The custom-cloud branch is not supported: what its nodes need is not known here.',
          'Remove the line.',
        );
      }
      return;
    case 'option':
    case 'computed':
      problems.error(
        'OVERRIDE_DERIVED',
        path,
        `The field is derived from ${fact.from} and cannot be overridden.`,
        `Set ${fact.from} instead.`,
      );
      return;
    case 'fixed':
      break;
    default:
      fact.origin satisfies never;
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkValue(fact, item, `${path}/${index}`, problems);
  } else checkValue(fact, value, path, problems);
  if (fact.readers.length === 0) {
    problems.warn(
      'OVERRIDE_DEAD',
      path,
      `No node script reads ${fact.variable}.`,
      'Remove the line: it changes nothing on the node.',
    );
  }
}

function checkValue(fact: VariableFact, value: unknown, path: string, problems: ProblemList): void {
  if (typeof value === 'number') {
    if (value < 0) problems.refuse('OVERRIDE_INVALID', path, `${value} is negative.`, 'Write 0 or more.');
    return;
  }
  if (typeof value !== 'string') return;
  // A URL may carry a password, and one that is no URL may do so where nobody looks for it.
  const received = fact.secret || fact.rule === 'url' ? 'The value' : quoted(value);
  if (fact.values !== undefined && !fact.values.includes(value)) {
    problems.refuse(
      'OVERRIDE_INVALID',
      path,
      `${received} is not one of the values that the node knows.`,
      `Write one of ${fact.values.map((known) => known || '""').join(', ')}.`,
    );
  } else if (fact.rule !== undefined && value !== fact.default) {
    const rule = RULES[fact.rule];
    if (!rule.accepts(value)) problems.refuse('OVERRIDE_INVALID', path, `${received} is not ${rule.what}.`, rule.hint);
    else if (fact.rule === 'base64 certificates') checkCertificates(value, path, problems);
  }
  const fault = carrierFault(fact, value);
  if (fault)
    problems.refuse(
      'CHARACTER_UNSAFE',
      path,
      `${received} holds a character that the node misreads: ${fault}.`,
      'Remove the character.',
    );
}

function checkCertificates(value: string, path: string, problems: ProblemList): void {
  switch (trustedCertificatesFault(value)) {
    case 'private key':
      problems.refuse(
        'BUNDLE_PRIVATE_KEY',
        path,
        'The value carries a private key: everybody who can read the custom data of a node would have it.',
        'Keep the certificates alone, and replace the key: it has been copied.',
      );
      return;
    case 'no certificate':
      problems.warn('VALUE_UNUSUAL', path, 'The value decodes to no PEM certificate.', BASE64_HINT);
      return;
    case undefined:
  }
}

function carrierFault(fact: VariableFact, value: string): string | undefined {
  switch (fact.carrier) {
    case 'azure.json string':
      return jsonStringFault(value);
    case 'kubelet file':
      return environmentFileFault(value);
    case 'azure.json literal':
    case undefined:
      return undefined;
    default:
      return fact.carrier satisfies never;
  }
}

interface Rule {
  readonly what: string;
  readonly hint: string;
  accepts(value: string): boolean;
}

const BASE64_HINT = 'Write the output of `base64 -w0 FILE`.';

/** One check for each form that an overridden value must have. */
const RULES: Readonly<Record<OverrideRule, Rule>> = {
  base64: { what: 'base64', hint: BASE64_HINT, accepts: isBase64 },
  'base64 certificates': {
    what: 'base64 of certificates',
    hint: BASE64_HINT,
    accepts: (value) => value !== '' && isBase64(value),
  },
  'base64 json': { what: 'base64 of a JSON object', hint: BASE64_HINT, accepts: isBase64Json },
  'base64 sysctl': {
    what: 'base64 of lines `name=value`',
    hint: 'Write the output of `base64 -w0` for a file in the form of /etc/sysctl.d.',
    accepts: (value) => isBase64(value) && isSysctlFile(Buffer.from(value, 'base64').toString('utf8')),
  },
  host: {
    what: 'a DNS host name',
    hint: 'Write the name alone, without scheme, port and slash.',
    accepts: (value) => hostNameFault(value) === undefined,
  },
  'json number': {
    what: 'a number, as azure.json takes it',
    hint: 'Write digits in quotes, as in "6" or "1.5".',
    accepts: (value) => /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value),
  },
  'linux user': {
    what: 'a Linux user name',
    hint: 'Write lower-case letters, digits, _ and -, beginning with a letter.',
    accepts: (value) => /^[a-z_][a-z0-9_-]{0,31}$/.test(value),
  },
  'no-proxy list': {
    what: 'a list of hosts, domains and networks with commas between',
    hint: 'Write it without blanks, as in "localhost,127.0.0.1,.internal,10.0.0.0/8".',
    accepts: (value) => /^(?:[A-Za-z0-9._:/-]+,)*[A-Za-z0-9._:/-]+$/.test(value),
  },
  path: { what: 'an absolute path', hint: 'Write a path that begins with a slash, without blanks.', accepts: isPath },
  'path or empty': {
    what: 'an absolute path',
    hint: 'Write a path that begins with a slash, without blanks.',
    accepts: (value) => value === '' || isPath(value),
  },
  'proxy url': {
    what: 'the URL of a proxy',
    hint: 'Write http:// or https://, a host and a port; special characters of a password as %XX.',
    accepts: (value) => /^https?:\/\/[A-Za-z0-9._~%:@/[\]-]+$/.test(value) && URL.canParse(value),
  },
  timeout: {
    what: 'a time that GNU timeout takes',
    hint: 'Write one number with one unit (s, m, h or d), as in "15m" or "900s".',
    accepts: (value) => /^\d+(?:\.\d+)?[smhd]?$/.test(value) && Number.parseFloat(value) > 0,
  },
  url: {
    what: 'a URL',
    hint: 'Write an https URL without blanks and quotes.',
    accepts: (value) => /^https?:\/\/[^\s"'`\\$]+$/.test(value) && URL.canParse(value),
  },
  word: {
    what: 'one word',
    hint: 'Write it without blanks, quotes and wildcards.',
    accepts: (value) => /^[A-Za-z0-9._@-]+$/.test(value),
  },
};

function isPath(value: string): boolean {
  return /^\/[A-Za-z0-9._/-]*$/.test(value);
}

function isBase64Json(value: string): boolean {
  if (!isBase64(value)) return false;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(value, 'base64').toString('utf8'));
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}

function isSysctlFile(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(?:[#;].*|-?[a-zA-Z0-9_./*-]+\s*=.*)?$/.test(line));
}

// Two settings that our containerd configuration decides: the kubelet would contradict it.
function checkFixed(overrides: Readonly<Record<string, unknown>>, profile: Profile, problems: ProblemList): void {
  if (overrides['needsCgroupV2'] === false) {
    problems.refuse(
      'COMPANION_CONFLICT',
      '/overrides/needsCgroupV2',
      `The containerd configuration of ${profile.name} uses the systemd cgroup driver, and the kubelet would use another.`,
      'Remove the line.',
    );
  }
  if (overrides['isKata'] === true) {
    problems.refuse(
      'COMPANION_MISSING',
      '/overrides/isKata',
      `Kata needs a containerd configuration that ${profile.name} does not have.`,
      'Remove the line.',
    );
  }
}
