import { compareCodeUnits } from '../../core/problem.ts';
import type { HostContainer } from '../host.ts';
import { message, openService, service, type Definitions, type Service } from './grpc.ts';

/** The part of version 1 of the container runtime interface that is used: numbers of fields are its own. */
export const DEFINITIONS: Definitions = {
  nested: {
    runtime: {
      nested: {
        v1: {
          nested: {
            ListContainersRequest: message({}),
            ListContainersResponse: message({ containers: ['Container[]', 1] }),
            Container: message({
              id: ['string', 1],
              metadata: ['ContainerMetadata', 3],
              state: ['ContainerState', 6],
              created_at: ['int64', 7],
              labels: ['string{}', 8],
            }),
            ContainerMetadata: message({ name: ['string', 1], attempt: ['uint32', 2] }),
            ContainerState: {
              values: { CONTAINER_CREATED: 0, CONTAINER_RUNNING: 1, CONTAINER_EXITED: 2, CONTAINER_UNKNOWN: 3 },
            },
            ContainerStatusRequest: message({ container_id: ['string', 1] }),
            ContainerStatusResponse: message({ status: ['ContainerStatus', 1] }),
            ContainerStatus: message({ exit_code: ['int32', 7] }),
            StopContainerRequest: message({ container_id: ['string', 1], timeout: ['int64', 2] }),
            StopContainerResponse: message({}),
            RuntimeService: service(['ListContainers', 'ContainerStatus', 'StopContainer']),
            ListImagesRequest: message({}),
            ListImagesResponse: message({ images: ['Image[]', 1] }),
            Image: message({ repo_tags: ['string[]', 2], repo_digests: ['string[]', 3] }),
            ImageSpec: message({ image: ['string', 1] }),
            PullImageRequest: message({ image: ['ImageSpec', 1] }),
            PullImageResponse: message({ image_ref: ['string', 1] }),
            ImageService: service(['ListImages', 'PullImage']),
          },
        },
      },
    },
  },
};

/** Milliseconds until a look is given up, and what a stop and a pull may take beyond their own time. */
const PATIENCE = 10_000;
const PULL_PATIENCE = 10 * 60_000;

/** Labels that the kubelet gives every container. */
const POD_NAME = 'io.kubernetes.pod.name';
const POD_NAMESPACE = 'io.kubernetes.pod.namespace';
const POD_UID = 'io.kubernetes.pod.uid';

interface Container {
  readonly id: string;
  readonly metadata: { readonly name: string; readonly attempt: number } | null;
  readonly state: 'CONTAINER_CREATED' | 'CONTAINER_RUNNING' | 'CONTAINER_EXITED' | 'CONTAINER_UNKNOWN';
  readonly created_at: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** A container runtime. */
export interface Runtime {
  containers(): Promise<readonly HostContainer[]>;
  stop(id: string, graceSeconds: number): Promise<void>;
  images(): Promise<readonly string[]>;
  pull(name: string): Promise<void>;
  close(): void;
}

/** The container runtime behind a socket, such as `/run/containerd/containerd.sock`. It is connected to when first asked. */
export function createRuntime(socket: string): Runtime {
  const target = `unix:${socket}`;
  const opened = new Map<string, Promise<Service>>();
  const serviceOf = (name: string): Promise<Service> => {
    const known = opened.get(name) ?? openService(target, DEFINITIONS, `runtime.v1.${name}`);
    opened.set(name, known);
    return known;
  };
  const ask = async (name: string, method: string, request: object, timeout = PATIENCE): Promise<unknown> =>
    (await serviceOf(name)).call(method, request, timeout);

  async function exitCodeOf(id: string): Promise<number | undefined> {
    try {
      const { status } = (await ask('RuntimeService', 'ContainerStatus', { container_id: id })) as {
        readonly status: { readonly exit_code: number } | null;
      };
      return status?.exit_code;
    } catch {
      // The kubelet removes containers that have ended, at any moment.
      return undefined;
    }
  }

  async function containers(): Promise<readonly HostContainer[]> {
    const { containers: all } = (await ask('RuntimeService', 'ListContainers', {})) as {
      readonly containers: readonly Container[];
    };
    const known = all
      .filter(({ labels, metadata, state }) => metadata !== null && labels[POD_UID] !== undefined && isTold(state))
      .toSorted((a, b) => a.created_at - b.created_at || compareCodeUnits(a.id, b.id));
    return Promise.all(
      known.map(async ({ id, metadata, state, labels }): Promise<HostContainer> => {
        const exitCode = state === 'CONTAINER_EXITED' ? await exitCodeOf(id) : undefined;
        return {
          id,
          name: metadata!.name,
          podName: labels[POD_NAME] ?? '',
          podNamespace: labels[POD_NAMESPACE] ?? '',
          podUid: labels[POD_UID] ?? '',
          state: state === 'CONTAINER_RUNNING' ? 'running' : 'exited',
          ...(exitCode !== undefined && { exitCode }),
          attempt: metadata!.attempt,
        };
      }),
    );
  }

  return {
    containers,
    stop: async (id, graceSeconds) => {
      const timeout = graceSeconds * 1000 + PATIENCE;
      await ask('RuntimeService', 'StopContainer', { container_id: id, timeout: graceSeconds }, timeout);
    },
    images: async () => {
      const { images } = (await ask('ImageService', 'ListImages', {})) as {
        readonly images: readonly { readonly repo_tags: readonly string[]; readonly repo_digests: readonly string[] }[];
      };
      return images.flatMap(({ repo_tags: tags, repo_digests: digests }) => [...tags, ...digests]).toSorted();
    },
    pull: async (name) => void (await ask('ImageService', 'PullImage', { image: { image: name } }, PULL_PATIENCE)),
    close: () => {
      for (const one of opened.values()) void one.then((known) => known.close()).catch(() => {});
    },
  };
}

/** One that was created and not started neither runs nor has ended. */
function isTold(state: Container['state']): boolean {
  return state === 'CONTAINER_RUNNING' || state === 'CONTAINER_EXITED';
}
