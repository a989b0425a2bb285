import type { Problem, Source } from '../core/problem.ts';

/** Anything that makes the script a new node runs. */
export interface Bootstrapper {
  /**
   * The script in base64, as a virtual machine's custom data takes it.
   *
   * @throws RefusedError when the options are refused.
   */
  script(): string;
}

/** How the verbs treat options. */
export interface Settings {
  /** @default 'aks', which is 'aks/v1.14' */
  readonly bootstrapper?: string;
  /** Findings about meaning become warnings and values are those of the Go package. @default false */
  readonly lenient?: boolean;
  /** The text that the options were read from, for line and column in problems. */
  readonly source?: Source;
  /** The time for which `check` looks at certificates; without it expiry is not looked at. */
  readonly now?: Date;
}

/** What a bootstrapper makes of options, before anything is thrown or printed. */
export interface Outcome {
  readonly problems: readonly Problem[];
  /** Absent when one of the problems is an error. */
  readonly node: RenderedNode | undefined;
}

/** A node whose options were accepted. */
export interface RenderedNode {
  /** The script in base64. It carries the bootstrap token. */
  readonly base64: string;
  /** Bytes of the script before base64. */
  readonly bytes: number;
  /** The script itself. */
  text(): string;
  /** The script's assignments in canonical form. */
  variables(): CanonicalVariables;
  /** What a person wants to see of the node, without secrets. */
  highlights(): readonly (readonly [name: string, value: string])[];
}

/** The assignments of a script: plain values, and the composite ones taken apart. */
export interface CanonicalVariables {
  readonly variables: Readonly<Record<string, string>>;
  readonly decoded: Readonly<Record<string, unknown>>;
}

/** A kind of bootstrapper, as the verbs see it. */
export interface BootstrapperKind {
  readonly name: string;
  /** Most bytes that the script may have. */
  readonly limit: number;
  assess(options: unknown, settings: Settings): Outcome;
  /** Like `assess`, with what takes too long for every render, such as parsing certificates. */
  check(options: unknown, settings: Settings): readonly Problem[];
  /** JSON Schema (draft 2020-12) of the options that strict mode takes. */
  schema(): Readonly<Record<string, unknown>>;
}
