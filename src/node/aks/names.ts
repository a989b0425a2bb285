import { isIPv4 } from 'node:net';
import { isDnsSubdomain } from '../../core/names.ts';
import { shownCharacter } from '../../core/redact.ts';

/**
 * What Azure, DNS and Kubernetes accept as a name. Each check returns what is wrong, as the end of a sentence,
 * or `undefined`.
 */
export type Fault = string | undefined;

// What needs no closer look: names in ASCII that every check below would pass.
const USUAL_GROUP = /^[A-Za-z0-9_.()-]*[A-Za-z0-9_()-]$/;
const NETWORK_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?$/;

const UUID = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** 1 to 90 characters: Unicode letters and digits, `_`, `-`, `.`, parentheses, no dot at the end. */
export function resourceGroupFault(text: string): Fault {
  if (text.length <= 90 && USUAL_GROUP.test(text)) return undefined;
  if (text === '') return 'it is empty';
  // Every other rule is about characters as people count them.
  if (!/^.{0,90}$/su.test(text)) return 'it has more than the 90 characters that Azure takes';
  const stray = /[^\p{L}\p{Nd}_.()-]/u.exec(text);
  if (stray) return `Azure does not take ${shownCharacter(stray[0])} in it`;
  return text.endsWith('.') ? 'it ends with a dot' : undefined;
}

/** Names of network security groups, route tables, virtual networks and subnets share one alphabet. */
export function networkNameFault(text: string, longest: number): Fault {
  if (text.length <= longest && NETWORK_NAME.test(text)) return undefined;
  if (text === '') return 'it is empty';
  if (text.length > longest) return `it has ${text.length} characters, and Azure takes ${longest}`;
  const stray = /[^A-Za-z0-9_.-]/.exec(text);
  if (stray) return `Azure does not take ${shownCharacter(stray[0])} in it`;
  if (!/^[A-Za-z0-9]/.test(text)) return 'it does not begin with a letter or digit';
  return /[A-Za-z0-9_]$/.test(text) ? undefined : 'it does not end with a letter, digit or underscore';
}

/** A DNS host name without scheme and port: labels of 1 to 63 letters, digits and hyphens, 253 in all. */
export function hostNameFault(text: string): Fault {
  if (/^[\d.]+$/.test(text)) return isIPv4(text) ? undefined : 'it looks like an IPv4 address and is none';
  // No label can be too long where all of them together are not.
  if (text.length <= 63 && HOST_NAME.test(text)) return undefined;
  if (text === '') return 'it is empty';
  if (/^[0-9A-Fa-f]*:[0-9A-Fa-f]*:/.test(text)) return 'it is an IPv6 address, which the node cannot put before a port';
  if (text.includes('://')) return 'it has a scheme';
  if (/:\d+$/.test(text)) return 'it has a port';
  if (text.length > 253) return `it has ${text.length} characters, and DNS takes 253`;
  for (const label of text.split('.')) {
    if (label === '') return 'it has an empty label';
    if (label.length > 63) return 'one of its labels is longer than 63 characters';
    if (!HOST_NAME.test(label))
      return 'one of its labels has other characters than letters, digits and hyphens between them';
  }
  return undefined;
}

// Each character can match in one way only, so that no text makes these backtrack.
const NAME = /^[A-Za-z0-9]+(?:[_.-]+[A-Za-z0-9]+)*$/;
const QUALIFIED_NAME =
  /^(?:[a-z0-9]+(?:-+[a-z0-9]+)*(?:\.[a-z0-9]+(?:-+[a-z0-9]+)*)*\/)?[A-Za-z0-9]+(?:[_.-]+[A-Za-z0-9]+)*$/;
const HOST_NAME = /^[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*(?:\.[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*)*$/;

/** A qualified name of Kubernetes: an optional DNS prefix of up to 253 characters, then a name of up to 63. */
export function labelKeyFault(key: string): Fault {
  // No part can be too long where all of them together are not.
  if (key.length <= 63 && QUALIFIED_NAME.test(key)) return undefined;
  const slash = key.indexOf('/');
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  const name = key.slice(slash + 1);
  if (prefix !== undefined && !isDnsSubdomain(prefix)) {
    return 'what stands before the slash is no DNS name in lower case';
  }
  if (name === '') return 'the name is empty';
  if (name.length > 63) return `the name has ${name.length} characters, and Kubernetes takes 63`;
  return NAME.test(name) ? undefined : 'the name must begin and end with a letter or digit, with only - _ . between';
}

/** A label value: empty, or up to 63 characters by the rule for names. */
export function labelValueFault(value: string): Fault {
  if (value === '') return undefined;
  if (value.length > 63) return `it has ${value.length} characters, and Kubernetes takes 63`;
  return NAME.test(value) ? undefined : 'it must begin and end with a letter or digit, with only - _ . between';
}

/**
 * What breaks a string that a here-document puts between double quotes in azure.json. Bash does not read the
 * text again there, so only JSON's own rules count.
 */
export function jsonStringFault(text: string): Fault {
  const stray = /["\\\u0000-\u001f\u007f]/.exec(text);
  return stray ? `azure.json is written without escaping and ${shownCharacter(stray[0])} breaks it` : undefined;
}

/** What systemd reads otherwise than it stands in an unquoted value of an EnvironmentFile. */
export function environmentFileFault(text: string): Fault {
  const stray = /["'\\\u0000-\u001f\u007f]/.exec(text);
  return stray ? `systemd reads /etc/default/kubelet and takes ${shownCharacter(stray[0])} for syntax` : undefined;
}
