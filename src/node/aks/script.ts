import { oncePer } from '../../core/once.ts';
import { encodeBase64, type EncodedText } from '../../format/base64.ts';
import { assignment, quote } from '../../format/shell.ts';
import { defaults, type DerivedVariables } from './derive.ts';
import type { NodeBootstrapVariables } from './node-bootstrap-variables.ts';
import { profileOf, type Profile, type ProfileName } from './profiles.ts';
import { VARIABLES, type VariableFact } from './variables.ts';

/** Everything that the script assigns. */
export interface Assignments {
  /** Variables that the options decide. */
  readonly derived: DerivedVariables;
  /** Constants of the profile that overrides replace, with what they bring along. */
  readonly overrides: Partial<NodeBootstrapVariables> | undefined;
  /** Variables beyond those of the profile, by shell name. */
  readonly extra: ReadonlyMap<string, string>;
}

const PROVISION_LOG = '/var/log/azure/cluster-provision-cse-output.log';
const PROVISION_SCRIPT = '/opt/azure/containers/provision.sh';
const PROVISION_START = '/opt/azure/containers/provision_start.sh';

/**
 * The beginning: it marks the image's manifest as complete, leaves the files that others wait for, and waits
 * until the image's own script is written to its last line, which holds EOF. Exit status 100 after 1,200 tries.
 */
const PROLOGUE = `echo '#EOF' >> /opt/azure/manifest.json
mkdir -p /var/log/azure/Microsoft.Azure.Extensions.CustomScript/events
echo "$(date),$(hostname)" > ${PROVISION_LOG}
tries=0
until grep -Fqs EOF ${PROVISION_SCRIPT}; do
  tries=$((tries + 1))
  if [ "$tries" -ge 1200 ]; then
    echo "bootlace: gave up waiting for ${PROVISION_SCRIPT}" | tee -a ${PROVISION_LOG} >&2
    exit 100
  fi
  sleep 1
done
unset tries
set -o allexport`;

const EPILOGUE = `nohup /bin/bash ${PROVISION_START}\n`;

/**
 * A script in two parts: a head that is the same for every node of the profile unless there are overrides, and
 * the values of this node. The head's bytes are a multiple of three, so that base64 of both is base64 of the
 * whole, and the head need be encoded only once.
 */
export interface Script {
  readonly head: EncodedText;
  readonly body: EncodedText;
}

/** The script of a node. It depends on the values alone: the same assignments give the same bytes. */
export function printScript(profile: Profile, { derived, overrides, extra }: Assignments): Script {
  const { constants, others, head } = layoutOf(profile.name);
  const lines: string[] = [];
  for (const { field, variable } of others) lines.push(line(variable, (overrides?.[field] ?? derived[field])!));
  for (const [name, value] of extra) lines.push(line(name, value));
  lines.push(EPILOGUE);
  return {
    head: overrides === undefined ? head : encodeBase64(printHead(profile, constants, overrides)),
    body: encodeBase64(lines.join('')),
  };
}

type Field = keyof NodeBootstrapVariables;
type Value = NodeBootstrapVariables[Field];

interface Place {
  readonly field: Field;
  readonly variable: string;
}

interface Layout {
  /** Variables that only overrides change. */
  readonly constants: readonly Place[];
  readonly others: readonly Place[];
  readonly head: EncodedText;
}

const layoutOf = oncePer((name: ProfileName): Layout => {
  const facts = VARIABLES.filter((fact) => fact.variable !== null && fact.profiles.includes(name));
  const places = (chosen: readonly VariableFact[]): Place[] =>
    chosen.map((fact) => ({ field: fact.field as Field, variable: fact.variable! }));
  const constants = places(facts.filter((fact) => !isDerived(fact)));
  return {
    constants,
    others: places(facts.filter(isDerived)),
    head: encodeBase64(printHead(profileOf(name), constants, {})),
  };
});

function isDerived({ origin }: VariableFact): boolean {
  return origin === 'option' || origin === 'computed';
}

function printHead(profile: Profile, constants: readonly Place[], overrides: Partial<NodeBootstrapVariables>): string {
  const values = { ...defaults(profile), ...overrides };
  const lines = constants.map(({ field, variable }) => line(variable, values[field]));
  const head = `#!/bin/bash\n# bootlace: ${profile.name}\n# shellcheck disable=SC2016,SC2034\n${PROLOGUE}\n# Values of the profile.\n${lines.join('')}`;
  const heading = ' Values of this node.\n';
  // One to three hashes begin the comment, whatever fills the last three bytes.
  return `${head}${'#'.repeat(3 - ((Buffer.byteLength(head) + heading.length) % 3))}${heading}`;
}

function line(variable: string, value: Value): string {
  if (typeof value === 'string') return `${assignment(variable, quote(value))}\n`;
  if (typeof value !== 'object') return `${assignment(variable, quote(String(value)))}\n`;
  const certificates = value.map((certificate, index) => line(`CUSTOM_CA_CERT_${index}`, certificate));
  return line(variable, certificates.length) + certificates.join('');
}
