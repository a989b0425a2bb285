import { BootlaceError } from '../core/errors.ts';
import { nearestName } from '../core/nearest.ts';
import { aksBootstrapper } from './aks/bootstrapper.ts';
import type { BootstrapperKind } from './bootstrapper.ts';

/** Names of all bootstrappers; `aks` is short for the newest of its kind. */
export const BOOTSTRAPPER_NAMES: readonly string[] = ['aks/v0.4.0', 'aks/v1.14'];

/**
 * Finds a bootstrapper by name.
 *
 * @throws BootlaceError with code BOOTSTRAPPER_UNKNOWN.
 */
export function bootstrapperNamed(name = 'aks'): BootstrapperKind {
  switch (name) {
    case 'aks':
    case 'aks/v1.14':
      return aksBootstrapper('aks/v1.14');
    case 'aks/v0.4.0':
      return aksBootstrapper('aks/v0.4.0');
    default: {
      const near = nearestName(name, BOOTSTRAPPER_NAMES);
      const known = `Known: ${BOOTSTRAPPER_NAMES.join(', ')}; aks is short for aks/v1.14.`;
      throw new BootlaceError(
        'BOOTSTRAPPER_UNKNOWN',
        `No bootstrapper is named ${JSON.stringify(name)}.${near ? ` Did you mean ${near}?` : ''} ${known}`,
      );
    }
  }
}
