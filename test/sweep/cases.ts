import { compareCodeUnits } from '../../src/core/problem.ts';
import { createRandom } from '../../src/cluster/simulated/random.ts';
import type { ClusterErrorCode } from '../../src/core/errors.ts';
import type { ClusterCall, HostAction } from '../../src/testing/index.ts';

/** What is run: a pivot, the way back of one that is done, a roll of static and of hosted components, kubeadm's algorithm. */
export type Change = 'pivot' | 'rollback' | 'roll' | 'roll-hosted' | 'crash-loop';

export interface Ground {
  readonly change: Change;
  /** Nodes with a control plane; the run is on the first one. */
  readonly nodes: 1 | 3;
}

export const GROUNDS: readonly Ground[] = (
  ['pivot', 'rollback', 'roll', 'roll-hosted', 'crash-loop'] as const satisfies readonly Change[]
).flatMap((change) => [
  { change, nodes: 1 },
  { change, nodes: 3 },
]);

export type Way = 'begin' | 'resume' | 'rollback';

export type Call = Pick<ClusterCall, 'verb' | 'kind' | 'name'>;

/** Something that a stage asked for, where the stage was by then. */
export interface Asked {
  /** The step that was on, such as `cp1/prepare`, `undo cp1/prepare`, or `after …` between two of them. */
  readonly phase: string;
  readonly call?: Call;
  readonly action?: HostAction;
}

/** What a stage without a fault does, each thing once and in its order. */
export interface Recording {
  readonly asked: readonly Asked[];
  /** Places at which the journal is written, moved or removed: each has a phase of its own, or a number behind it. */
  readonly writes: readonly string[];
  /** Steps that are run or taken back, with how long that takes, in milliseconds. */
  readonly steps: readonly { readonly phase: string; readonly milliseconds: number }[];
}

export type Extent = 'once' | 'for ever';

export type Trouble =
  | {
      readonly type: 'api';
      readonly phase: string;
      /** Absent where it is every call. */
      readonly call?: Call;
      readonly code: ClusterErrorCode;
      readonly when: 'before' | 'after';
      readonly extent: Extent;
    }
  | {
      readonly type: 'host';
      readonly phase: string;
      readonly action: HostAction;
      readonly error: 'EIO' | 'ENOSPC' | 'CRI';
      /** With `for ever` a full disk takes nothing any more, and everything else goes on failing. */
      readonly extent: Extent;
    }
  | { readonly type: 'kill'; readonly write: string; readonly when: 'before' | 'after' }
  | { readonly type: 'kill' | 'power-cut'; readonly phase: string; readonly after: number };

export interface Stage {
  readonly way: Way;
  readonly trouble?: Trouble;
}

/** A run with what befalls it, and who goes on with it afterwards. */
export interface Case {
  readonly name: string;
  /** For counts. */
  readonly kind: Kind;
  readonly ground: Ground;
  readonly stages: readonly Stage[];
}

export type Kind =
  | 'no fault'
  | 'api'
  | 'api for ever'
  | 'api away'
  | 'host'
  | 'disk full'
  | 'kill'
  | 'power cut'
  | 'second fault'
  | 'second kill';

const READS: readonly string[] = ['get', 'list', 'watch', 'health'];

/** What the cluster is told of a run: nothing waits for it, so that two ways of failing stand for all. */
function isTold({ kind, name }: Call): boolean {
  return kind === 'Event' || name.startsWith('bootlace-run-');
}

/** Ways in which a request fails. */
function waysOf({ verb, kind, name }: Call): readonly { code: ClusterErrorCode; when: 'before' | 'after' }[] {
  const answers = ['UNAUTHORIZED', 'FORBIDDEN', 'TOO_MANY_REQUESTS', 'UNEXPECTED', 'UNAVAILABLE'] as const;
  const before = (['UNREACHABLE', 'TIMEOUT', ...answers] as const).map((code) => ({ code, when: 'before' }) as const);
  if (isTold({ verb, kind, name })) return [{ code: 'TIMEOUT', when: 'after' }];
  if (verb === 'watch') return [...before, { code: 'UNREACHABLE', when: 'after' }];
  if (READS.includes(verb)) return before;
  return [
    ...before,
    { code: verb === 'create' ? 'ALREADY_EXISTS' : 'CONFLICT', when: 'before' },
    { code: 'UNREACHABLE', when: 'after' },
    { code: 'TIMEOUT', when: 'after' },
  ];
}

/** Those of them that differ in what they leave behind when they go on. */
function lastingWaysOf(call: Call): ReturnType<typeof waysOf> {
  if (isTold(call)) return [{ code: 'UNREACHABLE', when: 'before' }];
  return waysOf(call).filter(
    ({ code, when }) =>
      (code === 'UNREACHABLE' && when === 'before') ||
      (code === 'TIMEOUT' && when === 'after') ||
      code === 'FORBIDDEN' ||
      code === 'CONFLICT' ||
      code === 'ALREADY_EXISTS',
  );
}

const CONTAINERS: readonly string[] = ['look containers', 'look images'];

function hostErrorsOf({ verb, subject }: HostAction): readonly ('EIO' | 'ENOSPC' | 'CRI')[] {
  if (verb === 'pull' || verb === 'stop' || CONTAINERS.includes(`${verb} ${subject}`)) return ['CRI'];
  return verb === 'write' || verb === 'save' ? ['EIO', 'ENOSPC'] : ['EIO'];
}

export function subjectOf({ call, action }: Asked): string {
  const parts = call === undefined ? [action!.verb, action!.subject] : [call.verb, call.kind, call.name];
  return parts.filter((part) => part !== '').join(' ');
}

/** A fault of a run, with the end of its name and the kind of case that it makes. */
interface Named {
  readonly name: string;
  readonly kind: Kind;
  readonly trouble: Trouble;
}

function apiTroubles({ asked }: Recording): readonly Named[] {
  return asked.flatMap((one): readonly Named[] => {
    const { phase, call } = one;
    if (call === undefined) return [];
    const named = (extent: Extent) => (way: ReturnType<typeof waysOf>[number]) => ({
      name: `api/${phase}/${subjectOf(one)}/${way.code} ${way.when}${extent === 'once' ? '' : ', for ever'}`,
      kind: extent === 'once' ? ('api' as const) : ('api for ever' as const),
      trouble: { type: 'api' as const, phase, call, ...way, extent },
    });
    return [...waysOf(call).map(named('once')), ...lastingWaysOf(call).map(named('for ever'))];
  });
}

/** From a step on no request is answered any more. */
function awayTroubles({ steps }: Recording): readonly Named[] {
  return steps.map(({ phase }) => ({
    name: `api/${phase}/all/UNREACHABLE before, for ever`,
    kind: 'api away',
    trouble: { type: 'api', phase, code: 'UNREACHABLE', when: 'before', extent: 'for ever' },
  }));
}

function hostTroubles({ asked }: Recording): readonly Named[] {
  return asked.flatMap((one): readonly Named[] => {
    const { phase, action } = one;
    if (action === undefined) return [];
    return hostErrorsOf(action).flatMap((error) =>
      (['once', 'for ever'] as const).map((extent) => ({
        name: `host/${phase}/${subjectOf(one)}/${error}${extent === 'once' ? '' : ', for ever'}`,
        kind: error === 'ENOSPC' && extent === 'for ever' ? ('disk full' as const) : ('host' as const),
        trouble: { type: 'host' as const, phase, action, error, extent },
      })),
    );
  });
}

function killTroubles({ writes }: Recording): readonly Named[] {
  return writes.flatMap((write) =>
    (['before', 'after'] as const).map((when) => ({
      name: `kill/${write}/${when}`,
      kind: 'kill' as const,
      trouble: { type: 'kill' as const, write, when },
    })),
  );
}

function stepTroubles({ steps }: Recording, type: 'kill' | 'power-cut'): readonly Named[] {
  return steps.flatMap(({ phase, milliseconds }) =>
    [0, Math.round(milliseconds / 2)].map((after) => ({
      name: `${type}/${phase}/${after === 0 ? 'at its start' : 'in its middle'}`,
      kind: type === 'kill' ? ('kill' as const) : ('power cut' as const),
      trouble: { type, phase, after },
    })),
  );
}

function nameOf({ change, nodes }: Ground): string {
  return `${change}/${nodes}`;
}

const AFTERWARDS = ['resume', 'rollback'] as const;

/** Every fault of a run, and for one that is stopped both ways of going on. */
export function firstFaults(ground: Ground, recording: Recording): readonly Case[] {
  const goesOn = [...apiTroubles(recording), ...awayTroubles(recording), ...hostTroubles(recording)];
  const stops = [
    ...killTroubles(recording),
    ...stepTroubles(recording, 'kill'),
    ...stepTroubles(recording, 'power-cut'),
  ];
  return sorted([
    { name: `${nameOf(ground)}/no fault`, kind: 'no fault', ground, stages: [{ way: 'begin' }] },
    ...goesOn.map(({ name, kind, trouble }): Case => ({
      name: `${nameOf(ground)}/${name}`,
      kind,
      ground,
      stages: [{ way: 'begin', trouble }],
    })),
    ...stops.flatMap(({ name, kind, trouble }) =>
      AFTERWARDS.map((way): Case => ({
        name: `${nameOf(ground)}/${name}, ${way}`,
        kind,
        ground,
        stages: [{ way: 'begin', trouble }, { way }],
      })),
    ),
  ]);
}

/** A stage that was stopped, and what going on with it does where nothing else goes wrong. */
export interface Continued {
  readonly name: string;
  readonly first: Trouble;
  readonly way: 'resume' | 'rollback';
  readonly recording: Recording;
}

/** Where runs are stopped for a second fault. */
export function stops(ground: Ground, recording: Recording): readonly Omit<Continued, 'recording'>[] {
  return stepTroubles(recording, 'kill')
    .filter(({ name }) => name.endsWith('middle'))
    .flatMap(({ name, trouble }) =>
      AFTERWARDS.map((way) => ({ name: `${nameOf(ground)}/${name}, ${way}`, first: trouble, way })),
    );
}

/**
 * Every fault of going on, each distinct thing once: what a way back asks for is the same wherever the run was stopped, but
 * for the step at which it was.
 */
export function secondFaults(ground: Ground, continued: readonly Continued[]): readonly Case[] {
  const known = new Set<string>();
  const isNew = (key: string): boolean => known.size < known.add(key).size;
  return sorted(
    continued.flatMap(({ name, first, way, recording }) => {
      const own = 'phase' in first ? first.phase : '';
      const isHalf = (phase: string): string => (phase.endsWith(own) ? 'half' : 'whole');
      const asked = recording.asked.filter((one) =>
        isNew(`${way} ${isHalf(one.phase)} ${one.phase} ${subjectOf(one)}`),
      );
      const writes = recording.writes.filter((write) => isNew(`${way} ${isHalf(write)} ${write}`));
      const left = { ...recording, asked, writes };
      const faults = [...apiTroubles(left), ...hostTroubles(left)].filter(({ trouble }) => isTelling(trouble));
      const kills = killTroubles(left);
      return [
        ...faults.map(({ name: fault, trouble }): Case => ({
          name: `${name}/${fault}`,
          kind: 'second fault',
          ground,
          stages: [
            { way: 'begin', trouble: first },
            { way, trouble },
          ],
        })),
        ...kills.map(({ name: kill, trouble }): Case => ({
          name: `${name}/${kill}`,
          kind: 'second kill',
          ground,
          stages: [{ way: 'begin', trouble: first }, { way, trouble }, { way }],
        })),
      ];
    }),
  );
}

/** The faults that differ most in what they leave behind. */
function isTelling(trouble: Trouble): boolean {
  if (trouble.type === 'host') return trouble.error !== 'EIO' || trouble.extent === 'once';
  if (trouble.type !== 'api') return true;
  const { call, code, when, extent } = trouble;
  const isRead = call !== undefined && READS.includes(call.verb);
  if (extent === 'for ever') return code === 'UNREACHABLE' || (code === 'FORBIDDEN' && !isRead);
  if (isRead) return code === 'UNEXPECTED';
  return when === 'after' ? code === 'TIMEOUT' : code === 'CONFLICT' || code === 'ALREADY_EXISTS';
}

/** So many cases of each kind for each change, which ones follows from a seed. */
export function sampleOf(cases: readonly Case[], perKind: number, seed: number): readonly Case[] {
  const groups = Map.groupBy(cases, ({ ground, kind }) => `${nameOf(ground)} ${kind}`);
  return sorted(
    [...groups].flatMap(([group, members]) => {
      const random = createRandom(seed).fork(group);
      const left = new Set(members);
      return Array.from({ length: Math.min(perKind, members.length) }, () => {
        const one = random.pick([...left]);
        left.delete(one);
        return one;
      });
    }),
  );
}

function sorted(cases: readonly Case[]): readonly Case[] {
  return cases.toSorted((one, other) => compareCodeUnits(one.name, other.name));
}
