import { setTimeout as sleep } from 'node:timers/promises';
import { hostAndPort, type NodePlan } from './addresses.ts';
import type { Cluster } from './bench.ts';
import { BenchError } from './errors.ts';
import { BUSYBOX } from './images.ts';
import { kubectl, kubectlApply, kubectlGet } from './kubectl.ts';
import { onNode } from './machines.ts';
import type { Progress } from './progress.ts';

/** One thing that must hold before a cluster is called up: what it is, and whether it does. */
interface Check {
  readonly what: string;
  /** Nothing when it holds, otherwise what is seen instead. */
  readonly look: () => Promise<string | undefined>;
}

const NAMESPACE = 'default';
const COMPONENTS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

/** Waits until a cluster is what `up` promises, and fails with what is not so after that many milliseconds. */
export async function checkCluster(
  cluster: Cluster,
  progress: Progress,
  signal?: AbortSignal,
  timeout = 300_000,
): Promise<void> {
  const deadline = Date.now() + timeout;
  const { nodes } = cluster.plan;
  const hasProxy = cluster.settings.proxy !== 'none';
  const workers = nodes.filter(({ role }) => role === 'worker');
  const checks: Check[] = [
    ...nodes.map((node) => nodeIsReady(cluster, node)),
    ...nodes.filter(({ role }) => role === 'control-plane').map((node) => mirrorPodsExist(cluster, node)),
    ...nodes.map((node) => apiAnswers(cluster, node, hasProxy)),
    ...workers.map((node) => podReachesApi(cluster, node, hasProxy)),
  ];
  await progress.step('waiting until every node serves', async () => {
    if (workers.length > 0) await sendVisitors(cluster, workers, hasProxy, deadline, signal);
    for (const { what, look } of checks) {
      for (let seen = await look(); seen !== undefined; seen = await look()) {
        signal?.throwIfAborted();
        if (Date.now() > deadline)
          throw new BenchError(`${what}: ${seen}`, {
            hint: 'Look at the logs under nodes/*/root/var/log in the state folder.',
          });
        await sleep(500);
      }
    }
    if (workers.length > 0) await callBackVisitors(cluster);
  });
}

interface Conditions {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
    readonly phase?: string;
  };
}

function nodeIsReady(cluster: Cluster, node: NodePlan): Check {
  return { what: `node ${node.name} is Ready`, look: () => readyOf(cluster, ['node', node.name]) };
}

function mirrorPodsExist(cluster: Cluster, node: NodePlan): Check {
  return {
    what: `mirror Pods of ${node.name}`,
    look: async () => {
      for (const component of COMPONENTS) {
        const seen = await readyOf(cluster, ['--namespace', 'kube-system', 'pod', `${component}-${node.name}`]);
        if (seen !== undefined) return `${component}: ${seen}`;
      }
      return undefined;
    },
  };
}

function readyOf(cluster: Cluster, object: readonly string[]): Promise<string | undefined> {
  return lookAt(cluster, object, (status) => {
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    return ready?.status === 'True' ? undefined : (ready?.message ?? status?.phase ?? 'no condition Ready');
  });
}

/** What is seen of an object instead of what is wanted, or why it cannot be seen. */
async function lookAt(
  cluster: Cluster,
  object: readonly string[],
  judge: (status: Conditions['status']) => string | undefined,
): Promise<string | undefined> {
  try {
    return judge((await kubectlGet<Conditions>(cluster, object, { timeout: 20_000 })).status);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The Service address, or without a proxy the endpoint itself, as the node's own kubelet would ask. */
function apiAnswers(cluster: Cluster, node: NodePlan, hasProxy: boolean): Check {
  const server = serverFor(cluster, hasProxy);
  return {
    what: `${server} answers on ${node.name}`,
    look: async () => {
      const kubeconfig = '/etc/kubernetes/kubelet.conf';
      const { status, stderr } = await onNode(
        cluster,
        node.name,
        [
          'kubectl',
          '--kubeconfig',
          kubeconfig,
          '--server',
          server,
          '--request-timeout',
          '3s',
          'get',
          '--raw',
          '/readyz',
        ],
        { timeout: 20_000 },
      );
      return status === 0 ? undefined : stderr.trim();
    },
  };
}

function serverFor({ plan }: Cluster, hasProxy: boolean): string {
  return `https://${hasProxy ? hostAndPort(plan.service, 443) : plan.endpoint}`;
}

function podReachesApi(cluster: Cluster, node: NodePlan, hasProxy: boolean): Check {
  return {
    what: `a Pod on ${node.name} reaches ${serverFor(cluster, hasProxy)}`,
    look: () =>
      lookAt(cluster, ['--namespace', NAMESPACE, 'pod', `bench-visitor-${node.name}`], (status) =>
        status?.phase === 'Succeeded' ? undefined : `the Pod is ${status?.phase ?? 'not known'}`,
      ),
  };
}

async function sendVisitors(
  cluster: Cluster,
  workers: readonly NodePlan[],
  hasProxy: boolean,
  deadline: number,
  signal?: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      // One of an earlier check has its answer already.
      await callBackVisitors(cluster);
      await kubectlApply(
        cluster,
        workers.map((node) => visitor(cluster, node, hasProxy)),
      );
      return;
    } catch (error) {
      // A new cluster has its default service account a moment later, and no Pod can be made before.
      signal?.throwIfAborted();
      if (Date.now() > deadline) throw error;
      await sleep(500);
    }
  }
}

async function callBackVisitors(cluster: Cluster): Promise<void> {
  await kubectl(cluster, ['--namespace', NAMESPACE, 'delete', 'pods', '--selector', 'bench=visitor', '--now'], {
    timeout: 30_000,
  });
}

/** A Pod whose kubectl asks the API with its service account, until it is answered. */
function visitor(cluster: Cluster, node: NodePlan, hasProxy: boolean): object {
  const account = '/var/run/secrets/kubernetes.io/serviceaccount';
  const kubeconfig = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [
      { name: 'c', cluster: { server: serverFor(cluster, hasProxy), 'certificate-authority': `${account}/ca.crt` } },
    ],
    users: [{ name: 'u', user: { tokenFile: `${account}/token` } }],
  });
  const ask = '/opt/kubernetes/bin/kubectl --kubeconfig /tmp/config --request-timeout 3s get --raw /readyz';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `bench-visitor-${node.name}`, namespace: NAMESPACE, labels: { bench: 'visitor' } },
    spec: {
      nodeName: node.name,
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      tolerations: [{ operator: 'Exists' }],
      containers: [
        {
          name: 'visitor',
          image: BUSYBOX,
          command: ['sh', '-c', `echo '${kubeconfig}' > /tmp/config; until ${ask}; do sleep 0.5; done`],
          volumeMounts: [{ name: 'programs', mountPath: '/opt/kubernetes/bin', readOnly: true }],
        },
      ],
      volumes: [{ name: 'programs', hostPath: { path: '/opt/kubernetes/bin', type: 'Directory' } }],
    },
  };
}
