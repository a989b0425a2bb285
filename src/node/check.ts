import type { Problem } from '../core/problem.ts';
import type { Settings } from './bootstrapper.ts';
import { bootstrapperNamed } from './registry.ts';

/**
 * Everything that is wrong with options, sorted by path; empty when there is nothing to say. Looks further than
 * `render` does: certificates are parsed, and their expiry is compared with `settings.now`.
 *
 * @throws BootlaceError with code BOOTSTRAPPER_UNKNOWN.
 */
export function check(options: unknown, settings: Settings = {}): readonly Problem[] {
  return bootstrapperNamed(settings.bootstrapper).check(options, settings);
}
