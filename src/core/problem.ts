import { parentOf } from './pointer.ts';
import { redact } from './redact.ts';

/** How bad a finding is: an `error` refuses the input, a `warning` lets it pass. */
export type Severity = 'error' | 'warning';

/**
 * One finding about the input, as data: nothing is printed or thrown while the input is looked at.
 *
 * `path` is a JSON pointer (RFC 6901); a missing field's path is the field itself, and the empty string
 * is the whole document.
 */
export interface Problem {
  readonly severity: Severity;
  /** Stable, in upper snake case; all of them are listed in `PROBLEM_CODES`. */
  readonly code: ProblemCode;
  readonly path: string;
  /** What is wrong, in one sentence, with the value that was received unless it may be a secret. */
  readonly message: string;
  /** What to write instead. */
  readonly hint: string;
  /** Number of the document in its file, from 0. Set for input that came from a file. */
  readonly document?: number;
  /** Line in the file, from 1. Set for input that came from a file. */
  readonly line?: number;
  /** Column in the line, from 1, in UTF-16 code units. Set for input that came from a file. */
  readonly column?: number;
}

/** Every code that a problem can carry, with what it means. The reference in docs is made from this table. */
export const PROBLEM_CODES = {
  ADDRESS_OF_ONE_NODE: 'A component that may start on any node binds an address that only one of them has.',
  ADMISSION_REFUSED: 'The cluster would not take an object that a change makes, as a dry run says.',
  ALREADY_HOSTED: 'The cluster hosts the component already.',
  ARCH_UNSUPPORTED: 'The CPU architecture has no node image.',
  BUNDLE_DOUBLE_ENCODED: 'The CA bundle is base64 of base64.',
  BUNDLE_EXPIRED: 'A certificate of the CA bundle is not valid now (found by `check` alone).',
  BUNDLE_INVALID: 'The CA bundle is not base64 of PEM certificates.',
  BUNDLE_NOT_A_CA: 'A certificate of the CA bundle may not sign others (found by `check` alone).',
  BUNDLE_PRIVATE_KEY: 'The CA bundle carries a private key, which every Pod with host access could read.',
  CERTIFICATE_EXPIRED: 'A certificate of the control plane has run out, or soon will.',
  CHARACTER_UNSAFE: 'A character survives bash and breaks the next program that reads the value on the node.',
  CLUSTER_NOT_SERVING: 'A simulated control plane of these manifests does not come to serve.',
  CLUSTER_UNTRIED: 'The version of Kubernetes is none that changes of a control plane were made for.',
  COMMAND_UNREADABLE: 'A container runs something else than a component of the control plane with its flags.',
  COMPANION_CONFLICT: 'Two settings that only work together contradict each other.',
  COMPANION_MISSING: 'A setting needs another one that is not there.',
  COMPONENT_NOT_SERVING: 'A component does not serve before it is changed.',
  COMPONENT_UNKNOWN: 'The manifest is of none of the three components that a cluster can host, or of two.',
  CONVERSION_RECORD_DIFFERS: 'Something that the conversion changed was changed again since, and stays.',
  CONVERSION_RECORD_INVALID: 'A DaemonSet does not say how it was made, so that there is no way back.',
  DISK_LOW: 'The disk of the node has too little room for what a change keeps.',
  DOCUMENT_EMPTY: 'The file or the document holds nothing.',
  DOCUMENT_SYNTAX: 'The text is neither YAML nor JSON.',
  DOCUMENT_TOO_LARGE: 'The file is larger than the limit, or its aliases expand to more than the limit.',
  DOCUMENT_UNREADABLE: 'The file cannot be read.',
  ENCODING_INVALID: 'The file is not UTF-8, or a string holds NUL or a lone surrogate.',
  ETCD_UNHEALTHY: 'A member of etcd is not healthy, or etcd cannot be asked.',
  EVICTION_DEFAULTS_LOST: 'A hard-eviction map replaces the defaults and loses thresholds that protect the node.',
  EVICTION_GRACE_UNMATCHED: 'A soft threshold and its grace period do not come in a pair.',
  EVICTION_SIGNAL_UNKNOWN: 'The kubelet knows no such eviction signal.',
  EXTRA_VARIABLE_RESERVED: 'The name belongs to the shell, the loader or the script itself.',
  EXTRA_VARIABLE_UNKNOWN: 'No node script that is known here reads the variable.',
  FIELD_DROPPED: 'The profile accepts the field and never uses it.',
  FIELD_DUPLICATE: 'A key stands twice in one mapping.',
  FIELD_MISSING: 'A required field is not there.',
  FIELD_TYPE: 'The value has the wrong type.',
  FIELD_UNKNOWN: 'No such field.',
  FIELD_WRONG_PROFILE: 'The field exists in another profile only.',
  FIREWALL_CLOSED: 'The firewall of the node would drop what a redirect sends to the relay, or may.',
  FLAG_ADDED: 'A kubelet flag is added that the Go package leaves out.',
  FLAG_INVALID: 'A component would not take the value of one of its flags.',
  GPU_INCOMPLETE: 'GPU set-up is on and a value that it needs is missing.',
  GPU_UNUSED: 'GPU values are given while GPU set-up is off.',
  IDENTITY_INVALID: 'A client ID is no uuid.',
  IMAGE_ABSENT: 'An image has to be pulled before anything changes.',
  KUBEADM_CONFIG_DIFFERS: 'The next upgrade by kubeadm would lose an edit that is in the manifest alone.',
  LABEL_FEATURE_UNBACKED: 'A label announces a feature that nothing in the script turns on.',
  LABEL_FORBIDDEN: 'A kubelet may not set this label on itself and refuses to start.',
  LABEL_INVALID: 'A label key or value breaks the rules of Kubernetes.',
  LABEL_OVERWRITTEN: 'The profile sets this label itself.',
  LEADER_ELECTION_OFF: 'A component that is to be replaced works without a lease.',
  LOOK_FAILED: 'Something could not be looked at before a change.',
  MANIFEST_DOCUMENTS: 'The file of a manifest holds several documents.',
  MANIFEST_DUPLICATE: 'Two files in the folder of manifests are of one Pod.',
  MANIFEST_KIND: 'The document is no Pod.',
  MANIFEST_LINK: 'The file of a manifest is a symbolic link.',
  MANIFEST_MANAGED: 'Another tool writes the manifest, and would write over a change.',
  MANIFEST_UNSUPPORTED: 'A static Pod has something that a Pod of a DaemonSet cannot have.',
  MEMORY_LOW: 'The node has too little memory for a second API server.',
  NAMESPACE_RESTRICTED: 'The namespace of the control plane admits fewer Pods than a control plane needs.',
  NAME_INVALID: 'Azure or DNS would refuse the name.',
  NETWORK_UNSUPPORTED: 'The network plugin or policy is not one that the profile knows.',
  NODE_UNNAMED: 'What is of one node is asked for without the name of the node.',
  NODE_UNSEEN: 'What is on another node cannot be seen from this one.',
  NULL_ENTRY: 'A null entry of a map counts as absent.',
  OVERRIDE_CUSTOM_CLOUD: 'The custom-cloud branch is not supported.',
  OVERRIDE_DEAD: 'No node script reads the variable.',
  OVERRIDE_DERIVED: 'The field is derived from other input and cannot be overridden.',
  OVERRIDE_INVALID: 'The value does not fit the overridden field.',
  PLAN_STALE: 'What a plan was made of is not what is there now.',
  PRIORITY_LOST: 'No priority class stands for the number that a static Pod has.',
  PROBE_PORT_UNKNOWN: 'A probe names a port that its container does not declare.',
  PROXY_UNSUPPORTED: 'Connections to Services may not go through the netfilter of the node, where a redirect is.',
  QUOTA_LIMITS: 'A quota may keep a Pod of the control plane out.',
  RELAY_CONFLICT: 'A second API server of this manifest cannot run beside the first.',
  RELAY_PORT_TAKEN: 'The port of the relay is taken, or may be given to something else.',
  RELAY_SHARED_VOLUME: 'Two API servers could write to the same volume.',
  RESULT_TOO_LARGE: 'The script is larger than what Azure takes as custom data.',
  RUN_HELD: 'A change of another node has not come to its end.',
  RUN_OPEN: 'A change of this node has not come to its end.',
  SECRET_KEY_EXPOSED: 'A key that can issue credentials would be kept in etcd.',
  SECRET_UNCOVERED: 'A file that a flag needs cannot come from a Secret.',
  SERVERS_DIFFER: 'Two API servers that are to serve side by side differ where they must not.',
  SERVICE_UNSUPPORTED: 'The Service of the API is none that a redirect can stand before.',
  STANDBY_PORT_TAKEN: 'The port on which a copy of a component stands by is taken.',
  SUBNET_INVALID: 'The subnet ID does not parse.',
  TAINT_DUPLICATE: 'Two taints share key and effect, with which the kubelet refuses to start.',
  TAINT_INVALID: 'A taint breaks the rules of Kubernetes.',
  TOKEN_INVALID: 'The bootstrap token does not have the form of one.',
  TOOL_RUNNING: 'Another tool that changes control planes runs on the node.',
  VALUE_INVALID: 'The value is not one that the kubelet takes.',
  VALUE_UNUSUAL: 'The value is allowed and rarely meant.',
  VERSION_INVALID: 'The Kubernetes version is not three plain numbers with major 1.',
  VERSION_UNKNOWN: 'The profile was not made for this Kubernetes version.',
  VERSION_UNSUPPORTED: 'A node of this Kubernetes version cannot start with what the profile renders.',
  WEBHOOK_IN_THE_WAY: 'A webhook that may not answer decides about objects of the control plane.',
} as const satisfies Record<string, string>;

export type ProblemCode = keyof typeof PROBLEM_CODES;

/** Where a value stands in the text that it was read from. */
export interface Source {
  /** Number of the document in its file, from 0. */
  readonly document: number;
  /** Line and column (both from 1) of the value at a JSON pointer, or of the nearest mapping around it. */
  position(path: string): { readonly line: number; readonly column: number } | undefined;
  /** The unquoted text of the scalar at a JSON pointer, as it was written. */
  plainText(path: string): string | undefined;
}

/** Collects problems while input is looked at; the only thing that a validator writes to. */
export class ProblemList {
  readonly #problems: Problem[] = [];
  readonly #lenient: boolean;
  /** The text behind the input, when it came from a file. */
  readonly source: Source | undefined;
  #errors = 0;
  /** Values that could not be read: what else would be said of them is noise. */
  #unread: Set<string> | undefined;

  /** With `lenient`, what {@link refuse} finds is a warning. */
  constructor(lenient = false, source?: Source) {
    this.#lenient = lenient;
    this.source = source;
  }

  /** A finding about meaning: an error in strict mode, a warning in lenient mode. */
  refuse(code: ProblemCode, path: string, message: string, hint: string): void {
    this.#add(this.#lenient ? 'warning' : 'error', code, path, message, hint);
  }

  /** A finding about shape, which no mode lets pass. */
  error(code: ProblemCode, path: string, message: string, hint: string): void {
    this.#add('error', code, path, message, hint);
  }

  warn(code: ProblemCode, path: string, message: string, hint: string): void {
    this.#add('warning', code, path, message, hint);
  }

  #add(severity: Severity, code: ProblemCode, path: string, message: string, hint: string): void {
    if (this.#unread !== undefined && this.#isWithinUnread(path)) return;
    if (code === 'FIELD_TYPE' || code === 'ENCODING_INVALID') (this.#unread ??= new Set()).add(path);
    if (severity === 'error') this.#errors += 1;
    const position = this.source?.position(path);
    this.#problems.push({
      severity,
      code,
      // A token may have strayed into a key; the place in the file still tells which.
      path: redact(path),
      message: redact(message),
      hint: redact(hint),
      ...(this.source && { document: this.source.document }),
      ...position,
    });
  }

  // Of a value that could not be read, and of everything in it.
  #isWithinUnread(path: string): boolean {
    for (let at = path; ; at = parentOf(at)) {
      if (this.#unread!.has(at)) return true;
      if (at === '') return false;
    }
  }

  get hasErrors(): boolean {
    return this.#errors > 0;
  }

  get size(): number {
    return this.#problems.length;
  }

  /** The findings in a stable order: by document, path, severity (errors first), code and message. */
  sorted(): readonly Problem[] {
    return this.#problems.length < 2 ? this.#problems : sortProblems(this.#problems);
  }
}

export function sortProblems(problems: readonly Problem[]): Problem[] {
  return problems.toSorted(
    (a, b) =>
      (a.document ?? 0) - (b.document ?? 0) ||
      compareCodeUnits(a.path, b.path) ||
      compareCodeUnits(a.severity, b.severity) ||
      compareCodeUnits(a.code, b.code) ||
      compareCodeUnits(a.message, b.message),
  );
}

/** Order by UTF-16 code unit: the only order in this project, since it is the same in every locale. */
export function compareCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some(({ severity }) => severity === 'error');
}
