import { noAnswer } from '../api/requests.ts';
import type { Server } from '../network.ts';
import { ANY_ADDRESS, type Process } from '../process.ts';
import type { World } from '../world.ts';
import { textFlag } from './flags.ts';

export const ETCD_PORT = 2379;

/** A member of etcd. What it holds is the cluster's one store, which is there while most members are. */
export function etcd(process: Process, world: World): void {
  process.after(process.chance.draw(world.timings.etcdAnswers), () => {
    const server = onlyHealthy(process);
    const taken = [ETCD_PORT, ...metricsPorts(process)].find(
      (port) => !process.listen(server, ANY_ADDRESS, port, false),
    );
    if (taken === undefined) process.note('ready', ETCD_PORT);
    else process.end(1, `bind: address already in use (${taken})`);
  });
}

/** Ports of `--listen-metrics-urls`, on which kubeadm lets the kubelet ask. */
function metricsPorts(process: Process): readonly number[] {
  const urls = textFlag(process, 'listen-metrics-urls')?.split(',') ?? [];
  return urls.flatMap((url) => Number(/:(\d+)$/.exec(url)?.[1] ?? 0) || []);
}

/** A server that says that it is healthy, and nothing else. */
export function onlyHealthy(process: Process): Server {
  return {
    get isOpen() {
      return process.isAlive;
    },
    request: (request, _credentials, answer) => {
      if (!process.isAlive) answer(noAnswer('reset'));
      else
        answer(request.verb === 'health' ? { status: 200 } : { status: 404, code: 'NOT_FOUND', message: 'not found' });
    },
    watch: (_selection, _from, _credentials, sink) => {
      sink.end({ status: 404, code: 'NOT_FOUND', message: 'not found' });
      return () => {};
    },
  };
}
