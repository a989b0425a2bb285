import type { ProblemList } from '../../core/problem.ts';
import { quoted } from '../../core/redact.ts';
import { hostNameFault, isUuid, jsonStringFault, resourceGroupFault } from './names.ts';
import { ARCHITECTURES } from './profiles.ts';
import type { WellFormedOptions } from './read.ts';

const TOKEN = /^[a-z0-9]{6}\.[a-z0-9]{16}$/;

/** Reports what Azure, DNS or the API server would refuse of the values that describe the cluster. */
export function checkCluster(options: WellFormedOptions, problems: ProblemList): void {
  const { arch, location, resourceGroup, apiServerName, kubeletClientTLSBootstrapToken: token } = options;
  if (arch !== undefined && !ARCHITECTURES.includes(arch)) {
    problems.refuse(
      'ARCH_UNSUPPORTED',
      '/arch',
      `There is no node image for ${quoted(arch)}.`,
      `Write ${ARCHITECTURES.join(' or ')}.`,
    );
  }
  checkGuid('tenantId', options.tenantId, problems);
  checkGuid('subscriptionId', options.subscriptionId, problems);
  checkIdentity('userAssignedIdentityId', options.userAssignedIdentityId, problems);
  checkIdentity('kubeletIdentityClientId', options.kubeletIdentityClientId, problems);
  if (location !== undefined && !/^[a-z0-9]+$/.test(location)) {
    // A display name is the short form with blanks and capitals; of anything else nothing is repeated.
    const short = /^[A-Za-z0-9 ]+$/.test(location) ? location.toLowerCase().replaceAll(' ', '') : '';
    problems.refuse(
      'NAME_INVALID',
      '/location',
      `${quoted(location)} is no region in short form.`,
      short ? `Write ${quoted(short)}.` : 'Write the region as in "westus2".',
    );
  }
  const groupFault = resourceGroup === undefined ? undefined : resourceGroupFault(resourceGroup);
  if (groupFault) {
    problems.refuse(
      'NAME_INVALID',
      '/resourceGroup',
      `${quoted(resourceGroup!)} is no resource group: ${groupFault}.`,
      'Write 1 to 90 letters, digits, _ - . or parentheses, without a dot at the end.',
    );
  }
  const hostFault = apiServerName === undefined ? undefined : hostNameFault(apiServerName);
  if (hostFault) {
    problems.refuse(
      'NAME_INVALID',
      '/apiServerName',
      `${quoted(apiServerName!)} is no host name: ${hostFault}.`,
      hostHint(apiServerName!),
    );
  }
  if (token !== undefined && !TOKEN.test(token)) {
    problems.refuse(
      'TOKEN_INVALID',
      '/kubeletClientTLSBootstrapToken',
      `The bootstrap token (${token.length} characters, not shown) does not have the form of one.`,
      'Write six characters, a dot and sixteen characters, of a to z and 0 to 9: `kubeadm token create` prints one.',
    );
  }
}

// Azure knows GUIDs alone, but tests and other tools write other texts, which a node takes as well.
function checkGuid(field: 'tenantId' | 'subscriptionId', value: string | undefined, problems: ProblemList): void {
  if (value === undefined) return;
  const path = `/${field}`;
  const fault = jsonStringFault(value);
  if (fault)
    problems.refuse(
      'CHARACTER_UNSAFE',
      path,
      `${quoted(value)} holds a character that the node misreads: ${fault}.`,
      'Write the uuid alone.',
    );
  else if (!isUuid(value))
    problems.warn(
      'IDENTITY_INVALID',
      path,
      `${quoted(value)} is no uuid, which every ${field === 'tenantId' ? 'tenant' : 'subscription'} of Azure has.`,
      'Check the value, as `az account show` prints it.',
    );
}

function checkIdentity(
  field: 'userAssignedIdentityId' | 'kubeletIdentityClientId',
  value: string | undefined,
  problems: ProblemList,
): void {
  if (value === undefined || isUuid(value)) return;
  const hint = value.startsWith('/')
    ? "Write the identity's client ID, not its resource ID."
    : "Write the client ID of the kubelet's identity, a uuid.";
  problems.refuse(
    'IDENTITY_INVALID',
    `/${field}`,
    `${quoted(value)} is no uuid, and pulls from Azure Container Registry would fail with 401.`,
    hint,
  );
}

function hostHint(text: string): string {
  const bare = text
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/:\d+$/, '');
  return bare !== text && hostNameFault(bare) === undefined
    ? `Write ${quoted(bare)}.`
    : 'Write the name alone, without scheme and port.';
}
