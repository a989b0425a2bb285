import type { Endpoint } from '../../cluster/host.ts';
import type { DaemonSet, Pod } from '../../cluster/objects.ts';
import { isMapping } from '../../core/mapping.ts';
import type { ConfigEdit } from '../strategies/kubeadm-config.ts';
import { CONTROL_PLANE_COMPONENTS, type ControlPlaneComponent } from '../selfhosting/labels.ts';

/**
 * What a run has done, so that another one can go on or go back: after a kill, after a reboot, without any API. It holds
 * what the run began with, since the files that it was read from may be somewhere else by now.
 */
export interface Journal {
  readonly version: 1;
  /** Of the run; told apart from others by it alone. */
  readonly id: string;
  readonly strategy: string;
  readonly node: string;
  readonly components: readonly ControlPlaneComponent[];
  readonly relayPort: number;
  readonly manifestsDir: string;
  /** Where the node's API server serves, and the Service of the API. */
  readonly server: Endpoint;
  readonly service: Endpoint;
  /** As they were before the run. */
  readonly manifests: Readonly<Record<ControlPlaneComponent, KeptManifest>>;
  readonly hasSnapshot: boolean;
  readonly kubeadmConfig?: ConfigEdit;
  /** What a roll gives the components. */
  readonly definitions?: Readonly<Partial<Record<ControlPlaneComponent, Pod>>>;
  readonly direction: 'forward' | 'back';
  /** How far a way back by files and processes alone has come, of which the cluster has not been told yet. Default: none. */
  readonly offline?: 'begun' | 'done';
  readonly steps: readonly StepRecord[];
}

export interface KeptManifest {
  readonly path: string;
  readonly text: string;
  /** What hosted the component, where the manifest is the one that it was made from. */
  readonly hosted?: DaemonSet;
  /** Whether nobody served it when the run began. Default: false. */
  readonly isDown?: boolean;
  /** What was kept of it for the way back of its pivot. */
  readonly kept?: string;
}

export interface StepRecord {
  readonly name: string;
  readonly state: StepState;
}

/**
 * `begun` may have done anything between nothing and everything, and so may `undoing`. A step that was put off is
 * `undoing` while those before it are taken back.
 */
export type StepState = 'open' | 'begun' | 'done' | 'undoing' | 'undone';

/** What is to be done next. */
export type Next = { readonly do: 'run' | 'undo'; readonly step: string } | { readonly do: 'nothing' };

/**
 * Forward the first step that is not done; back the last one that did something and is not taken back, leaving out those
 * that were put off in this run for as long as there is another.
 */
export function nextOf({ direction, steps }: Journal, putOff: ReadonlySet<string> = new Set()): Next {
  if (direction === 'forward') {
    const step = steps.find(({ state }) => state !== 'done');
    return step === undefined ? { do: 'nothing' } : { do: 'run', step: step.name };
  }
  const left = steps.filter(({ state }) => state === 'begun' || state === 'done' || state === 'undoing');
  const step = left.findLast(({ name }) => !putOff.has(name)) ?? left.at(-1);
  return step === undefined ? { do: 'nothing' } : { do: 'undo', step: step.name };
}

export function withState(journal: Journal, name: string, state: StepState): Journal {
  return { ...journal, steps: journal.steps.map((step) => (step.name === name ? { name, state } : step)) };
}

export function turnedBack(journal: Journal): Journal {
  return { ...journal, direction: 'back' };
}

export function printJournal(journal: Journal): string {
  return `${JSON.stringify(journal, undefined, 2)}\n`;
}

/** Nothing where the text is no journal of a version that is known. */
export function parseJournal(text: string): Journal | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isJournal(value) ? value : undefined;
}

const STATES: readonly unknown[] = ['open', 'begun', 'done', 'undoing', 'undone'] satisfies readonly StepState[];

function isJournal(value: unknown): value is Journal {
  if (!isMapping(value) || value['version'] !== 1) return false;
  const { id, strategy, node, components, relayPort, manifestsDir, server, service, manifests, direction, steps } =
    value;
  const { definitions, hasSnapshot, kubeadmConfig, offline } = value;
  return (
    [id, strategy, node, manifestsDir].every((text) => typeof text === 'string') &&
    Number.isInteger(relayPort) &&
    (direction === 'forward' || direction === 'back') &&
    Array.isArray(components) &&
    components.every((name) => CONTROL_PLANE_COMPONENTS.includes(name as ControlPlaneComponent)) &&
    [server, service].every(isEndpoint) &&
    isMapping(manifests) &&
    CONTROL_PLANE_COMPONENTS.every((name) => isManifest(manifests[name])) &&
    typeof hasSnapshot === 'boolean' &&
    (offline === undefined || offline === 'begun' || offline === 'done') &&
    (kubeadmConfig === undefined || isEdit(kubeadmConfig)) &&
    (definitions === undefined || (isMapping(definitions) && Object.values(definitions).every(isMapping))) &&
    Array.isArray(steps) &&
    steps.every((step) => isMapping(step) && typeof step['name'] === 'string' && STATES.includes(step['state']))
  );
}

function isManifest(value: unknown): boolean {
  if (!isMapping(value)) return false;
  const { path, text, hosted, kept, isDown } = value;
  return (
    typeof path === 'string' &&
    typeof text === 'string' &&
    (hosted === undefined || isMapping(hosted)) &&
    (kept === undefined || typeof kept === 'string') &&
    (isDown === undefined || typeof isDown === 'boolean')
  );
}

function isEdit(value: unknown): boolean {
  return isMapping(value) && typeof value['before'] === 'string' && typeof value['after'] === 'string';
}

function isEndpoint(value: unknown): boolean {
  return isMapping(value) && typeof value['address'] === 'string' && Number.isInteger(value['port']);
}
