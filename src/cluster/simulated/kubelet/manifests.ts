import { isMapping } from '../../../core/mapping.ts';
import { parseDocuments } from '../../../format/documents.ts';
import type { Pod } from '../../objects.ts';
import { withPodDefaults } from '../api/defaults.ts';
import { shapeFaultOf } from '../api/shape.ts';
import type { Machine } from '../machine.ts';
import { hashOf } from '../random.ts';

export const MANIFESTS_DIRECTORY = '/etc/kubernetes/manifests';

/** Annotation with the UID that the kubelet gives a static Pod: it follows from the Pod, the file and the node. */
export const HASH_ANNOTATION = 'kubernetes.io/config.hash';

/** A static Pod as the kubelet has read it. */
export interface StaticPod {
  readonly uid: string;
  readonly pod: Pod;
}

/**
 * The static Pods that the files of a machine describe. Every file of the directory itself counts, whatever its name ends
 * with, but for those that begin with a dot. What is no Pod is passed over, as is one that names an object of the API.
 */
export function readManifests(machine: Machine): readonly StaticPod[] {
  return machine.disk.paths().flatMap((path) => {
    const name = path.slice(MANIFESTS_DIRECTORY.length + 1);
    if (path !== `${MANIFESTS_DIRECTORY}/${name}` || name.startsWith('.') || name.includes('/')) return [];
    const pod = podIn(machine.disk.read(path)!);
    if (pod === undefined) return [];
    // What the text says counts, and not how: comments, white space and the order of keys make no other Pod.
    const { status, ...others } = pod;
    // kubeadm writes one that is empty, which is as good as none.
    const said = isMapping(status) && Object.keys(status).length > 0 ? pod : others;
    const uid = hashOf(`${machine.name}\n${path}\n${JSON.stringify(said)}`)
      .toString(16)
      .padStart(8, '0');
    return [{ uid, pod: named(pod, uid, machine) }];
  });
}

function podIn(text: string): Pod | undefined {
  const [document] = parseDocuments(text);
  const value = document?.problems.length === 0 ? decoded(document.value) : undefined;
  if (!isMapping(value) || value['kind'] !== 'Pod' || shapeFaultOf(value) !== undefined) return undefined;
  const pod = value as unknown as Pod;
  return pod.metadata.name && pod.spec.containers.length > 0 && !namesObjects(pod) ? pod : undefined;
}

/** A value with its keys in order, and without those that hold nothing: null is to Kubernetes as if it were not there. */
function decoded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decoded);
  if (!isMapping(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== null && part !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, decoded(part)]),
  );
}

/** Whether a Pod needs something of the API, which a static one may not: Secrets, ConfigMaps, claims, tokens. */
function namesObjects({ spec }: Pod): boolean {
  return (spec.volumes ?? []).some((volume) =>
    ['secret', 'configMap', 'projected', 'persistentVolumeClaim'].some((source) => Object.hasOwn(volume, source)),
  );
}

function named(pod: Pod, uid: string, machine: Machine): Pod {
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      name: `${pod.metadata.name}-${machine.name}`,
      namespace: pod.metadata.namespace ?? 'default',
      uid,
      annotations: { ...pod.metadata.annotations, [HASH_ANNOTATION]: uid },
    },
    spec: { ...withPodDefaults(pod.spec), nodeName: machine.name },
  };
}
