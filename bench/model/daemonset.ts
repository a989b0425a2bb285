import { buildDaemonSet, CONTROL_PLANE_ROLE, type PodSpec } from '../../src/control-plane/index.ts';
import type { DaemonSetObject } from '../../src/cluster/api.ts';

/** What kubeadm's algorithm stores, with the label of today and without the ports that would keep it from starting. */
export function kubeadmStyleDaemonSet(component: string, manifest: string): DaemonSetObject {
  const { spec } = JSON.parse(manifest) as { readonly spec: PodSpec };
  return buildDaemonSet(component, spec, {
    [component]: [
      (draft) => {
        draft.nodeSelector = { [CONTROL_PLANE_ROLE]: '' };
        draft.tolerations = [{ operator: 'Exists' }];
        for (const container of draft.containers) {
          delete container.ports;
          delete container.livenessProbe;
          delete container.readinessProbe;
          delete container.startupProbe;
        }
      },
    ],
  }) as DaemonSetObject;
}
