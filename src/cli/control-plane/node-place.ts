import { ClusterError } from '../../cluster/api.ts';
import { openLinuxNode, type LinuxNode, type LinuxSettings } from '../../cluster/linux/host.ts';
import { systemClock } from '../../core/clock.ts';
import { UsageError } from '../../core/errors.ts';
import { executePlanned, goOn, type RunResult } from '../../control-plane/operations/execute.ts';
import { planChange } from '../../control-plane/operations/plan.ts';
import type { SandboxRun } from '../../control-plane/rehearsal/sandbox.ts';
import type { StepListener } from '../../control-plane/strategies/steps.ts';
import type { Station } from '../../control-plane/operations/station.ts';
import type { Io } from '../io.ts';
import type { Entry, Place, PlaceFlags } from './place.ts';

const KUBECONFIG = '/etc/kubernetes/admin.conf';

/**
 * The node that this program runs on.
 *
 * @throws UsageError where it is none that bootlace can change, ClusterError where it cannot be opened.
 */
export async function openNode(flags: PlaceFlags, { now }: Pick<Io, 'now'>): Promise<Place> {
  refuseOthers();
  const { kubeconfig = KUBECONFIG, node: nodeName, 'cri-socket': runtimeSocket, 'manifests-dir': manifestsDir } = flags;
  const linux = await opened({
    kubeconfig,
    ...(nodeName !== undefined && { nodeName }),
    ...(runtimeSocket !== undefined && { runtimeSocket }),
  });
  const { host, cluster } = linux;
  const station: Station = { host, cluster, clock: systemClock, ...(manifestsDir !== undefined && { manifestsDir }) };
  return {
    node: host.nodeName,
    isSimulated: false,
    nextId: (verb) =>
      `${verb}-${now()
        .toISOString()
        .replace(/\.\d+Z$/, '')
        .replaceAll(/[-:T]/g, '')}`,
    station: () => station,
    run: (entry, id, options) => run(station, entry, id, options),
    close: async () => linux.close(),
  };
}

async function opened(settings: LinuxSettings): Promise<LinuxNode> {
  try {
    return await openLinuxNode(settings);
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error;
    throw new UsageError(error.message, 'Run it on a node with a control plane of kubeadm, or add --simulated FILE.');
  }
}

function refuseOthers(): void {
  if (process.platform !== 'linux')
    throw new UsageError(
      'this is no node with a control plane: those run Linux',
      'Run it there, or add --simulated FILE.',
    );
  if (process.getuid?.() !== 0)
    throw new UsageError('a control plane is changed by root alone', 'Run it with sudo, or add --simulated FILE.');
}

async function run(
  station: Station,
  { verb, change, plan }: Entry,
  id: string,
  { onEvent = () => {}, onPlan = () => {}, isStopping = () => false }: SandboxRun,
): Promise<RunResult> {
  const start = systemClock.now();
  const listen: StepListener = (event) => onEvent(event, Math.round(systemClock.now() - start) / 1000);
  const options = { onEvent: listen, isStopping };
  if (verb !== 'pivot' && verb !== 'roll') return goOn(station, verb, options);
  const planned = await planChange(station, change!);
  onPlan(planned.plan.steps);
  return executePlanned(station, planned, { ...options, id, ...(plan && { plan }) });
}
