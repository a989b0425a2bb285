/**
 * Durations as Go writes them, in nanoseconds. Grammar and text are those of `time.ParseDuration` and
 * `Duration.String` in Go's standard library.
 */
const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const LARGEST = 2n ** 63n - 1n;
const WHOLE = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+$/;
const PART = /(\d*)(?:\.(\d*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/g;
// Five parts of up to five digits are far below what Go can hold.
const SHORT = /^(?:\d{1,5}(?:ms|s|m|h)){1,5}$/;

/** Whether Go takes the text as a duration. */
export function isGoDuration(text: string): boolean {
  return SHORT.test(text) || parseGoDuration(text) !== undefined;
}

/** The text that Go prints for a duration that it parses, or `undefined`. */
export function canonicalGoDuration(text: string): string | undefined {
  // Most durations are written as Go would print them.
  if (/^(?:[1-9]|[1-5]\d)(?:s|m0s|m(?:[1-9]|[1-5]\d)s)$/.test(text)) return text;
  const nanoseconds = parseGoDuration(text);
  return nanoseconds === undefined ? undefined : formatGoDuration(nanoseconds);
}

/** Nanoseconds, or `undefined` where Go would refuse the text. A bare `0` is the only number without a unit. */
export function parseGoDuration(text: string): bigint | undefined {
  if (/^[+-]?0$/.test(text)) return 0n;
  if (text.length > 200 || !WHOLE.test(text)) return undefined;
  let total = 0n;
  for (const [, whole, fraction, unit] of text.matchAll(PART)) {
    const scale = UNITS[unit!]!;
    total += BigInt(whole || '0') * scale;
    // Go drops what is finer than a nanosecond, and so does integer division.
    if (fraction) total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
  }
  const signed = text.startsWith('-') ? -total : total;
  return signed > LARGEST || signed < -LARGEST - 1n ? undefined : signed;
}

/** The text that Go prints: `1h0m0s`, `1.5s`, `100µs` (with U+00B5), `0s`. */
export function formatGoDuration(nanoseconds: bigint): string {
  if (nanoseconds < 0n) return `-${formatGoDuration(-nanoseconds)}`;
  if (nanoseconds === 0n) return '0s';
  if (nanoseconds < UNITS['us']!) return `${nanoseconds}ns`;
  if (nanoseconds < UNITS['ms']!) return `${decimal(nanoseconds, UNITS['us']!)}\u00b5s`;
  if (nanoseconds < UNITS['s']!) return `${decimal(nanoseconds, UNITS['ms']!)}ms`;
  const hours = nanoseconds / UNITS['h']!;
  const minutes = (nanoseconds % UNITS['h']!) / UNITS['m']!;
  const seconds = `${decimal(nanoseconds % UNITS['m']!, UNITS['s']!)}s`;
  if (hours > 0n) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0n ? `${minutes}m${seconds}` : seconds;
}

function decimal(value: bigint, unit: bigint): string {
  const digits = unit.toString().length - 1;
  const fraction = (value % unit).toString().padStart(digits, '0').replace(/0+$/, '');
  return fraction ? `${value / unit}.${fraction}` : `${value / unit}`;
}
