import { parseDocuments } from '../../format/documents.ts';
import { flagValue } from '../../format/flags.ts';
import { UsageError } from '../../core/errors.ts';
import { isMapping } from '../../core/mapping.ts';
import type { AnyObject } from '../api.ts';
import type { Endpoint } from '../host.ts';
import type { Container } from '../objects.ts';
import { MANIFESTS_DIRECTORY } from './kubelet/manifests.ts';
import { cpuRequestOf } from './api/defaults.ts';
import { kubeadmConfig, type KubeadmComponent } from './kubeadm.ts';
import { createMachine, ownLabelsOf, type Machine } from './machine.ts';
import { stockManifests } from './stock.ts';
import { versionOf } from './version.ts';

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
  /** Where a load balancer may stand. */
  readonly balancer: Endpoint;
  /** Of Kubernetes, as the image of the API server has it. */
  readonly version: string;
  /** Of the first control plane, by the name of their file. */
  readonly files: Readonly<Record<string, string>>;
}

const CONTROL_PLANE_ROLE = 'node-role.kubernetes.io/control-plane';
const DEFAULT_ADDRESS = '10.0.0.11';
/** Where machines get their addresses: the first of these that the manifests name no address of. */
const NETWORKS = ['10.0.0', '10.254.0', '10.253.0'] as const;
/** As many as there are addresses for. */
const MOST = { controlPlanes: 9, workers: 30 } as const;
/** Thousandths of a processor that each machine has for Pods, and more where the manifests ask for more. */
const CPU = 4000;

/** Machines with their disks, as the manifests of the first one want them. Throws `USAGE` for numbers that make no sense. */
export function setUp({ controlPlanes, workers, manifests }: SetupSettings): Setup {
  checkCount('controlPlanes', controlPlanes, 1, MOST.controlPlanes);
  checkCount('workers', workers, 0, MOST.workers);
  const argv = argumentsOf(componentOf(manifests ?? {}, 'kube-apiserver'));
  const address = flagValue(argv, 'advertise-address') ?? DEFAULT_ADDRESS;
  const port = Number(flagValue(argv, 'secure-port') ?? 6443);
  const service = { address: firstAddress(flagValue(argv, 'service-cluster-ip-range')), port: 443 };
  const files = manifests ?? stockManifests({ address });
  const taken = [address, service.address].filter((one) => one !== DEFAULT_ADDRESS);
  const network = NETWORKS.find((one) => !taken.some((other) => other.startsWith(`${one}.`)))!;
  const images = imagesOf(Object.values(files));
  const asked = Object.values(files).flatMap(containersIn);
  const cpu = Math.max(CPU, 2 * cpuRequestOf({ containers: asked }));
  const machine = (name: string, place: string, isControlPlane: boolean): Machine =>
    createMachine({ name, address: place, isControlPlane, cpu, images: isControlPlane ? images : [] });

  const planes = Array.from({ length: controlPlanes }, (_, index) => {
    const own = index === 0 ? address : `${network}.${11 + index}`;
    const plane = machine(`cp${index + 1}`, own, true);
    for (const [name, text] of Object.entries(files))
      plane.disk.write(`${MANIFESTS_DIRECTORY}/${name}`, withAddress(text, address, own));
    return plane;
  });
  const others = Array.from({ length: workers }, (_, index) =>
    machine(`w${index + 1}`, `${network}.${21 + index}`, false),
  );
  return {
    machines: [...planes, ...others],
    port,
    service,
    balancer: { address: `${network}.2`, port },
    version: versionOf(componentOf(files, 'kube-apiserver')?.image ?? ''),
    files,
  };
}

function checkCount(what: keyof typeof MOST, count: number, least: number, most: number): void {
  if (Number.isInteger(count) && count >= least && count <= most) return;
  throw new UsageError(
    `A simulated cluster cannot have ${count} ${what === 'workers' ? 'workers' : 'control planes'}.`,
    `Set ${what} to a whole number from ${least} to ${most}.`,
  );
}

/** A text with one address in the place of another one, which may be a part of longer ones that stay. */
function withAddress(text: string, address: string, own: string): string {
  const escaped = address.replaceAll('.', '\\.');
  const whole = address.includes(':')
    ? String.raw`(?<![\da-fA-F:.])${escaped}(?![\da-fA-F:])`
    : String.raw`(?<![\d.])${escaped}(?!\d|\.\d)`;
  return text.replaceAll(new RegExp(whole, 'g'), () => own);
}

/** What is in etcd of a cluster that nobody has used yet. */
export function initialObjects({ machines, service, port, balancer, version, files }: Setup): readonly AnyObject[] {
  const nodes = machines.map(({ name, address, isControlPlane }): AnyObject => {
    const labels = {
      ...ownLabelsOf(name),
      ...(isControlPlane && { [CONTROL_PLANE_ROLE]: '' }),
    };
    return {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels },
      spec: isControlPlane ? { taints: [{ key: CONTROL_PLANE_ROLE, effect: 'NoSchedule' }] } : {},
      status: {
        addresses: [{ type: 'InternalIP', address }],
        conditions: [{ type: 'Ready', status: 'True' }],
        // Without kubeProxyVersion: kubelets of today do not know it.
        nodeInfo: { kubeletVersion: version },
      },
    };
  });
  const namespaces = ['default', 'kube-system'].map((name): AnyObject => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  }));
  const hasBalancer = machines.filter(({ isControlPlane }) => isControlPlane).length > 1;
  return [
    ...namespaces,
    ...nodes,
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'kube-system' } },
    kubeadmConfig({
      version,
      imageRepository: repositoryOf(componentOf(files, 'kube-apiserver')?.image),
      ...(hasBalancer && { controlPlaneEndpoint: `${balancer.address}:${balancer.port}` }),
      argumentsOf: (component) => argumentsOf(componentOf(files, component)),
    }),
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

/** The container of a component in its own manifest. */
function componentOf(files: Setup['files'], component: KubeadmComponent): Container | undefined {
  return containersIn(files[`${component}.yaml`] ?? '').find(({ name }) => name === component);
}

function argumentsOf(container: Container | undefined): readonly string[] {
  return [...(container?.command ?? []), ...(container?.args ?? [])];
}

/** Where an image comes from: all of its name before the last slash. */
function repositoryOf(image = ''): string {
  const end = image.lastIndexOf('/');
  return end < 0 ? 'registry.k8s.io' : image.slice(0, end);
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
