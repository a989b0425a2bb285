import { posix } from 'node:path';
import type { EtcdAccess } from '../../cluster/host.ts';
import type { Pod } from '../../cluster/objects.ts';
import { flagValue } from '../../format/flags.ts';
import type { StrategyContext } from './context.ts';
import { PARKING } from './static-pods.ts';
import type { Step } from './steps.ts';
import { argvOf } from './waits.ts';

/** A snapshot of etcd from before the run, beside the manifests that are kept. */
export const SNAPSHOT = posix.join(PARKING, 'etcd-snapshot.db');

/** What has to be on the disk before anything stops: an image cannot be pulled by way of an API that is away. */
export function prepareStep(context: StrategyContext, pods: readonly Pod[]): Step {
  const { host, hasSnapshot = false } = context;
  return {
    name: `${host.nodeName}/prepare`,
    title: hasSnapshot ? 'have all images on the disk, and a snapshot of etcd' : 'have all images on the disk',
    about: {
      proves: hasSnapshot ? 'the images are there, and the snapshot is whole' : 'the images are there',
      back: 'remove the snapshot',
      seconds: hasSnapshot ? 5 : 1,
    },
    run: async () => {
      const present = new Set(await host.images());
      for (const image of imagesOf(pods)) if (!present.has(image)) await host.pullImage(image);
      if (hasSnapshot) await host.saveEtcd(etcdAccess(context), SNAPSHOT);
    },
    undo: () => forgetSnapshot(context),
    // Until there is an API again the snapshot stays: it may be what is left.
    finish: () => forgetSnapshot(context),
  };
}

export async function forgetSnapshot({ host }: StrategyContext): Promise<void> {
  await host.files.remove(SNAPSHOT);
}

/** Images of all containers, sorted. */
export function imagesOf(pods: readonly Pod[]): readonly string[] {
  const containers = pods.flatMap(({ spec }) => [...spec.containers, ...(spec.initContainers ?? [])]);
  return [...new Set(containers.flatMap(({ image }) => image ?? []))].toSorted();
}

/** How the API server of the node gets to etcd. */
export function etcdAccess({ manifests }: Pick<StrategyContext, 'manifests'>): EtcdAccess {
  const argv = argvOf(manifests['kube-apiserver'].pod, 'kube-apiserver');
  const [caFile, certFile, keyFile] = ['etcd-cafile', 'etcd-certfile', 'etcd-keyfile'].map((flag) =>
    flagValue(argv, flag),
  );
  return {
    endpoints: (flagValue(argv, 'etcd-servers') ?? '').split(',').filter((url) => url !== ''),
    ...(caFile !== undefined && { caFile }),
    ...(certFile !== undefined && { certFile }),
    ...(keyFile !== undefined && { keyFile }),
  };
}
