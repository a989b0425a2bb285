import { parseDocuments } from '../../format/documents.ts';
import { flagValue } from '../../format/flags.ts';
import { isMapping } from '../../core/mapping.ts';
import type { AnyObject } from '../api.ts';
import type { Endpoint } from '../host.ts';
import type { Container } from '../objects.ts';
import { MANIFESTS_DIRECTORY } from './kubelet/manifests.ts';
import { cpuRequestOf } from './api/defaults.ts';
import { createMachine, type Machine } from './machine.ts';
import { stockManifests } from './stock.ts';

export interface SetupSettings {
  readonly controlPlanes: number;
  readonly workers: number;
  readonly manifests: Readonly<Record<string, string>> | undefined;
}

export interface Setup {
  readonly machines: readonly Machine[];
  /** Port of every API server. */
  readonly port: number;
  readonly service: Endpoint;
}

const CONTROL_PLANE_ROLE = 'node-role.kubernetes.io/control-plane';
const DEFAULT_ADDRESS = '10.0.0.11';
/** Where machines get their addresses, unless the manifests are from there and name another one. */
const NETWORKS = ['10.0.0', '10.254.0'] as const;
/** Thousandths of a processor that each machine has for Pods, and more where the manifests ask for more. */
const CPU = 4000;

/** Machines with their disks, as the manifests of the first one want them. */
export function setUp({ controlPlanes, workers, manifests }: SetupSettings): Setup {
  const argv = manifests === undefined ? [] : serverArguments(Object.values(manifests));
  const address = flagValue(argv, 'advertise-address') ?? DEFAULT_ADDRESS;
  const files = manifests ?? stockManifests({ address });
  const network = address.startsWith(`${NETWORKS[0]}.`) && address !== DEFAULT_ADDRESS ? NETWORKS[1] : NETWORKS[0];
  const images = imagesOf(Object.values(files));
  const asked = Object.values(files).flatMap(containersIn);
  const cpu = Math.max(CPU, 2 * cpuRequestOf({ containers: asked }));
  const machine = (name: string, place: string, isControlPlane: boolean): Machine =>
    createMachine({ name, address: place, isControlPlane, cpu, images: isControlPlane ? images : [] });

  const planes = Array.from({ length: controlPlanes }, (_, index) => {
    const own = index === 0 ? address : `${network}.${11 + index}`;
    const plane = machine(`cp${index + 1}`, own, true);
    for (const [name, text] of Object.entries(files))
      plane.disk.write(`${MANIFESTS_DIRECTORY}/${name}`, text.replaceAll(address, own));
    return plane;
  });
  const others = Array.from({ length: workers }, (_, index) =>
    machine(`w${index + 1}`, `${network}.${21 + index}`, false),
  );
  return {
    machines: [...planes, ...others],
    port: Number(flagValue(argv, 'secure-port') ?? 6443),
    service: { address: firstAddress(flagValue(argv, 'service-cluster-ip-range')), port: 443 },
  };
}

/** What is in etcd of a cluster that nobody has used yet. */
export function initialObjects({ machines, service, port }: Setup): readonly AnyObject[] {
  const nodes = machines.map(({ name, address, isControlPlane }): AnyObject => {
    const labels = {
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      ...(isControlPlane && { [CONTROL_PLANE_ROLE]: '' }),
    };
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels },
      spec: isControlPlane ? { taints: [{ key: CONTROL_PLANE_ROLE, effect: 'NoSchedule' }] } : {},
      status: { addresses: [{ type: 'InternalIP', address }], conditions: [{ type: 'Ready', status: 'True' }] },
    };
  });
  const namespaces = ['default', 'kube-system'].map((name): AnyObject => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  }));
  return [
    ...namespaces,
    ...nodes,
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kubernetes', namespace: 'default' },
      spec: {
        type: 'ClusterIP',
        clusterIP: service.address,
        ports: [{ name: 'https', port: service.port, targetPort: port, protocol: 'TCP' } as never],
      },
    },
  ];
}

function serverArguments(texts: readonly string[]): readonly string[] {
  const server = texts.flatMap(containersIn).find(({ name }) => name === 'kube-apiserver');
  return [...(server?.command ?? []), ...(server?.args ?? [])];
}

function imagesOf(texts: readonly string[]): readonly string[] {
  return texts.flatMap(containersIn).flatMap(({ image }) => (image === undefined ? [] : [image]));
}

function containersIn(text: string): readonly Container[] {
  const value = parseDocuments(text)[0]?.value;
  const spec = isMapping(value) ? value['spec'] : undefined;
  const containers = isMapping(spec) ? spec['containers'] : undefined;
  return Array.isArray(containers)
    ? containers.filter(isMapping).map((container) => container as unknown as Container)
    : [];
}

/** The first address of a range, which the Service of the API has. */
function firstAddress(range: string | undefined): string {
  const [, network, last] = /^(\d+\.\d+\.\d+)\.(\d+)\//.exec(range ?? '10.96.0.0/12') ?? [];
  if (network !== undefined) return `${network}.${Number(last) + 1}`;
  const [start = ''] = (range ?? '').split('/');
  return `${start}1`;
}
