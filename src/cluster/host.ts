import type { Cluster } from './api.ts';
import type { Files } from './files.ts';

/** The node that bootlace stands on, as far as it is needed: everything else of it stays out of reach. */
export interface Host {
  /** Name of its Node object. */
  readonly nodeName: string;
  /** What the node calls itself: the holder of a lease begins with it. Often, and not always, the name of its Node. */
  readonly hostName: string;
  readonly files: HostFiles;
  readonly redirect: Redirects;
  /** Every process that is a component of the control plane, in the order of their IDs. */
  processes(): Promise<readonly HostProcess[]>;
  /** Every TCP port that something listens on, in the order of port and process. */
  listeners(): Promise<readonly HostListener[]>;
  /** What the container runtime says: containers that run and those that ended, in the order in which they were made. */
  containers(): Promise<readonly HostContainer[]>;
  /** Ends a container: SIGTERM, and SIGKILL after that many seconds. The kubelet may start another one. */
  stopContainer(id: string, graceSeconds: number): Promise<void>;
  /**
   * Whether the firewall of the node lets in connections from other machines to a port; `isTranslated` asks for those that
   * a {@link Redirect} sends there, for which a firewall may have a rule of its own.
   */
  admits(port: number, isTranslated: boolean): Promise<'yes' | 'no' | 'unknown'>;
  /**
   * Addresses of the node by which others reach it, sorted, and each once: not those of the loopback, those of one link, and
   * those of Services that a proxy has put on an interface.
   */
  addresses(): Promise<readonly string[]>;
  /** The names of the images that are on the disk, sorted. */
  images(): Promise<readonly string[]>;
  pullImage(name: string): Promise<void>;
  /**
   * The API at one endpoint. `direct` looks past a {@link Redirect}, at what listens on the port itself, and may be asked
   * for endpoints of this node alone. With `token` the API is asked with that bearer token in the place of the
   * administrator's certificate; it is a secret, and no error quotes it.
   */
  connect(endpoint: Endpoint, options?: { readonly direct?: boolean; readonly token?: string }): Cluster;
  /** What the node has left and what goes on there, at this moment. */
  facts(): Promise<NodeFacts>;
  /** Every member that etcd has, in the order of their names. Throws where no endpoint answers. */
  etcdMembers(access: EtcdAccess): Promise<readonly EtcdMember[]>;
  /**
   * Writes a snapshot of all that etcd holds to a file of the node, and makes its directory. Ends when it would survive a
   * power cut. It holds every Secret of the cluster: only its owner may read it. Throws where etcd does not give it, and
   * leaves no part of a file behind.
   */
  saveEtcd(access: EtcdAccess, path: string): Promise<{ readonly bytes: number }>;
}

export interface NodeFacts {
  /** Milliseconds since 1970, on the node's own clock. */
  readonly now: number;
  /** What programs may have without that others are swapped out: `MemAvailable`. */
  readonly memoryAvailableBytes: number;
  /** Of the file system that holds /etc/kubernetes. */
  readonly diskFreeBytes: number;
  /** Ports that the system gives to outgoing connections, both ends included. */
  readonly ephemeralPorts: { readonly from: number; readonly to: number };
  /** Names of other tools that run now and change a control plane, such as `kubeadm`; sorted, and each once. */
  readonly programs: readonly string[];
  /** Of the control plane on this node, in the order of their paths. */
  readonly certificates: readonly NodeCertificate[];
}

export interface NodeCertificate {
  /** A PEM file, or a kubeconfig that holds the certificate of its user. */
  readonly path: string;
  /** Milliseconds since 1970. Where a file has several certificates, the first end of them. */
  readonly notAfter: number;
}

/** How the API server gets to etcd, as its flags `--etcd-servers` and so on say. */
export interface EtcdAccess {
  /** URLs. */
  readonly endpoints: readonly string[];
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

export interface EtcdMember {
  readonly name: string;
  /** Whether it answers. Where most of them do not, none takes a write. */
  readonly isHealthy: boolean;
}

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** Files of the node. Errors are those of Node, with a `code` such as `ENOENT` or `ENOSPC`. */
export interface HostFiles extends Files {
  /** Names of the files in a directory, sorted. */
  list(directory: string): Promise<readonly string[]>;
  /** Where a symbolic link leads; nothing for what is none, or is not there. */
  linkOf(path: string): Promise<string | undefined>;
  /**
   * Puts a whole file in the place of what was there: at no moment is there half of it, or a second file to be read. Ends
   * when it would survive a power cut. Only its owner may read it.
   */
  write(path: string, text: string): Promise<void>;
  /**
   * Gives a file another path, in one piece and without a copy: it works on a full disk. Makes the directory, and replaces
   * what is there.
   */
  move(from: string, to: string): Promise<void>;
}

export interface HostProcess {
  readonly pid: number;
  readonly argv: readonly string[];
  /** Milliseconds since 1970, on the node's own clock. */
  readonly startedAt: number;
  /** ID of its container; absent for processes that no container runtime started. */
  readonly container?: string;
}

export interface HostListener extends Endpoint {
  /** 0 where the system does not say whose port it is. */
  readonly pid: number;
}

export interface HostContainer {
  readonly id: string;
  /** Name of the container in its Pod. */
  readonly name: string;
  readonly podName: string;
  readonly podNamespace: string;
  readonly podUid: string;
  readonly state: 'running' | 'exited';
  /** Absent while it runs. */
  readonly exitCode?: number;
  /** How many containers of this name its Pod had before. */
  readonly attempt: number;
}

/**
 * Sends new connections that ask for one endpoint to another one of the node. A packet cannot go over to the other family of
 * addresses: an endpoint that is not of the family of `to` keeps its address and gets the port of `to`.
 */
export interface Redirect {
  /** Endpoints of this node and of Services, as clients ask for them; of the other family, of this node alone. */
  readonly from: readonly Endpoint[];
  readonly to: Endpoint;
}

export interface RedirectOptions {
  /**
   * After so many seconds it ends by itself unless it is set again: right while what it goes round serves as well. Default:
   * it stays until it is removed.
   */
  readonly seconds?: number;
  /**
   * It is back at each boot, before the kubelet is, for as long as this file is there: the manifest of what it leads to.
   * Default: a reboot ends it.
   */
  readonly atBootWith?: string;
}

/** The one redirect that bootlace has on a node. */
export interface Redirects {
  get(): Promise<Redirect | undefined>;
  /** Begins or replaces it at once, and what is to become of it at a reboot before that. */
  set(redirect: Redirect, options?: RedirectOptions): Promise<void>;
  /**
   * New connections go where they ask for, also after a boot; those that were redirected go on. It is no error when there is
   * none.
   */
  remove(): Promise<void>;
  /**
   * Takes away what {@link Redirects.remove} leaves in the kernel for connections that go on: for when whoever serves them
   * has ended. It is no error when there is nothing.
   */
  forget(): Promise<void>;
}
