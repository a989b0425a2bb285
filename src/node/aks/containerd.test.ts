import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { containerdConfig, containerdContent, KUBENET_TEMPLATE, sysctlContent } from './containerd.ts';

const CHOICES = [
  { gpu: false, bridge: false },
  { gpu: false, bridge: true },
  { gpu: true, bridge: false },
  { gpu: true, bridge: true },
];

function decode(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

describe.each(CHOICES)('the configuration of containerd with %j', (choice) => {
  const config = parse(decode(containerdContent(choice))) as Record<string, unknown>;
  const cri = (config['plugins'] as Record<string, Record<string, unknown>>)['io.containerd.grpc.v1.cri']!;
  const runtime = choice.gpu ? 'nvidia-container-runtime' : 'runc';

  test('is what another parser reads', () => {
    expect(config).toEqual(containerdConfig(choice));
  });

  test('has the systemd cgroup driver in the default runtime alone', () => {
    expect(cri['containerd']).toEqual({
      default_runtime_name: runtime,
      runtimes: {
        [runtime]: {
          runtime_type: 'io.containerd.runc.v2',
          options: { BinaryName: `/usr/bin/${runtime}`, SystemdCgroup: true },
        },
        untrusted: { runtime_type: 'io.containerd.runc.v2', options: { BinaryName: `/usr/bin/${runtime}` } },
      },
    });
  });

  test('names the template of the bridge only where there is one', () => {
    expect(JSON.stringify(cri).includes('/etc/containerd/kubenet_template.conf')).toBe(choice.bridge);
  });

  test('has version, metrics, registry and sandbox of AKS', () => {
    expect(config).toMatchObject({ version: 2, oom_score: 0, metrics: { address: '0.0.0.0:10257' } });
    expect(cri).toMatchObject({
      sandbox_image: 'mcr.microsoft.com/oss/kubernetes/pause:3.6',
      registry: { config_path: '/etc/containerd/certs.d', headers: { 'X-Meta-Source-Client': ['azure/aks'] } },
    });
  });
});

/** Fills in lists as Go's text/template does for the two loops of the template. */
function fill(template: string, values: Readonly<Record<string, readonly string[]>>): string {
  return template.replaceAll(
    /\{\{range \$(\w+), \$(\w+) := \.(\w+)\}\}\{\{if \$\1\}\}(.*?)\{\{end\}\}(.*?)\{\{end\}\}/g,
    (_, _index: string, item: string, list: string, between: string, body: string) =>
      values[list]!.map((value) => body.replaceAll(`{{$${item}}}`, value)).join(between),
  );
}

describe('the template of kubenet', () => {
  test('filled in by containerd is the network of one range and one route', () => {
    const filled = fill(KUBENET_TEMPLATE, { PodCIDRRanges: ['10.244.1.0/24'], Routes: ['0.0.0.0/0'] });
    expect(JSON.parse(filled)).toEqual({
      cniVersion: '0.3.1',
      name: 'kubenet',
      plugins: [
        {
          type: 'bridge',
          bridge: 'cbr0',
          mtu: 1500,
          addIf: 'eth0',
          isGateway: true,
          ipMasq: false,
          promiscMode: true,
          hairpinMode: false,
          ipam: { type: 'host-local', ranges: [[{ subnet: '10.244.1.0/24' }]], routes: [{ dst: '0.0.0.0/0' }] },
        },
        { type: 'portmap', capabilities: { portMappings: true }, externalSetMarkChain: 'KUBE-MARK-MASQ' },
      ],
    });
  });

  test('filled in with two of each has them separated by commas', () => {
    const filled = JSON.parse(
      fill(KUBENET_TEMPLATE, { PodCIDRRanges: ['10.0.0.0/24', 'fd00::/64'], Routes: ['0.0.0.0/0', '::/0'] }),
    ) as {
      plugins: { ipam: unknown }[];
    };
    expect(filled.plugins[0]!.ipam).toEqual({
      type: 'host-local',
      ranges: [[{ subnet: '10.0.0.0/24' }], [{ subnet: 'fd00::/64' }]],
      routes: [{ dst: '0.0.0.0/0' }, { dst: '::/0' }],
    });
  });
});

test('kernel settings are lines of sysctl.d', () => {
  const lines = decode(sysctlContent()).trimEnd().split('\n');
  expect(lines).toContain('net.ipv4.tcp_retries2=8');
  expect(lines.every((line) => /^[a-z0-9_.]+=\d+$/.test(line))).toBe(true);
});
