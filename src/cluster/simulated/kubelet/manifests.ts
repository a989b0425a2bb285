import { isMapping } from '../../../core/mapping.ts';
import { parseDocuments } from '../../../format/documents.ts';
import type { Pod } from '../../objects.ts';
import { withPodDefaults } from '../api/defaults.ts';
import type { Machine } from '../machine.ts';
import { hashOf } from '../random.ts';

export const MANIFESTS_DIRECTORY = '/etc/kubernetes/manifests';

/** Annotation with the UID that the kubelet gives a static Pod: it follows from file, text and node. */
export const HASH_ANNOTATION = 'kubernetes.io/config.hash';

/** A static Pod as the kubelet has read it. */
export interface StaticPod {
  readonly uid: string;
  readonly pod: Pod;
}

/**
 * The static Pods that the files of a machine describe. Every file counts, whatever its name ends with, but for those
 * that begin with a dot. What is no Pod is passed over, as is one that names an object of the API.
 */
export function readManifests(machine: Machine): readonly StaticPod[] {
  return machine.disk
    .paths()
    .filter((path) => path.startsWith(`${MANIFESTS_DIRECTORY}/`))
    .filter((path) => !path.slice(MANIFESTS_DIRECTORY.length + 1).startsWith('.'))
    .flatMap((path) => {
      const text = machine.disk.read(path)!;
      const pod = podIn(text);
      if (pod === undefined) return [];
      const uid = hashOf(`${machine.name}\n${path}\n${text}`).toString(16).padStart(8, '0');
      return [{ uid, pod: named(pod, uid, machine) }];
    });
}

function podIn(text: string): Pod | undefined {
  const [document] = parseDocuments(text);
  const value = document?.problems.length === 0 ? document.value : undefined;
  if (!isMapping(value) || value['kind'] !== 'Pod' || !isMapping(value['spec'])) return undefined;
  const pod = value as unknown as Pod;
  return Array.isArray(pod.spec.containers) && !namesObjects(pod) ? pod : undefined;
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
