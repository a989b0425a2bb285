import { parseGoDuration } from '../../../format/duration.ts';
import { flagValue, flagValues, hasFlag } from '../../../format/flags.ts';
import type { Process } from '../process.ts';

/** A flag that is on when it is given without a value. */
export function isFlagSet({ argv }: Process, name: string): boolean {
  return hasFlag(argv, name) && (flagValue(argv, name) ?? 'true') === 'true';
}

export function portFlag({ argv }: Process, name: string, otherwise: number): number {
  const value = Number(flagValue(argv, name) ?? otherwise);
  return Number.isInteger(value) ? value : otherwise;
}

/** Milliseconds of a flag that takes a duration as Go writes it. */
export function durationFlag({ argv }: Process, name: string, otherwise: number): number {
  const nanoseconds = parseGoDuration(flagValue(argv, name) ?? '');
  return nanoseconds === undefined ? otherwise : Number(nanoseconds) / 1e6;
}

/** The same for a flag whose value has to be more than nothing. */
export function positiveDurationFlag(process: Process, name: string, otherwise: number): number {
  const milliseconds = durationFlag(process, name, otherwise);
  return milliseconds > 0 ? milliseconds : otherwise;
}

/** Every value of a flag that may be given several times. */
export function textFlags({ argv }: Process, name: string): readonly string[] {
  return flagValues(argv, name);
}

export function textFlag({ argv }: Process, name: string): string | undefined {
  return flagValue(argv, name);
}
