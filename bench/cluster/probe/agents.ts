import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../bench.ts';
import { BenchError } from '../errors.ts';
import { kubectlApply } from '../kubectl.ts';
import { enterLan, enterNode, nodeProcess, runOnNode } from '../machines.ts';
import { importImages } from '../up.ts';
import { packAgent } from './image.ts';
import { AGENT_FILES } from './records.ts';
import { podFolder, type Vantage } from './vantages.ts';

/** An agent that runs somewhere. */
export interface Agent {
  /** Waits until it has written everything down, or ends it. Says whether it has. */
  end(): Promise<boolean>;
}

// From the word to stop: its watches catch up twice, and it may have to share the processors with a whole cluster.
const PATIENCE = 30_000;

/** Runs an agent in a machine's network, and again each time that the machine has been off. */
export function runAgentIn(cluster: Cluster, vantage: Vantage, bundle: string): Agent {
  const ending = new AbortController();
  let child: ChildProcess | undefined;
  const isDone = (): boolean => existsSync(join(vantage.folder, AGENT_FILES.done));
  const work = (async (): Promise<unknown> => {
    while (!ending.signal.aborted && !isDone()) {
      try {
        const isThere = vantage.node === undefined || (await nodeProcess(cluster, vantage.node.name)) !== undefined;
        if (isThere) {
          const run = await startAgent(cluster, vantage, bundle);
          child = run.child;
          await run.ended;
        }
      } catch (error) {
        // The machine went off in between.
        if (!(error instanceof BenchError)) return error;
      }
      await sleep(200, undefined, { signal: ending.signal }).catch(() => {});
    }
    return undefined;
  })();
  return {
    end: async () => {
      await waitFor(() => isDone() || isOff(cluster, vantage), PATIENCE);
      ending.abort();
      // Its standard input is what it lives by.
      child?.stdin?.end();
      child?.kill('SIGKILL');
      const error = await work;
      if (error !== undefined) throw error;
      return isDone();
    },
  };
}

async function startAgent(
  cluster: Cluster,
  vantage: Vantage,
  bundle: string,
): Promise<{ readonly child: ChildProcess; readonly ended: Promise<unknown> }> {
  const command = [process.execPath, bundle, vantage.folder, 'attached'];
  const [program, ...args] =
    vantage.node === undefined
      ? await enterLan(cluster, command)
      : await enterNode(cluster, vantage.node.name, command, { namespaces: ['net', 'pid'] });
  const log = await open(join(vantage.folder, 'agent.log'), 'a');
  try {
    // In a group of its own, so that Ctrl-C ends the measurement and not its agents.
    const child = spawn(program!, args, { stdio: ['pipe', log.fd, log.fd], detached: true });
    const ended = new Promise((resolve) => {
      child.once('close', resolve);
      child.once('error', resolve);
    });
    child.stdin?.on('error', () => {});
    return { child, ended };
  } finally {
    await log.close();
  }
}

/** Starts an agent in a Pod, from an image that its node is given. */
export async function startPod(cluster: Cluster, vantage: Vantage, namespace: string, bundle: string): Promise<Agent> {
  const { name, archive } = await packAgent(cluster, bundle);
  const node = vantage.node!;
  const there = await runOnNode(cluster, node.name, ['ctr', '--namespace', 'k8s.io', 'images', 'list', '--quiet']);
  if (!there.split('\n').includes(name)) await importImages(cluster, node, archive);
  await kubectlApply(cluster, [
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'probe', namespace },
      spec: {
        serviceAccountName: 'probe',
        nodeName: node.name,
        // Its end is the end of the measurement, but a crash is not.
        restartPolicy: 'OnFailure',
        terminationGracePeriodSeconds: 0,
        tolerations: [{ operator: 'Exists' }],
        containers: [
          {
            name: 'probe',
            image: name,
            command: ['/node', '/agent.mjs', '/probe'],
            volumeMounts: [{ name: 'folder', mountPath: '/probe' }],
          },
        ],
        volumes: [{ name: 'folder', hostPath: { path: podFolder(namespace), type: 'Directory' } }],
      },
    },
  ]);
  const isDone = (): boolean => existsSync(join(vantage.folder, AGENT_FILES.done));
  return {
    end: async () => {
      await waitFor(() => isDone() || isOff(cluster, vantage), PATIENCE);
      return isDone();
    },
  };
}

async function isOff(cluster: Cluster, { node }: Vantage): Promise<boolean> {
  return node !== undefined && (await nodeProcess(cluster, node.name)) === undefined;
}

async function waitFor(isThere: () => boolean | Promise<boolean>, timeout: number): Promise<void> {
  const deadline = Date.now() + timeout;
  while (!(await isThere()) && Date.now() < deadline) await sleep(100);
}
