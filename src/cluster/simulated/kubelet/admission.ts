import { cpuRequestOf, hostPortsOf, CRITICAL_PRIORITY } from '../api/defaults.ts';
import type { Machine } from '../machine.ts';
import type { KubeletPod } from './kubelet.ts';

export interface Verdict {
  /** Why the node does not take the Pod. */
  readonly reason?: string;
  /** Pods that go to make room for it. */
  readonly evicted: readonly KubeletPod[];
}

/** Whether a node takes a Pod beside those that it has, in the kubelet's own view: it may know more than the scheduler. */
export function admit(
  pod: KubeletPod,
  all: readonly KubeletPod[],
  machine: Machine,
  labels: Readonly<Record<string, string>>,
): Verdict {
  const { spec } = pod.pod;
  const others = all.filter((other) => other !== pod && other.state !== 'rejected' && other.state !== 'waiting');
  if (Object.entries(spec.nodeSelector ?? {}).some(([key, value]) => labels[key] !== value))
    return { reason: 'NodeAffinity', evicted: [] };
  const taken = new Set(others.flatMap((other) => hostPortsOf(other.pod.spec)));
  if (hostPortsOf(spec).some((port) => taken.has(port))) return { reason: 'NodePorts', evicted: [] };
  const cpu = cpuRequestOf(spec);
  let excess = others.reduce((sum, other) => sum + cpuRequestOf(other.pod.spec), cpu) - machine.cpu;
  if (excess <= 0 || cpu === 0) return { evicted: [] };
  if ((spec.priority ?? 0) < CRITICAL_PRIORITY) return { reason: 'OutOfcpu', evicted: [] };
  const evicted: KubeletPod[] = [];
  for (const other of others.toSorted((a, b) => (a.pod.spec.priority ?? 0) - (b.pod.spec.priority ?? 0))) {
    if (excess <= 0) break;
    const freed = cpuRequestOf(other.pod.spec);
    if ((other.pod.spec.priority ?? 0) >= CRITICAL_PRIORITY || freed === 0) continue;
    evicted.push(other);
    excess -= freed;
  }
  return excess > 0 ? { reason: 'OutOfcpu', evicted: [] } : { evicted };
}
