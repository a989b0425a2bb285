import { bootstrapperNamed } from './registry.ts';

/**
 * JSON Schema (draft 2020-12) of a bootstrapper's options. It says what can be said of one field by itself;
 * `check` knows the rest.
 *
 * @throws BootlaceError with code BOOTSTRAPPER_UNKNOWN.
 */
export function optionsSchema(bootstrapper?: string): Readonly<Record<string, unknown>> {
  return bootstrapperNamed(bootstrapper).schema();
}
