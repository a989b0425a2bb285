import type { Cluster } from '../../cluster/api.ts';
import type { Host } from '../../cluster/host.ts';
import type { Clock } from '../../core/clock.ts';
import { parseManifest } from '../manifest.ts';
import { CONTROL_PLANE_COMPONENTS } from '../selfhosting/labels.ts';
import type { ManifestFile, StrategyContext } from '../strategies/context.ts';
import { StepError, type Step, type StepListener, type StepsOutcome } from '../strategies/steps.ts';
import { STRATEGIES, STRATEGY_NAMES, type StrategyName } from '../strategies/strategies.ts';
import { carryOn, restoreVolatile, type Keeper } from './carry-on.ts';
import { parseJournal, printJournal, turnedBack, type Journal } from './journal.ts';

/** Where the journal of a node lies: beside what its run keeps, and out of the kubelet's sight. */
const JOURNAL = '/etc/kubernetes/bootlace/journal.json';

/**
 * Begins a run with the steps that were planned, and carries it to its end.
 *
 * @throws StepError with code `STEP_FAILED` where another run on this node has not come to its end: its journal holds what
 * its way back needs.
 */
export async function beginRun(
  context: StrategyContext,
  strategy: StrategyName,
  id: string,
  steps: readonly Step[],
  onEvent: StepListener,
): Promise<StepsOutcome> {
  const other = await openJournal(context.host);
  if (other !== undefined)
    throw new StepError(
      'STEP_FAILED',
      `The run ${other.id} on this node has not come to its end: ${JOURNAL} tells of it.`,
    );
  return carryOn(journalOf(context, strategy, id, steps), steps, keeperOn(context.host), onEvent);
}

export interface Continuation {
  readonly host: Host;
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** `resume` goes on in the direction that the run had, `rollback` takes back what it did. */
  readonly way: 'resume' | 'rollback';
  readonly onEvent: StepListener;
  readonly log: (message: string) => void;
}

/**
 * Goes on with the run that the journal of this node tells of, or takes it back. It needs the files of the node and no API.
 *
 * @throws StepError with code `STEP_FAILED` where there is no journal, or none that can be read.
 */
export async function continueRun({ host, cluster, clock, way, onEvent, log }: Continuation): Promise<StepsOutcome> {
  const found = await openJournal(host);
  if (found === undefined)
    throw new StepError('STEP_FAILED', `There is no run to go on with: ${JOURNAL} is not there.`);
  const journal = way === 'rollback' ? turnedBack(found) : found;
  const context = await contextOf(journal, { host, cluster, clock, log });
  const { steps } = STRATEGIES[strategyOf(journal)].plan(context);
  const isSame =
    steps.length === journal.steps.length && steps.every(({ name }, at) => name === journal.steps[at]!.name);
  if (!isSame)
    throw new StepError(
      'STEP_FAILED',
      `${JOURNAL} is of a version of bootlace that took other steps. Go on with that one.`,
    );
  await restoreVolatile(journal, steps);
  return carryOn(journal, steps, keeperOn(host), onEvent);
}

/** The journal of a run that has not come to its end; nothing where there is none. */
export async function openJournal({ files }: Host): Promise<Journal | undefined> {
  let text: string;
  try {
    text = new TextDecoder().decode(await files.read(JOURNAL));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const journal = parseJournal(text);
  if (journal !== undefined) return journal;
  throw new StepError('STEP_FAILED', `${JOURNAL} is no journal that this version of bootlace can read.`);
}

function keeperOn({ files }: Host): Keeper {
  return {
    save: (journal) => files.write(JOURNAL, printJournal(journal)),
    clear: () => files.remove(JOURNAL),
  };
}

function journalOf(
  { host, components, relayPort, manifestsDir, server, service, manifests }: StrategyContext,
  strategy: StrategyName,
  id: string,
  steps: readonly Step[],
): Journal {
  const textOf = ({ path, text }: ManifestFile) => ({ path, text });
  return {
    version: 1,
    id,
    strategy,
    node: host.nodeName,
    components,
    relayPort,
    manifestsDir,
    server,
    service,
    manifests: {
      'kube-apiserver': textOf(manifests['kube-apiserver']),
      'kube-controller-manager': textOf(manifests['kube-controller-manager']),
      'kube-scheduler': textOf(manifests['kube-scheduler']),
    },
    direction: 'forward',
    steps: steps.map(({ name }) => ({ name, state: 'open' })),
  };
}

function strategyOf({ strategy }: Journal): StrategyName {
  const known = STRATEGY_NAMES.find((name) => name === strategy);
  if (known !== undefined) return known;
  throw new StepError('STEP_FAILED', `${JOURNAL} is of a strategy ${JSON.stringify(strategy)}, which is not known.`);
}

/** What the run began with. What a plan refuses was found out then, and is not asked again. */
async function contextOf(
  { manifests, components, relayPort, manifestsDir, server, service }: Journal,
  node: Pick<StrategyContext, 'host' | 'cluster' | 'clock' | 'log'>,
): Promise<StrategyContext> {
  const files: Record<string, ManifestFile> = {};
  for (const component of CONTROL_PLANE_COMPONENTS) {
    const { path, text } = manifests[component];
    const { pod, source } = await parseManifest(text);
    if (pod === undefined || source === undefined)
      throw new StepError('STEP_FAILED', `${JOURNAL} holds a manifest of ${component} that cannot be read.`);
    files[component] = { path, text, pod, source };
  }
  return {
    ...node,
    manifests: files as Record<(typeof CONTROL_PLANE_COMPONENTS)[number], ManifestFile>,
    components,
    relayPort,
    manifestsDir,
    server,
    service,
    takenPorts: [],
    admitsRelay: 'yes',
  };
}
