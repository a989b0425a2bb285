/**
 * What a new machine runs to join a cluster, for any bootstrapper.
 *
 * @example
 * import { check, render } from 'bootlace/node';
 * const problems = check(options, { now: new Date() });
 * if (problems.length === 0) console.log(render(options).script);
 */
export { PROBLEM_CODES, type Problem, type ProblemCode, type Severity, type Source } from '../core/problem.ts';
export { BootlaceError, RefusedError, type ErrorCode } from '../core/errors.ts';
export type { Bootstrapper, CanonicalVariables, Settings } from './bootstrapper.ts';
export { check } from './check.ts';
export { BOOTSTRAPPER_NAMES } from './registry.ts';
export { render, renderVariables, type Rendering } from './render.ts';
export { optionsSchema } from './schema.ts';
