// Each character can match in one way only, so that no text makes it backtrack.
const SUBDOMAIN = /^[a-z0-9]+(?:-+[a-z0-9]+)*(?:\.[a-z0-9]+(?:-+[a-z0-9]+)*)*$/;

/** Whether Kubernetes takes the text as a DNS subdomain (RFC 1123), as names of nodes and prefixes of labels are. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= 253 && SUBDOMAIN.test(text);
}
