import { posix } from 'node:path';
import type { Cluster } from '../../cluster/api.ts';
import { nodeFiles, type Files } from '../../cluster/files.ts';
import { systemClock, type Clock } from '../../core/clock.ts';
import { reasonOf } from '../../core/redact.ts';
import type { DaemonSet } from '../../cluster/objects.ts';
import { conversionConfig, type SelfHostingConfig } from './config.ts';
import { buildDaemonSet, type PodSpecMutators } from './daemonset.ts';
import { SelfHostingError } from './errors.ts';
import { buildSelfHostedComponentLabelQuery, CONTROL_PLANE_COMPONENTS, type ControlPlaneComponent } from './labels.ts';
import { retry } from './retry.ts';
import { readStaticPod } from './static-pod.ts';
import { getMutatorsFromFeatureGates } from './v1-10/mutators.ts';
import { createOrUpdate, uploadSecrets } from './v1-10/upload.ts';
import { createWaiter, type Waiter } from './waiter.ts';

export interface SelfHostingOptions {
  /** Directory of the static Pod manifests, usually /etc/kubernetes/manifests. */
  readonly manifestsDir: string;
  /** Directory of the kubeconfigs of controller manager and scheduler, usually /etc/kubernetes. */
  readonly kubeConfigDir: string;
  readonly config: SelfHostingConfig;
  /** What is converted, in this order. Default: all three. */
  readonly components?: readonly ControlPlaneComponent[];
  /** What is done to the Pod specs. Default: what the feature gates of the configuration ask for. */
  readonly mutators?: PodSpecMutators;
  readonly cluster: Cluster;
  /** Default: one that asks the cluster every 500 ms. A dry run wants {@link createDryRunWaiter}. */
  readonly waiter?: Waiter;
  /**
   * Leaves the manifests where they are, **and nothing else**: Secrets and DaemonSets are stored and waited for, so a
   * dry run also wants a cluster that does not count, such as {@link createMemoryCluster}. Default: false.
   */
  readonly dryRun?: boolean;
  /** Default: the files of this machine. */
  readonly files?: Files;
  /** Default: the time of this machine. */
  readonly clock?: Clock;
  /** Hears of progress, one line at a time and never a secret. Default: nobody. */
  readonly log?: (message: string) => void;
}

/** What became of a component. */
export interface ComponentResult {
  readonly component: ControlPlaneComponent;
  /** `skipped` where its manifest could not be found or looked at. */
  readonly outcome: 'self-hosted' | 'skipped';
  readonly milliseconds: number;
}

const WAIT_MILLISECONDS = 120_000;
/** Sleeps of 5, 10, 20 and 40 s. */
const STORE_TIMES = { tries: 5, firstSleepMilliseconds: 5000 };

interface Conversion {
  readonly options: Required<Pick<SelfHostingOptions, 'cluster' | 'waiter' | 'dryRun' | 'files' | 'clock' | 'log'>>;
  readonly manifestsDir: string;
  readonly nodeName: string;
  readonly mutators: PodSpecMutators;
}

/**
 * Turns the control plane of one node from static Pods into DaemonSets, as kubeadm 1.10 did, component by component:
 * build the DaemonSet from the manifest, store it, wait until its Pods run, delete the manifest, wait until the
 * static Pod is gone and the API server is healthy.
 *
 * It is the old algorithm with its hazards: the API is down while servers change places, nothing is undone, a failure
 * after the manifest is deleted leaves none behind, and the result does not survive a reboot. On Kubernetes from 1.24
 * on its node selector matches no node. Run again after a failure, it goes on with the manifests that are left.
 *
 * @throws {SelfHostingError} with a `code`; the components before the one that failed stay converted.
 */
export async function createSelfHostedControlPlane(options: SelfHostingOptions): Promise<readonly ComponentResult[]> {
  const { manifestsDir, kubeConfigDir, cluster, files = nodeFiles, clock = systemClock, log = () => {} } = options;
  const { dryRun = false, waiter = createWaiter({ cluster, clock, log }) } = options;
  const { nodeName, certificatesDir, featureGates, storesCertsInSecrets } = conversionConfig(options.config);
  if (storesCertsInSecrets) await uploadSecrets({ cluster, files, certificatesDir, kubeConfigDir, log });

  const mutators = options.mutators ?? getMutatorsFromFeatureGates(featureGates, log);
  const conversion = { options: { cluster, waiter, dryRun, files, clock, log }, manifestsDir, nodeName, mutators };
  const results: ComponentResult[] = [];
  for (const component of options.components ?? CONTROL_PLANE_COMPONENTS) {
    const start = clock.now();
    const outcome = await convert(component, conversion);
    const milliseconds = clock.now() - start;
    results.push({ component, outcome, milliseconds });
    if (outcome === 'self-hosted') log(`The self-hosted ${component} is ready after ${milliseconds / 1000} s.`);
  }
  return results;
}

async function convert(component: ControlPlaneComponent, conversion: Conversion): Promise<ComponentResult['outcome']> {
  const { files, waiter, dryRun, log } = conversion.options;
  const manifest = posix.join(conversion.manifestsDir, `${component}.yaml`);
  try {
    await files.stat(manifest);
  } catch (error) {
    // Any error: that a manifest is gone is the only sign that a component was converted before.
    log(`The manifest ${manifest} cannot be found (${reasonOf(error)}); trying the next one.`);
    return 'skipped';
  }

  const { spec } = await readStaticPod(files, manifest);
  await store(buildDaemonSet(component, spec, conversion.mutators), conversion);
  await waited(
    waiter.waitForPodsWithLabel(buildSelfHostedComponentLabelQuery(component), WAIT_MILLISECONDS),
    `The DaemonSet of ${component} stays, and the static Pod still has its manifest ${manifest}.`,
  );

  if (!dryRun) await removeManifest(files, manifest);
  const state = dryRun
    ? `The manifest ${manifest} is still there.`
    : `The manifest ${manifest} is deleted, without a copy.`;
  // A mirror Pod outlives its API server and is deleted by the next one, so this waits for the new one to answer.
  await waited(waiter.waitForPodToDisappear(`${component}-${conversion.nodeName}`, WAIT_MILLISECONDS), state);
  await waited(waiter.waitForAPI(WAIT_MILLISECONDS), state);
  return 'self-hosted';
}

/** The last error is no part of the message, as it never was: whoever reads it sees a timeout. It is the cause. */
async function store(daemonSet: DaemonSet, { options: { cluster, clock } }: Conversion): Promise<void> {
  const result = await retry(clock, STORE_TIMES, () =>
    createOrUpdate(
      () => cluster.create(daemonSet),
      () => cluster.update(daemonSet),
    ),
  );
  if (result.succeeded) return;
  throw new SelfHostingError('TIMED_OUT', `Timed out storing DaemonSet ${daemonSet.metadata.name}.`, {
    cause: result.lastError,
  });
}

async function waited(wait: Promise<void>, state: string): Promise<void> {
  try {
    await wait;
  } catch (cause) {
    const code = cause instanceof SelfHostingError ? cause.code : 'WAIT_FAILED';
    throw new SelfHostingError(code, `${reasonOf(cause)} ${state}`, { cause });
  }
}

async function removeManifest(files: Files, manifest: string): Promise<void> {
  try {
    await files.remove(manifest);
  } catch (cause) {
    const message = `The manifest ${manifest} cannot be deleted; the static Pod and its DaemonSet both run.`;
    throw new SelfHostingError('MANIFEST_NOT_REMOVED', message, { cause });
  }
}
