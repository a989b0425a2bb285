import { UsageError } from '../../core/errors.ts';
import { FAULT_NAMES, type FaultName } from '../../control-plane/rehearsal/faults.ts';

/** A fault and the step at which it happens, from `NAME@STEP`. */
export function readFault(
  text: string | undefined,
  command: string,
): { readonly name: FaultName; readonly step: string } | undefined {
  if (text === undefined) return undefined;
  const [name = '', ...rest] = text.split('@');
  const step = rest.join('@');
  const known = FAULT_NAMES.find((one) => one === name);
  if (known === undefined)
    throw new UsageError(`${command} has no fault ${JSON.stringify(name)}`, `Known: ${FAULT_NAMES.join(', ')}.`);
  if (step === '') throw new UsageError('--fault needs a step', `Write --fault ${name}@STEP, as in ${name}@stop.`);
  return { name: known, step };
}

export function readNumber(
  flag: string,
  text: string | undefined,
  otherwise: number,
  least: number,
  most: number,
): number {
  if (text === undefined) return otherwise;
  if (/^\d{1,10}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new UsageError(
    `${flag} takes a whole number from ${least} to ${most}, not ${JSON.stringify(text)}`,
    `Write ${flag} ${otherwise}.`,
  );
}
