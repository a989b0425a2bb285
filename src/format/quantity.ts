/**
 * Quantities of Kubernetes resources (`100m`, `1.5Gi`, `1e3`), by the grammar that `resource.Quantity` documents.
 * Only what validation needs: whether one parses, its sign, and whether it is whole.
 */
const QUANTITY = /^([+-]?)(\d+\.?\d*|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+)?$/;

export interface Quantity {
  readonly sign: -1 | 0 | 1;
  /** Whether it is surely a whole number of units: no fraction, and no suffix below one. */
  readonly isWhole: boolean;
}

// What people write, and what needs no taking apart.
const USUAL = /^[1-9]\d*(?:[MGT]i?|Ki)?$/;
const POSITIVE_WHOLE: Quantity = { sign: 1, isWhole: true };

/** The quantity, or `undefined` where Kubernetes would refuse the text. */
export function parseQuantity(text: string): Quantity | undefined {
  if (USUAL.test(text)) return POSITIVE_WHOLE;
  const match = QUANTITY.exec(text);
  if (match === null) return undefined;
  const [, sign, digits, suffix = ''] = match;
  const isZero = !/[1-9]/.test(digits!);
  return {
    sign: isZero ? 0 : sign === '-' ? -1 : 1,
    isWhole: !digits!.includes('.') && !/^[num]$|^[eE]-/.test(suffix),
  };
}
