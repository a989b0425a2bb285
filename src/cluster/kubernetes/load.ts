import { redact } from '../../core/redact.ts';
import { ClusterError } from '../api.ts';

/** Name and version of the optional dependency. It is loaded when a cluster is first needed, and by nothing else. */
const CLIENT = '@kubernetes/client-node';
const INSTALL = `npm install ${CLIENT}@2.0.1`;

/**
 * The part of the client that is used: it reads kubeconfigs and knows every way to log in. Requests are made here,
 * since its typed calls drop the fields of an object that are newer than the client.
 */
export interface ClientModule {
  readonly KubeConfig: new () => KubeConfig;
}

export interface KubeConfigCluster {
  readonly server: string;
}

export interface KubeConfig {
  loadFromFile(path: string): void;
  setCurrentContext(name: string): void;
  getContextObject(name: string): unknown;
  getCurrentCluster(): KubeConfigCluster | null;
  getCurrentUser(): object | null;
  /** Puts one cluster and one user in the place of all that it has. */
  loadFromClusterAndUser(cluster: KubeConfigCluster & { readonly name: string }, user: object): void;
  /** Adds agent, headers and credentials to the options of a request. May run a program that fetches a token. */
  applyToHTTPSOptions(options: object): Promise<void>;
}

/** Loads the client. Throws `CLIENT_MISSING` with the command that installs it. */
export async function loadClient(
  load: () => Promise<unknown> = () => import('@kubernetes/client-node'),
): Promise<ClientModule> {
  try {
    // The one place where its types are taken on trust: the dependency is optional, and so are its declarations.
    return (await load()) as ClientModule;
  } catch (cause) {
    throw new ClusterError(
      'CLIENT_MISSING',
      `Talking to a cluster needs the package ${CLIENT}, which could not be loaded. Install it: ${INSTALL}`,
      { cause },
    );
  }
}

/**
 * Reads a kubeconfig and picks a context, its current one by default. What the YAML parser says is left out, since it
 * quotes lines, and lines hold tokens.
 */
export function loadKubeConfig({ KubeConfig }: ClientModule, path: string, context: string | undefined): KubeConfig {
  const kubeConfig = new KubeConfig();
  try {
    kubeConfig.loadFromFile(path);
  } catch (error) {
    const code = systemCode(error);
    throw new ClusterError(
      'KUBECONFIG_INVALID',
      code === undefined ? `${path} is not a kubeconfig.` : `The kubeconfig ${path} cannot be read (${code}).`,
    );
  }
  if (context !== undefined) {
    if (!kubeConfig.getContextObject(context))
      throw new ClusterError('KUBECONFIG_INVALID', `The kubeconfig ${path} has no context ${redact(context)}.`);
    kubeConfig.setCurrentContext(context);
  }
  if (!kubeConfig.getCurrentCluster())
    throw new ClusterError(
      'KUBECONFIG_INVALID',
      `The kubeconfig ${path} says of no cluster that it is the current one.`,
    );
  return kubeConfig;
}

/** What a kubeconfig is asked for in the place of what it says. */
export interface Aim {
  /** URL of the server. Default: that of its cluster. */
  readonly server?: string;
  /** A bearer token in the place of its user. */
  readonly token?: string;
}

/** The same way to a cluster with another server or another user. */
export function aimed({ KubeConfig }: ClientModule, kubeConfig: KubeConfig, { server, token }: Aim): KubeConfig {
  const cluster = kubeConfig.getCurrentCluster()!;
  const user = token === undefined ? kubeConfig.getCurrentUser() : { token };
  const other = new KubeConfig();
  other.loadFromClusterAndUser(
    { ...cluster, name: 'cluster', ...(server !== undefined && { server }) },
    { ...user, name: 'user' },
  );
  return other;
}

/** The code of an error of the operating system, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
