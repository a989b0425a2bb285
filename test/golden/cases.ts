import { readFileSync } from 'node:fs';
import { parseDocuments } from '../../src/format/documents.ts';

export interface ScriptCase {
  readonly name: string;
  readonly bootstrapper: string;
  readonly lenient?: true;
  readonly options: Readonly<Record<string, unknown>>;
}

function optionsOf(profile: string, name: string): Readonly<Record<string, unknown>> {
  const lines = readFileSync(new URL(`aks/${profile}.jsonl`, import.meta.url), 'utf8').trim().split('\n');
  const found = lines.map((line) => JSON.parse(line) as { name: string; options: Record<string, unknown> }).find((one) => one.name === name);
  if (found === undefined) throw new Error(`no case is named ${name}`);
  return found.options;
}

const example = readFileSync(new URL('../../examples/aks-node.yaml', import.meta.url), 'utf8');
const today = optionsOf('v1.14', 'typical node pool');
const seed = optionsOf('v0.4.0', 'typical node pool');
const gpu = optionsOf('v1.14', 'gpu');

/** Nodes whose scripts are kept as golden files: one for each thing that changes the text. */
export const SCRIPT_CASES: readonly ScriptCase[] = [
  { name: 'example', bootstrapper: 'aks/v1.14', options: parseDocuments(example)[0]!.value as Record<string, unknown> },
  { name: 'typical', bootstrapper: 'aks/v1.14', options: today },
  ...['1.28.0', '1.29.5', '1.30.4', '1.31.1', '1.34.2', '1.35.5'].map((kubernetesVersion): ScriptCase => ({
    name: `kubernetes-${kubernetesVersion}`,
    bootstrapper: 'aks/v1.14',
    options: { ...today, kubernetesVersion },
  })),
  { name: 'gpu-arm64', bootstrapper: 'aks/v1.14', options: { ...gpu, arch: 'arm64' } },
  {
    name: 'everything-overridden',
    bootstrapper: 'aks/v1.14',
    options: {
      ...gpu,
      overrides: {
        customCATrustConfigCerts: ['Zmlyc3Q=', 'c2Vjb25k'],
        swapFileSizeMB: 2048,
        thpEnabled: 'madvise',
        gpuInstanceProfile: 'MIG3g',
        gpuNeedsFabricManager: true,
        httpProxyURLs: 'http://proxy.internal:3128',
        httpsProxyURLs: 'http://proxy.internal:3128',
        httpProxyTrustedCA: 'Y2E=',
        noProxyURLs: 'localhost,10.0.0.0/8',
        targetCloud: 'AzureUSGovernmentCloud',
        customSearchDomainName: 'corp.example',
        customSearchRealmUser: 'join',
        customSearchRealmPassword: "it's secret",
        messageOfTheDay: 'aGVsbG8=',
        disableSSH: true,
        cseTimeout: '20m',
      },
      extraVariables: { DISABLE_PUBKEY_AUTH: 'true' },
    },
  },
  { name: 'strict-additions', bootstrapper: 'aks/v1.14', options: { ...today, kubernetesVersion: '1.29.5', kubeletConfig: { maxPods: 30, cpuCFSQuotaPeriod: '50ms', failSwapOn: false } } },
  { name: 'seed-typical', bootstrapper: 'aks/v0.4.0', options: seed },
  { name: 'seed-kubenet', bootstrapper: 'aks/v0.4.0', options: { ...seed, networkPlugin: 'kubenet', resourceGroup: 'my(rg)' } },
  {
    name: 'lenient-hostile',
    bootstrapper: 'aks/v1.14',
    lenient: true,
    options: { ...today, resourceGroup: "a'b\"c $(touch /tmp/x) `id`\nEOF\n", labels: JSON.parse('{"a b": "$HOME", "__proto__": "x", "10": "\'"}') as unknown, location: '\\n%s é 😀' },
  },
];
