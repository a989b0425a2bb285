import { isIP } from 'node:net';
import { pointerTo } from '../../core/pointer.ts';
import type { ProblemCode, ProblemList } from '../../core/problem.ts';
import { quoted } from '../../core/redact.ts';
import { parseGoDuration } from '../../format/duration.ts';
import { parseQuantity } from '../../format/quantity.ts';
import type { KubeletFlags } from './flags.ts';
import { mergeFeatureGates, QUOTA_PERIOD_GATE } from './kubelet.ts';
import type { Profile } from './profiles.ts';
import type { Entries, WellFormedKubeletConfiguration } from './read.ts';
import { checkEviction } from './eviction.ts';

const PATH = '/kubeletConfig';

/**
 * Reports settings that the kubelet would refuse or misread, after merging with the base flags. Rules are
 * those of the kubelet's own validation; `base` are the flags of the version without the configuration.
 */
export function checkKubelet(
  config: WellFormedKubeletConfiguration,
  profile: Profile,
  base: KubeletFlags,
  lenient: boolean,
  problems: ProblemList,
): void {
  checkPods(config, profile, problems);
  checkReserved(config, 'kubeReserved', problems);
  checkReserved(config, 'systemReserved', problems);
  checkEviction(config, problems);
  checkImageCollection(config, base, problems);
  checkPolicies(config, problems);
  checkContainerLogs(config, problems);
  checkSysctls(config.allowedUnsafeSysctls ?? [], problems);
  checkClusterDns(config, problems);
  checkDroppedByGo(config, base, lenient, problems);
}

function refuse(
  problems: ProblemList,
  field: string,
  message: string,
  hint: string,
  code: ProblemCode = 'VALUE_INVALID',
): void {
  problems.refuse(code, `${PATH}/${field}`, message, hint);
}

function checkPods(config: WellFormedKubeletConfiguration, profile: Profile, problems: ProblemList): void {
  const { maxPods, podsPerCore } = config;
  if (maxPods === undefined) {
    if (profile.maxPodsAlways) {
      refuse(
        problems,
        'maxPods',
        `${profile.name} prints --max-pods=0 for a kubelet configuration without it, and the node takes no Pod.`,
        'Write the number of Pods, as in `maxPods: 110`.',
        'FIELD_MISSING',
      );
    }
  } else if (maxPods <= 0) {
    refuse(problems, 'maxPods', `With ${maxPods} the node takes no Pod.`, 'Write a number from 10 to 250.');
  } else if (maxPods < 10 || maxPods > 250) {
    problems.warn(
      'VALUE_UNUSUAL',
      `${PATH}/maxPods`,
      `AKS gives a node addresses for 10 to 250 Pods; got ${maxPods}.`,
      'Check that the subnet has an address for each Pod.',
    );
  }
  if (podsPerCore !== undefined && podsPerCore < 0) {
    refuse(problems, 'podsPerCore', `${podsPerCore} is negative.`, 'Write 0 for no limit, or a positive number.');
  }
}

const RESERVABLE = ['cpu', 'ephemeral-storage', 'memory', 'pid'];

function checkReserved(
  config: WellFormedKubeletConfiguration,
  field: 'kubeReserved' | 'systemReserved',
  problems: ProblemList,
): void {
  for (const [key, value] of config[field] ?? []) {
    if (!RESERVABLE.includes(key)) {
      problems.refuse(
        'VALUE_INVALID',
        pointerTo(`${PATH}/${field}`, key),
        `The kubelet cannot reserve ${quoted(key)}.`,
        `It knows ${RESERVABLE.join(', ')}.`,
      );
    }
    const quantity = parseQuantity(value);
    if (quantity === undefined || quantity.sign < 0) {
      problems.refuse(
        'VALUE_INVALID',
        pointerTo(`${PATH}/${field}`, key),
        `${quoted(value)} is no amount that can be reserved.`,
        'Write a quantity of Kubernetes, as in "100m" or "1Gi".',
      );
    }
  }
}

function checkImageCollection(config: WellFormedKubeletConfiguration, base: KubeletFlags, problems: ProblemList): void {
  const given = { high: config.imageGCHighThresholdPercent, low: config.imageGCLowThresholdPercent };
  if (given.high === undefined && given.low === undefined) return;
  for (const [field, value] of [
    ['imageGCHighThresholdPercent', given.high],
    ['imageGCLowThresholdPercent', given.low],
  ] as const) {
    if (value !== undefined && (value < 0 || value > 100))
      refuse(problems, field, `${value} is no percentage.`, 'Write a number from 0 to 100.');
  }
  const high = given.high ?? Number(base.get('--image-gc-high-threshold'));
  const low = given.low ?? Number(base.get('--image-gc-low-threshold'));
  if (low < high) return;
  const field = given.low === undefined ? 'imageGCHighThresholdPercent' : 'imageGCLowThresholdPercent';
  refuse(
    problems,
    field,
    `The low threshold (${low}${given.low === undefined ? ', the default' : ''}) is not below the high one (${high}${given.high === undefined ? ', the default' : ''}), and the kubelet refuses to start.`,
    'Set both, the low one smaller.',
  );
}

const CPU_POLICIES = ['', 'none', 'static'];
const TOPOLOGY_POLICIES = ['', 'none', 'best-effort', 'restricted', 'single-numa-node'];

function checkPolicies(config: WellFormedKubeletConfiguration, problems: ProblemList): void {
  const { cpuManagerPolicy: cpu = '', topologyManagerPolicy: topology = '' } = config;
  if (!CPU_POLICIES.includes(cpu)) {
    refuse(problems, 'cpuManagerPolicy', `${quoted(cpu)} is no CPU manager policy.`, 'Write none or static.');
  }
  if (!TOPOLOGY_POLICIES.includes(topology)) {
    refuse(
      problems,
      'topologyManagerPolicy',
      `${quoted(topology)} is no topology manager policy.`,
      `Write one of ${TOPOLOGY_POLICIES.filter(Boolean).join(', ')}.`,
    );
  }
  if (cpu === 'static' && !reservesCpu(config.kubeReserved) && !reservesCpu(config.systemReserved)) {
    refuse(
      problems,
      'cpuManagerPolicy',
      'The static policy needs a CPU reservation, and the kubelet refuses to start without one.',
      'Reserve CPU in `kubeReserved` or `systemReserved`, as in `cpu: "100m"`.',
      'COMPANION_MISSING',
    );
  }
}

function reservesCpu(reserved: Entries | undefined): boolean {
  return reserved?.some(([key, value]) => key === 'cpu' && parseQuantity(value)?.sign === 1) ?? false;
}

function checkContainerLogs(config: WellFormedKubeletConfiguration, problems: ProblemList): void {
  const { containerLogMaxSize: size = '', containerLogMaxFiles: files } = config;
  if (size !== '') {
    const quantity = parseQuantity(size);
    if (quantity === undefined || quantity.sign <= 0 || !quantity.isWhole) {
      refuse(
        problems,
        'containerLogMaxSize',
        `${quoted(size)} is no whole number of bytes.`,
        'Write a quantity of Kubernetes, as in "50Mi".',
      );
    }
  }
  if (files !== undefined && files < 2) {
    refuse(problems, 'containerLogMaxFiles', `The kubelet refuses to start with ${files}.`, 'Write 2 or more.');
  }
}

const SYSCTL_PATTERN = /^(?:[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?[./])*(?:[a-z0-9][-_a-z0-9]*)?[a-z0-9*]$/;
/** What the kernel keeps per namespace, so that one Pod cannot set it for another. */
const NAMESPACED_NAMES: ReadonlySet<string> = new Set([
  'kernel.msgmax',
  'kernel.msgmnb',
  'kernel.msgmni',
  'kernel.sem',
  'kernel.shm_rmid_forced',
  'kernel.shmall',
  'kernel.shmmax',
  'kernel.shmmni',
]);
const NAMESPACED_PREFIXES: ReadonlySet<string> = new Set(['kernel.msg', 'kernel.sem', 'kernel.shm']);

/** Whether the kubelet takes a name, or a pattern that ends with `*`, as one that is namespaced. */
function isNamespaced(pattern: string): boolean {
  // Slashes stand for dots where the first separator is one.
  const name = /^[^./]*\//.test(pattern)
    ? pattern.replaceAll(/[./]/g, (separator) => (separator === '/' ? '.' : '/'))
    : pattern;
  const prefix = name.endsWith('*') ? name.slice(0, -1) : undefined;
  if (/^(?:net|fs\.mqueue)\./.test(prefix ?? name)) return true;
  return prefix === undefined ? NAMESPACED_NAMES.has(name) : NAMESPACED_PREFIXES.has(prefix);
}

function checkSysctls(patterns: readonly string[], problems: ProblemList): void {
  for (const [index, pattern] of patterns.entries()) {
    const fault =
      pattern.length > 253 || !SYSCTL_PATTERN.test(pattern)
        ? 'is no name of a sysctl'
        : isNamespaced(pattern)
          ? undefined
          : 'is not known to be namespaced';
    if (fault) {
      problems.refuse(
        'VALUE_INVALID',
        `${PATH}/allowedUnsafeSysctls/${index}`,
        `${quoted(pattern)} ${fault}, and the kubelet refuses to start.`,
        'Write names under net., fs.mqueue., kernel.msg, kernel.shm or kernel.sem, with * at the end alone.',
      );
    }
  }
}

function checkClusterDns(config: WellFormedKubeletConfiguration, problems: ProblemList): void {
  const { clusterDNSServiceIP: address = '', clusterDNS } = config;
  if (address !== '' && isIP(address) === 0) {
    refuse(
      problems,
      'clusterDNSServiceIP',
      `${quoted(address)} is no IP address.`,
      'Write one address, as in "10.0.0.10" or "fd00::a".',
    );
  } else if (address.includes('%')) {
    refuse(
      problems,
      'clusterDNSServiceIP',
      `${quoted(address)} carries a zone, which names a network card of one machine.`,
      'Write the address alone.',
    );
  }
  if (clusterDNS !== undefined && clusterDNS.length > 0) {
    refuse(
      problems,
      'clusterDNS',
      'The profile drops it: Pods would ask 10.0.0.10 whatever stands here.',
      'Render with aks/v1.14, which takes `clusterDNSServiceIP`.',
      'FIELD_DROPPED',
    );
  }
}

const MILLISECOND = 1_000_000n;

function checkDroppedByGo(
  config: WellFormedKubeletConfiguration,
  base: KubeletFlags,
  lenient: boolean,
  problems: ProblemList,
): void {
  const { cpuCFSQuotaPeriod: period, failSwapOn } = config;
  if (period !== undefined) {
    const length = parseGoDuration(period) ?? 0n;
    if (length < MILLISECOND || length > 1000n * MILLISECOND) {
      refuse(
        problems,
        'cpuCFSQuotaPeriod',
        `${quoted(period)} is not within 1ms and 1s.`,
        'Write a duration as in "50ms".',
      );
    }
    const gates = mergeFeatureGates(base.get('--feature-gates'), QUOTA_PERIOD_GATE);
    if (lenient) warnDropped(problems, 'cpuCFSQuotaPeriod');
    else {
      problems.warn(
        'FLAG_ADDED',
        `${PATH}/cpuCFSQuotaPeriod`,
        `The Go package drops it; rendered as --cpu-cfs-quota-period with --feature-gates=${gates}.`,
        'The gate is alpha: try the kubelet version with it first.',
      );
    }
  }
  if (failSwapOn !== undefined) {
    if (lenient) warnDropped(problems, 'failSwapOn');
    else
      problems.warn(
        'FLAG_ADDED',
        `${PATH}/failSwapOn`,
        `The Go package drops it; rendered as --fail-swap-on=${failSwapOn}.`,
        'Nothing to do: nodes of the Go package differ in this flag.',
      );
  }
}

function warnDropped(problems: ProblemList, field: string): void {
  problems.warn(
    'FIELD_DROPPED',
    `${PATH}/${field}`,
    'The Go package drops it, and so does lenient.',
    'Render in strict mode to get the flag.',
  );
}
