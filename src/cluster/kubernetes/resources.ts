import { ClusterError, type Kind, type ObjectOf } from '../api.ts';

/** How each kind is addressed. */
const RESOURCES: {
  readonly [K in Kind]: {
    readonly apiVersion: ObjectOf<K>['apiVersion'];
    readonly plural: string;
    readonly isNamespaced: boolean;
  };
} = {
  APIService: { apiVersion: 'apiregistration.k8s.io/v1', plural: 'apiservices', isNamespaced: false },
  ConfigMap: { apiVersion: 'v1', plural: 'configmaps', isNamespaced: true },
  DaemonSet: { apiVersion: 'apps/v1', plural: 'daemonsets', isNamespaced: true },
  EndpointSlice: { apiVersion: 'discovery.k8s.io/v1', plural: 'endpointslices', isNamespaced: true },
  Event: { apiVersion: 'v1', plural: 'events', isNamespaced: true },
  Lease: { apiVersion: 'coordination.k8s.io/v1', plural: 'leases', isNamespaced: true },
  MutatingWebhookConfiguration: {
    apiVersion: 'admissionregistration.k8s.io/v1',
    plural: 'mutatingwebhookconfigurations',
    isNamespaced: false,
  },
  Namespace: { apiVersion: 'v1', plural: 'namespaces', isNamespaced: false },
  Node: { apiVersion: 'v1', plural: 'nodes', isNamespaced: false },
  Pod: { apiVersion: 'v1', plural: 'pods', isNamespaced: true },
  ResourceQuota: { apiVersion: 'v1', plural: 'resourcequotas', isNamespaced: true },
  Secret: { apiVersion: 'v1', plural: 'secrets', isNamespaced: true },
  Service: { apiVersion: 'v1', plural: 'services', isNamespaced: true },
  ServiceAccount: { apiVersion: 'v1', plural: 'serviceaccounts', isNamespaced: true },
  ValidatingAdmissionPolicy: {
    apiVersion: 'admissionregistration.k8s.io/v1',
    plural: 'validatingadmissionpolicies',
    isNamespaced: false,
  },
  ValidatingAdmissionPolicyBinding: {
    apiVersion: 'admissionregistration.k8s.io/v1',
    plural: 'validatingadmissionpolicybindings',
    isNamespaced: false,
  },
  ValidatingWebhookConfiguration: {
    apiVersion: 'admissionregistration.k8s.io/v1',
    plural: 'validatingwebhookconfigurations',
    isNamespaced: false,
  },
};

/** Names of the resources of a group and version that are known here, sorted. */
export function resourcesOf(groupVersion: string): readonly string[] {
  return Object.values(RESOURCES)
    .filter(({ apiVersion }) => apiVersion === groupVersion)
    .map(({ plural }) => plural)
    .toSorted();
}

/** The path of one object. Throws `INVALID` for a name or a namespace that is missing, or would lead elsewhere. */
export function objectPath(kind: Kind, namespace: string | undefined, name: string | undefined): string {
  return `${namespacePath(kind, namespace)}/${segment(kind, 'name', name)}`;
}

/** The path under which new objects are created. Throws `INVALID` as {@link objectPath} does. */
export function namespacePath(kind: Kind, namespace: string | undefined): string {
  if (RESOURCES[kind].isNamespaced) segment(kind, 'namespace', namespace);
  return listPath(kind, namespace);
}

/** The path of all objects of a kind, in one namespace or in all of them. */
export function listPath(kind: Kind, namespace: string | undefined): string {
  const { apiVersion, plural, isNamespaced } = RESOURCES[kind];
  const root = rootOf(apiVersion);
  if (namespace === undefined) return `${root}/${plural}`;
  if (!isNamespaced) throw new ClusterError('INVALID', `A ${kind} is in no namespace.`);
  return `${root}/namespaces/${segment(kind, 'namespace', namespace)}/${plural}`;
}

/** The path of a group and version, such as `apps/v1`. Throws `INVALID` for what is none. */
export function groupVersionPath(groupVersion: string): string {
  if (!/^(?:[a-z\d](?:[a-z\d.-]*[a-z\d])?\/)?[a-z\d]+$/.test(groupVersion))
    throw new ClusterError('INVALID', 'A version of the API has the form GROUP/VERSION, or v1.');
  return rootOf(groupVersion);
}

function rootOf(apiVersion: string): string {
  return `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}`;
}

/** The object with its kind and version, which a list leaves out. */
export function ofKind<K extends Kind>(kind: K, object: object): ObjectOf<K> {
  return { ...object, apiVersion: RESOURCES[kind].apiVersion, kind } as object as ObjectOf<K>;
}

function segment(kind: Kind, what: 'name' | 'namespace', text: string | undefined): string {
  // An empty segment means every object of the kind, and URLs drop these two and what is before them: a deletion would
  // hit something else.
  if (!text || text === '.' || text === '..') throw new ClusterError('INVALID', `A ${kind} needs a ${what}.`);
  return encodeURIComponent(text);
}
