import { once, oncePer } from '../../core/once.ts';
import { PROFILE_NAMES, profileOf, type FlagFact, type Profile } from './profiles.ts';
import { KUBELET_FIELDS } from './schema.ts';

/**
 * The flags of a kubelet. All their names are known from tables, so each flag has a slot, in the order in
 * which flags are printed: taking the base flags of a version is copying a short list, and nothing is sorted.
 */
export class KubeletFlags implements Iterable<[name: string, value: string]> {
  readonly #slots: (string | undefined)[];

  private constructor(slots: (string | undefined)[]) {
    this.#slots = slots;
  }

  /** The flags that a minor version of a profile has before any option is looked at. */
  static base(profile: Profile, minor: number): KubeletFlags {
    return new KubeletFlags(baseSlots(profile, minor).slice());
  }

  get(name: string): string | undefined {
    return this.#slots[slotOf(name)];
  }

  set(name: string, value: string): void {
    this.#slots[slotOf(name)] = value;
  }

  /** `--name=value` for each flag, sorted by name and separated by one blank, as the node scripts expect them. */
  print(): string {
    const { prefixes } = layout();
    let text = '';
    for (let slot = 0; slot < prefixes.length; slot++) {
      const value = this.#slots[slot];
      if (value !== undefined) text += text === '' ? prefixes[slot]! + value : ` ${prefixes[slot]}${value}`;
    }
    return text;
  }

  *[Symbol.iterator](): Generator<[name: string, value: string]> {
    for (const [slot, name] of layout().names.entries()) {
      const value = this.#slots[slot];
      if (value !== undefined) yield [name, value];
    }
  }
}

const layout = once(() => {
  const all = new Set(['--fail-swap-on', '--feature-gates', '--register-with-taints']);
  for (const name of PROFILE_NAMES) for (const fact of profileOf(name).flags) all.add(fact.flag);
  for (const fact of KUBELET_FIELDS) if (fact.flag !== undefined) all.add(fact.flag);
  const names = [...all].toSorted();
  return { names, prefixes: names.map((name) => `${name}=`), slots: new Map(names.map((name, slot) => [name, slot])) };
});

function slotOf(name: string): number {
  const slot = layout().slots.get(name);
  if (slot === undefined) throw new TypeError(`${name} is not in the tables of flags`);
  return slot;
}

function baseSlots(profile: Profile, minor: number): readonly (string | undefined)[] {
  // After the last minor that a rule names nothing changes any more, so that the cache stays small.
  const known = Math.min(minor, lastRule(profile));
  return slotsOf(profile)(known);
}

const lastRule = oncePer((profile: Profile) =>
  Math.max(0, ...profile.flags.flatMap((fact) => [fact.from ?? 0, fact.below ?? 0])),
);

const slotsOf = oncePer((profile: Profile) =>
  oncePer((minor: number) => {
    const applies = (fact: FlagFact) => minor >= (fact.from ?? 0) && minor < (fact.below ?? Number.POSITIVE_INFINITY);
    const slots: (string | undefined)[] = layout().names.map(() => undefined);
    for (const fact of profile.flags) if (applies(fact)) slots[slotOf(fact.flag)] = fact.value;
    return slots;
  }),
);
