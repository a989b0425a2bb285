import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { load } from 'js-yaml';
import { isMapping } from '../../core/mapping.ts';
import { ClusterError } from '../api.ts';

const DIRECTORY = '/var/lib/kubelet';
/** Where runtimes listen that say nothing else. */
const SOCKETS = ['/run/containerd/containerd.sock', '/run/crio/crio.sock', '/run/cri-dockerd.sock'];

/** The name of this node, by what the kubelet calls itself to the API; the name of the machine where it does not say. */
export async function findNodeName(): Promise<string> {
  const text = await readIfThere(`${DIRECTORY}/pki/kubelet-client-current.pem`);
  return (text !== undefined && nodeNameIn(text)) || hostname().toLowerCase();
}

/** The node that a client certificate of a kubelet is for. */
export function nodeNameIn(pem: string): string | undefined {
  const block = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/.exec(pem)?.[0];
  if (block === undefined) return undefined;
  try {
    return /^CN=system:node:(\S+)$/m.exec(new X509Certificate(block).subject)?.[1];
  } catch {
    return undefined;
  }
}

/** The socket of the kubelet's container runtime. */
export async function findRuntimeSocket(): Promise<string> {
  const flags = await readIfThere(`${DIRECTORY}/kubeadm-flags.env`);
  const config = await readIfThere(`${DIRECTORY}/config.yaml`);
  const instance = await readIfThere(`${DIRECTORY}/instance-config.yaml`);
  const given = runtimeEndpointIn({ flags, configs: [instance, config] });
  for (const path of given === undefined ? SOCKETS : [given]) {
    try {
      await stat(path);
      return path;
    } catch {
      // The next one may be there.
    }
  }
  throw new ClusterError(
    'UNREACHABLE',
    `There is no container runtime at ${given ?? SOCKETS.join(', ')}. Name its socket with --cri-socket.`,
  );
}

/** What the kubelet was told, by its flags and its configuration, as a path. */
export function runtimeEndpointIn({
  flags = '',
  configs,
}: {
  readonly flags?: string | undefined;
  readonly configs: readonly (string | undefined)[];
}): string | undefined {
  const fromFlag = /--container-runtime-endpoint[= ](\S+?)"?(?:\s|$)/.exec(flags)?.[1];
  const fromConfigs = configs.map((text) => {
    const value = text === undefined ? undefined : valueOf(text);
    const endpoint = isMapping(value) ? value['containerRuntimeEndpoint'] : undefined;
    return typeof endpoint === 'string' && endpoint !== '' ? endpoint : undefined;
  });
  const endpoint = fromFlag ?? fromConfigs.find((one) => one !== undefined);
  return endpoint?.replace(/^unix:\/\//, '');
}

/** A kubelet that reads no file of a kind, or an empty one, has the defaults. */
function valueOf(text: string): unknown {
  try {
    return load(text);
  } catch {
    return undefined;
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
