import { once, oncePer } from '../../core/once.ts';
import { printToml, type TomlTable } from '../../format/toml.ts';
import { SANDBOX_IMAGE } from './profiles.ts';

/** What containerd's configuration depends on. */
export interface ContainerdChoice {
  /** NVIDIA's runtime instead of runc. */
  readonly gpu: boolean;
  /** A bridge whose CNI configuration containerd fills in from {@link KUBENET_TEMPLATE_PATH}. */
  readonly bridge: boolean;
}

export const KUBENET_TEMPLATE_PATH = '/etc/containerd/kubenet_template.conf';

/** containerd's configuration, schema version 2, with the CRI plugin's tables under their old name. */
export function containerdConfig({ gpu, bridge }: ContainerdChoice): TomlTable {
  const runtime = gpu ? 'nvidia-container-runtime' : 'runc';
  const binary = `/usr/bin/${runtime}`;
  const cri: TomlTable = {
    sandbox_image: SANDBOX_IMAGE,
    containerd: {
      default_runtime_name: runtime,
      runtimes: {
        [runtime]: { runtime_type: 'io.containerd.runc.v2', options: { BinaryName: binary, SystemdCgroup: true } },
        untrusted: { runtime_type: 'io.containerd.runc.v2', options: { BinaryName: binary } },
      },
    },
    ...(bridge && {
      cni: { bin_dir: '/opt/cni/bin', conf_dir: '/etc/cni/net.d', conf_template: KUBENET_TEMPLATE_PATH },
    }),
    registry: { config_path: '/etc/containerd/certs.d', headers: { 'X-Meta-Source-Client': ['azure/aks'] } },
  };
  return {
    version: 2,
    oom_score: 0,
    plugins: { 'io.containerd.grpc.v1.cri': cri },
    metrics: { address: '0.0.0.0:10257' },
  };
}

// The key has a bit for each choice.
const contentOf = oncePer((key: number) =>
  base64(printToml(containerdConfig({ gpu: (key & 2) > 0, bridge: (key & 1) > 0 }))),
);

/** {@link containerdConfig} as TOML in base64: the value of CONTAINERD_CONFIG_CONTENT. */
export function containerdContent({ gpu, bridge }: ContainerdChoice): string {
  return contentOf(Number(gpu) * 2 + Number(bridge));
}

/**
 * The CNI configuration of kubenet. It is sent as it is: containerd fills in the Pod ranges and routes of the
 * node, by the rules of Go's text/template.
 */
export const KUBENET_TEMPLATE = `{
  "cniVersion": "0.3.1",
  "name": "kubenet",
  "plugins": [
    {
      "type": "bridge",
      "bridge": "cbr0",
      "mtu": 1500,
      "addIf": "eth0",
      "isGateway": true,
      "ipMasq": false,
      "promiscMode": true,
      "hairpinMode": false,
      "ipam": {
        "type": "host-local",
        "ranges": [{{range $index, $cidr := .PodCIDRRanges}}{{if $index}}, {{end}}[{"subnet": "{{$cidr}}"}]{{end}}],
        "routes": [{{range $index, $route := .Routes}}{{if $index}}, {{end}}{"dst": "{{$route}}"}{{end}}]
      }
    },
    {
      "type": "portmap",
      "capabilities": {"portMappings": true},
      "externalSetMarkChain": "KUBE-MARK-MASQ"
    }
  ]
}
`;

/** {@link KUBENET_TEMPLATE} in base64: the value of KUBENET_TEMPLATE. */
export const kubenetContent = once(() => base64(KUBENET_TEMPLATE));

/** Kernel settings that AKS gives its nodes. */
const SYSCTLS: Readonly<Record<string, number>> = {
  'net.core.message_burst': 80,
  'net.core.message_cost': 40,
  'net.core.somaxconn': 16_384,
  'net.ipv4.neigh.default.gc_thresh1': 4096,
  'net.ipv4.neigh.default.gc_thresh2': 8192,
  'net.ipv4.neigh.default.gc_thresh3': 16_384,
  'net.ipv4.tcp_max_syn_backlog': 16_384,
  'net.ipv4.tcp_retries2': 8,
};

/** Those settings in base64: the value of SYSCTL_CONTENT, in the form of sysctl.d. */
export const sysctlContent = once(() =>
  base64(
    Object.entries(SYSCTLS)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  ),
);

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
