import type { ProblemList } from '../../core/problem.ts';
import { quote } from '../../format/shell.ts';
import { isGpuOn } from './gpu.ts';
import type { NodeBootstrapVariables } from './node-bootstrap-variables.ts';
import type { Overrides } from './options.ts';
import type { Profile } from './profiles.ts';
import type { WellFormedOptions } from './read.ts';

/**
 * Settings that only work together. A setting without its switch is ignored by the node scripts, and a switch
 * without its settings breaks them, so an override brings its companions with it or is refused.
 */
interface Switch {
  readonly field: keyof Overrides;
  readonly members: readonly (keyof Overrides)[];
  /** Whether the node scripts need every member, or any one of them. */
  readonly needs: 'all' | 'any';
}

const SWITCHES: readonly Switch[] = [
  { field: 'shouldConfigureHTTPProxy', members: ['httpProxyURLs', 'httpsProxyURLs'], needs: 'any' },
  { field: 'shouldConfigureHTTPProxyCA', members: ['httpProxyTrustedCA'], needs: 'any' },
  { field: 'shouldConfigureCustomCATrust', members: ['customCATrustConfigCerts'], needs: 'any' },
  { field: 'shouldConfigSwapFile', members: ['swapFileSizeMB'], needs: 'any' },
  { field: 'shouldConfigTransparentHugePage', members: ['thpEnabled', 'thpDefrag'], needs: 'any' },
  { field: 'migNode', members: ['gpuInstanceProfile'], needs: 'any' },
  { field: 'kubeletConfigFileEnabled', members: ['kubeletConfigFileContent'], needs: 'any' },
  {
    field: 'hasCustomSearchDomain',
    members: ['customSearchDomainName', 'customSearchRealmUser', 'customSearchRealmPassword'],
    needs: 'all',
  },
];

type Values = Readonly<Partial<Record<keyof Overrides, unknown>>>;

/** The overrides, with the switches that they need and do not name. */
export function overriddenVariables(overrides: Values): Partial<NodeBootstrapVariables> {
  const variables: Record<string, unknown> = { ...overrides };
  for (const { field, members } of SWITCHES) {
    if (overrides[field] === undefined && members.some((member) => isSet(overrides[member]))) variables[field] = true;
  }
  if (overrides.targetCloud !== undefined) variables['targetEnvironment'] ??= overrides.targetCloud;
  return variables;
}

/** Resource manager endpoints of the clouds outside the public one, for registry logins. */
const RESOURCE_MANAGERS: ReadonlyMap<unknown, string> = new Map([
  ['AzureChinaCloud', 'https://management.chinacloudapi.cn/'],
  ['AzureUSGovernmentCloud', 'https://management.usgovcloudapi.net/'],
]);

/**
 * Variables outside the profile that the overrides need: the proxy for the running scripts themselves, which
 * only see the URL variables in /etc/environment, and the resource manager of another cloud.
 */
export function broughtExtraVariables(overrides: Values): ReadonlyMap<string, string> {
  const extra = new Map<string, string>();
  const endpoint = RESOURCE_MANAGERS.get(overrides.targetCloud);
  if (endpoint !== undefined) extra.set('ARM_RESOURCE_ENDPOINT', endpoint);
  if (isSet(overrides.httpProxyURLs) || isSet(overrides.httpsProxyURLs)) extra.set('PROXY_VARS', proxyVars(overrides));
  return extra;
}

// The node scripts run `eval $PROXY_VARS`, so that each value is read by a shell once more.
function proxyVars({ httpProxyURLs, httpsProxyURLs, noProxyURLs }: Values): string {
  const exports: [string, unknown][] = [
    ['http_proxy', httpProxyURLs],
    ['HTTPS_PROXY', httpsProxyURLs],
    ['NO_PROXY', noProxyURLs],
  ];
  return exports
    .filter((entry): entry is [string, string] => isSet(entry[1]))
    .map(([name, value]) => `export ${name}=${quote(value)};`)
    .join(' ');
}

/** Reports overrides whose companions are missing or contradict them. */
export function checkCompanions(options: WellFormedOptions, profile: Profile, problems: ProblemList): void {
  const overrides: Values = options.overrides ?? {};
  for (const rule of SWITCHES) checkSwitch(rule, overrides, problems);
  checkProxy(overrides, problems);
  checkSwap(options, overrides, problems);
  checkGpuCompanions(options, profile, overrides, problems);
  checkCloud(overrides, profile, problems);
  checkServicePrincipal(overrides, problems);
  checkRest(overrides, problems);
}

function checkSwitch({ field, members, needs }: Switch, overrides: Values, problems: ProblemList): void {
  const set = members.filter((member) => isSet(overrides[member]));
  const explicit = overrides[field];
  if (explicit === false && set.length > 0) {
    problems.refuse(
      'COMPANION_CONFLICT',
      at(field),
      `The switch is off, so that ${list(set)} ${set.length > 1 ? 'have' : 'has'} no effect.`,
      'Remove the line: the switch is brought along.',
    );
  }
  if (explicit === true && set.length === 0) {
    problems.refuse(
      'COMPANION_MISSING',
      at(field),
      `The switch is on and ${list(members)} ${members.length > 1 ? 'are' : 'is'} not there.`,
      `Set ${needs === 'all' ? 'all of them' : list(members, 'or')}, or remove the line.`,
    );
  }
  if (needs === 'all' && set.length > 0) {
    for (const member of members) {
      if (!isSet(overrides[member]))
        problems.refuse(
          'COMPANION_MISSING',
          at(member),
          `The node scripts need it together with ${list(set)}.`,
          `Set ${list(members)}, or none of them.`,
        );
    }
  }
}

function checkProxy(overrides: Values, problems: ProblemList): void {
  if (isSet(overrides.httpProxyURLs) || isSet(overrides.httpsProxyURLs)) return;
  for (const field of ['noProxyURLs', 'httpProxyTrustedCA'] as const) {
    if (isSet(overrides[field])) {
      problems.refuse(
        'COMPANION_MISSING',
        at(field),
        'The node scripts read it with a proxy only.',
        'Set `httpProxyURLs` or `httpsProxyURLs`, or remove the line.',
      );
    }
  }
}

function checkSwap(options: WellFormedOptions, overrides: Values, problems: ProblemList): void {
  if (isSet(overrides.swapFileSizeMB) && options.kubeletConfig?.failSwapOn === true) {
    problems.refuse(
      'COMPANION_CONFLICT',
      at('swapFileSizeMB'),
      'The node gets swap and `kubeletConfig.failSwapOn` is true, with which the kubelet refuses to start.',
      'Remove `failSwapOn`: swap brings --fail-swap-on=false along.',
    );
  }
}

function checkGpuCompanions(
  options: WellFormedOptions,
  profile: Profile,
  overrides: Values,
  problems: ProblemList,
): void {
  if (isGpuOn(options, profile)) return;
  for (const field of ['gpuNeedsFabricManager', 'migNode', 'gpuInstanceProfile'] as const) {
    if (isSet(overrides[field]) && overrides[field] !== false) {
      problems.refuse(
        'COMPANION_MISSING',
        at(field),
        'GPU set-up is off, so that the node scripts do not look at it.',
        'Turn GPU set-up on, or remove the line.',
      );
    }
  }
}

function checkCloud(overrides: Values, profile: Profile, problems: ProblemList): void {
  const { targetCloud: cloud = 'AzurePublicCloud', targetEnvironment: environment } = overrides;
  if (environment !== undefined && environment !== cloud) {
    problems.refuse(
      'COMPANION_CONFLICT',
      at('targetEnvironment'),
      'Cloud and environment are the same outside custom clouds.',
      'Set `targetCloud` alone.',
    );
  }
  // What stands in for Microsoft's registry in China changed over time, and a guess gives a node without images.
  if (cloud !== 'AzureChinaCloud') return;
  const needed: (keyof Overrides)[] = [
    'outboundCommand',
    ...(profile.gpuSwitch ? (['mcrRepositoryBase'] as const) : []),
  ];
  for (const field of needed) {
    if (overrides[field] === undefined) {
      problems.refuse(
        'COMPANION_MISSING',
        at(field),
        'AzureChinaCloud cannot reach mcr.microsoft.com, which is the default.',
        'Name the registry that your nodes can reach.',
      );
    }
  }
}

/** What stands in the place of a password when there is a managed identity: base64 of `msi`. */
const MANAGED_IDENTITY_CONTENT = 'bXNp';

function checkServicePrincipal(overrides: Values, problems: ProblemList): void {
  const {
    servicePrincipalClientID: id,
    servicePrincipalFileContent: content,
    useManagedIdentityExtension: managed,
  } = overrides;
  const given = {
    servicePrincipalClientID: id !== undefined && id !== 'msi',
    servicePrincipalFileContent: content !== undefined && content !== MANAGED_IDENTITY_CONTENT,
    useManagedIdentityExtension: managed === false,
  };
  const fields = Object.keys(given) as (keyof typeof given)[];
  if (fields.every((field) => given[field]) || !fields.some((field) => given[field])) return;
  for (const field of fields) {
    if (!given[field])
      problems.refuse(
        'COMPANION_MISSING',
        at(field),
        'A service principal needs its client ID, its password and `useManagedIdentityExtension: false`.',
        'Set all three, or none for the managed identity.',
      );
  }
}

function checkRest(overrides: Values, problems: ProblemList): void {
  for (const field of ['kubeletClientContent', 'kubeletClientCertContent'] as const) {
    if (isSet(overrides[field])) {
      problems.refuse(
        'COMPANION_CONFLICT',
        at(field),
        'The node scripts read it only without a bootstrap token, which every node here has.',
        'Remove the line.',
      );
    }
  }
  if (overrides.insertIMDSRestrictionRuleToMangleTable === true && overrides.enableIMDSRestriction !== true) {
    problems.refuse(
      'COMPANION_MISSING',
      at('insertIMDSRestrictionRuleToMangleTable'),
      'There is no rule to place while `enableIMDSRestriction` is not true.',
      'Set `enableIMDSRestriction: true` as well.',
    );
  }
}

function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== '' && value !== 0;
}

function at(field: string): string {
  return `/overrides/${field}`;
}

function list(fields: readonly string[], word: 'and' | 'or' = 'and'): string {
  const names = fields.map((field) => `\`${field}\``);
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} ${word} ${last}`;
}
