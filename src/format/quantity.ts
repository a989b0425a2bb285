/**
 * Quantities of Kubernetes resources (`100m`, `1.5Gi`, `1e3`), by the grammar that `resource.Quantity` documents.
 * Only what validation needs: whether one parses, its sign, and whether it is whole.
 */
const QUANTITY = /^([+-]?)(\d+\.?\d*|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+)?$/;

export interface Quantity {
  readonly sign: -1 | 0 | 1;
  /** Whether Kubernetes takes it as a whole number of units: a fraction is whole with a decimal suffix alone. */
  readonly isWhole: boolean;
}

// What people write, and what needs no taking apart.
const USUAL = /^[1-9]\d*(?:[MGT]i?|Ki|m)?$/;
const POSITIVE_WHOLE: Quantity = { sign: 1, isWhole: true };
const POSITIVE_PART: Quantity = { sign: 1, isWhole: false };

/** The quantity, or `undefined` where Kubernetes would refuse the text. */
export function parseQuantity(text: string): Quantity | undefined {
  if (USUAL.test(text)) return text.endsWith('m') ? POSITIVE_PART : POSITIVE_WHOLE;
  const match = QUANTITY.exec(text);
  if (match === null) return undefined;
  const [, sign, digits, suffix = ''] = match;
  const isZero = !/[1-9]/.test(digits!);
  return {
    sign: isZero ? 0 : sign === '-' ? -1 : 1,
    isWhole: fractionDigits(digits!) <= decimalPlaces(suffix),
  };
}

function fractionDigits(digits: string): number {
  const dot = digits.indexOf('.');
  return dot < 0 ? 0 : digits.slice(dot + 1).replace(/0+$/, '').length;
}

const DECIMAL_PLACES: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };

// How many places a suffix moves the point. Binary suffixes move none: Kubernetes keeps their fractions apart.
function decimalPlaces(suffix: string): number {
  if (/^[eE][+-]?\d/.test(suffix)) return Number(suffix.slice(1));
  return Object.hasOwn(DECIMAL_PLACES, suffix) ? DECIMAL_PLACES[suffix]! : 0;
}
