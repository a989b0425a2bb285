import type { NodeObject, PodObject } from '../../api.ts';
import type { Process } from '../process.ts';
import type { World } from '../world.ts';
import { isActive, misfit, specOf } from './scheduling.ts';
import { reconcileOn } from './reconcile.ts';

/** Gives Pods without a node one that takes them, and says of the others why there is none. */
export function schedulePods(process: Process, world: World): void {
  const cpuOf = (node: NodeObject): number =>
    world.machines.find(({ name }) => name === node.metadata.name)?.cpu ?? Number.POSITIVE_INFINITY;

  reconcileOn(process, world, ['Node', 'Pod'], 'system:kube-scheduler', (api) => {
    api.read(['Node', 'Pod'], ({ Node: nodes, Pod: pods }) => {
      const placed = pods.filter((pod) => specOf(pod)['nodeName'] !== undefined && isActive(pod));
      const waiting = pods.filter((pod) => specOf(pod)['nodeName'] === undefined && !pod.metadata.deletionTimestamp);
      for (const pod of waiting) {
        const verdicts = nodes.map((node) => ({
          node,
          reason: misfit(
            pod,
            node,
            placed.filter((other) => specOf(other)['nodeName'] === node.metadata.name),
            cpuOf(node),
          ),
        }));
        const fit = verdicts.find(({ reason }) => reason === undefined)?.node;
        if (fit === undefined)
          sayUnschedulable(
            pod,
            verdicts.map(({ reason }) => reason!),
          );
        else {
          const bound = { ...pod, spec: { ...pod.spec, nodeName: fit.metadata.name } } as PodObject;
          placed.push(bound);
          api.call({ verb: 'update', subresource: 'binding', object: bound });
        }
      }
    });

    function sayUnschedulable(pod: PodObject, reasons: readonly string[]): void {
      const counts = [...new Set(reasons)]
        .toSorted()
        .map((reason) => `${reasons.filter((one) => one === reason).length} ${reason}`);
      const message = `0/${reasons.length} nodes are available: ${counts.join(', ')}.`;
      const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
      api.call({ verb: 'update', subresource: 'status', object: { ...pod, status: { phase: 'Pending', conditions } } });
    }
  });
}
