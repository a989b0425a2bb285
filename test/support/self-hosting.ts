import { expect } from 'vitest';
import { ClusterError, type PodObject } from '../../src/cluster/api.ts';
import { createMemoryFiles, type FileOperation, type MemoryFiles } from '../../src/cluster/simulated/files.ts';
import {
  createMemoryCluster,
  type ClusterCall,
  type ClusterFault,
  type MemoryCluster,
} from '../../src/cluster/simulated/memory.ts';
import { createSimulatedClock, type SimulatedClock } from '../../src/core/clock.ts';
import { createSelfHostedControlPlane, type SelfHostingOptions } from '../../src/control-plane/selfhosting/create.ts';
import { SelfHostingError } from '../../src/control-plane/selfhosting/errors.ts';
import { CONTROL_PLANE_COMPONENTS } from '../../src/control-plane/selfhosting/labels.ts';
import { SELF_HOSTED_SECRETS } from '../../src/control-plane/selfhosting/v1-10/secrets.ts';

export const MANIFESTS = '/etc/kubernetes/manifests';
export const API_SERVER = `${MANIFESTS}/kube-apiserver.yaml`;
export const CONTROLLER_MANAGER = `${MANIFESTS}/kube-controller-manager.yaml`;

export function manifest(component: string): string {
  return `apiVersion: v1
kind: Pod
metadata:
  name: ${component}
  labels: {component: ${component}, tier: control-plane}
spec:
  containers:
  - name: ${component}
    command: [${component}, --advertise-address=10.0.0.1]
`;
}

export const MANIFEST_FILES = Object.fromEntries(
  CONTROL_PLANE_COMPONENTS.map((component) => [`${MANIFESTS}/${component}.yaml`, manifest(component)]),
);
export const SECRET_FILES = Object.fromEntries(
  SELF_HOSTED_SECRETS.flatMap(({ files, directory }) =>
    Object.values(files).map((file) => [
      `${directory === 'certificatesDir' ? '/pki' : '/etc/kubernetes'}/${file}`,
      `-----BEGIN hunter2 ${file}`,
    ]),
  ),
);

export interface Situation {
  readonly files?: Readonly<Record<string, string>>;
  readonly clusterFault?: (call: ClusterCall) => ClusterFault | undefined;
  readonly fileFault?: (operation: FileOperation, path: string) => Error | undefined;
  /** Milliseconds from a DaemonSet to its running Pod; undefined for never. */
  readonly podAfter?: number | undefined;
  /** Milliseconds from the removal of a manifest to that of its mirror Pod; undefined for never. */
  readonly mirrorGoneAfter?: number | undefined;
}

export interface World {
  readonly cluster: MemoryCluster;
  readonly files: MemoryFiles;
  readonly clock: SimulatedClock;
  readonly log: string[];
  /** What happened, in order, repeated questions once. */
  readonly trace: string[];
  run(options?: Partial<SelfHostingOptions>): ReturnType<typeof createSelfHostedControlPlane>;
}

export function pod(name: string, labels: Record<string, string> = {}, more: Partial<PodObject> = {}): PodObject {
  const metadata = { name, namespace: 'kube-system', labels };
  return { apiVersion: 'v1', kind: 'Pod', metadata, status: { phase: 'Running' }, ...more };
}

/** A node with a cluster whose controllers and kubelet do their part after a while. */
export function createWorld(situation: Situation = {}): World {
  const { podAfter, mirrorGoneAfter } = { podAfter: 3000, mirrorGoneAfter: 2000, ...situation };
  const clock = createSimulatedClock();
  const trace: string[] = [];
  const log: string[] = [];
  function note(text: string): void {
    if (trace.at(-1) !== text) trace.push(text);
  }

  const cluster = createMemoryCluster({
    fault: (call) => {
      note(`${call.verb} ${call.kind} ${call.name}`.trim());
      if (call.kind === 'DaemonSet' && podAfter !== undefined) {
        clock.at(clock.now() + podAfter, () => cluster.put(pod(`${call.name}-x7k2p`, { 'k8s-app': call.name })));
      }
      return situation.clusterFault?.(call);
    },
  });
  const files = createMemoryFiles(situation.files ?? MANIFEST_FILES, (operation, path) => {
    note(`${operation} ${path}`);
    const error = situation.fileFault?.(operation, path);
    if (operation === 'remove' && !error && mirrorGoneAfter !== undefined) {
      const component = path.slice(MANIFESTS.length + 1, -'.yaml'.length);
      clock.at(clock.now() + mirrorGoneAfter, () => cluster.remove('Pod', 'kube-system', `${component}-master-1`));
    }
    return error;
  });
  for (const component of CONTROL_PLANE_COMPONENTS) cluster.put(pod(`${component}-master-1`));

  return {
    cluster,
    files,
    clock,
    log,
    trace,
    run: (options = {}) =>
      createSelfHostedControlPlane({
        manifestsDir: MANIFESTS,
        kubeConfigDir: '/etc/kubernetes',
        config: { nodeName: 'master-1', certificatesDir: '/pki' },
        cluster,
        files,
        clock,
        log: (message) => log.push(message),
        ...options,
      }),
  };
}

export async function failureOf(promise: Promise<unknown>): Promise<SelfHostingError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SelfHostingError);
  return error as SelfHostingError;
}

/** A fault for each call that a test picks, before it has any effect. */
export function failing(
  code: ClusterError['code'],
  picks: (call: ClusterCall) => boolean,
): NonNullable<Situation['clusterFault']> {
  return (call) => (picks(call) ? { error: new ClusterError(code, 'a fault'), when: 'before' } : undefined);
}
