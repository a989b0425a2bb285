import { RefusedError } from '../core/errors.ts';
import type { Problem } from '../core/problem.ts';
import type { CanonicalVariables, Settings } from './bootstrapper.ts';
import { bootstrapperNamed } from './registry.ts';

/** A rendered script. */
export interface Rendering {
  /** Full name of the bootstrapper. */
  readonly bootstrapper: string;
  /** The script in base64, as custom data takes it. It carries the bootstrap token. */
  readonly script: string;
  /** Bytes of the script before base64. */
  readonly bytes: number;
  /** Characters of the script in base64. */
  readonly base64Length: number;
  /** Most bytes before base64 that the platform takes. */
  readonly limit: number;
  /** Warnings: an error would have refused the options. */
  readonly problems: readonly Problem[];
}

/**
 * Renders the script of a node.
 *
 * @throws RefusedError when the options have a problem of severity `error`; it holds all problems.
 * @throws BootlaceError with code BOOTSTRAPPER_UNKNOWN.
 */
export function render(options: unknown, settings: Settings = {}): Rendering {
  const kind = bootstrapperNamed(settings.bootstrapper);
  const { node, problems } = kind.assess(options, settings);
  if (node === undefined) throw new RefusedError(problems);
  const { base64, bytes } = node;
  return {
    bootstrapper: kind.name,
    script: base64,
    bytes,
    base64Length: base64.length,
    limit: kind.limit,
    problems,
  };
}

/**
 * The assignments that the script of a node makes, in canonical form: two scripts mean the same when these
 * are equal. They carry the bootstrap token.
 *
 * @throws as {@link render} does.
 */
export function renderVariables(options: unknown, settings: Settings = {}): CanonicalVariables {
  const { node, problems } = bootstrapperNamed(settings.bootstrapper).assess(options, settings);
  if (node === undefined) throw new RefusedError(problems);
  return node.variables();
}
