import type { Endpoint, HostContainer, Redirect } from '../host.ts';
import { stockFacts, type MachineFacts } from './facts.ts';
import type { Server } from './network.ts';
import type { Process } from './process.ts';

/** A port that a process listens on. */
export interface Listener extends Endpoint {
  readonly server: Server;
  readonly isShared: boolean;
  readonly pid: number;
}

/** What a host firewall lets in from other machines. */
export interface Firewall {
  readonly ports: readonly number[];
  /** Whether it lets in what a redirect has translated, whatever the port: `ct status dnat accept`. */
  readonly acceptsTranslated: boolean;
}

/** A machine: what is on its disk outlasts everything else. */
export interface Machine {
  readonly name: string;
  readonly address: string;
  readonly isControlPlane: boolean;
  readonly disk: Disk;
  /** Thousandths of a processor that Pods may ask for. */
  readonly cpu: number;
  /** Images on its disk. */
  readonly images: Set<string>;
  readonly processes: Map<number, Process>;
  readonly listeners: Listener[];
  /** What the container runtime knows. */
  readonly containers: HostContainer[];
  isOn: boolean;
  /** How often its power was cut. */
  boots: number;
  readonly onPowerCut: Set<() => void>;
  redirect: { readonly rule: Redirect; readonly callOff: () => void } | undefined;
  /** What the disk has of it: set again at each boot for as long as the file is there. */
  bootRedirect: { readonly rule: Redirect; readonly file: string } | undefined;
  firewall: Firewall | undefined;
  /** What is so of it, and stays so. */
  facts: MachineFacts;
  /** What comes to a Service goes to one of these, as kube-proxy has written it: by address and port of the Service. */
  readonly services: Map<string, readonly Endpoint[]>;
  nextPid(): number;
}

/** Texts by path. */
export interface Disk {
  read(path: string): string | undefined;
  write(path: string, text: string): void;
  remove(path: string): void;
  paths(): readonly string[];
  /** Makes a symbolic link: it reads as what it leads to, and goes by itself. */
  link(path: string, target: string): void;
  /** Where a symbolic link leads; nothing for what is none. */
  linkOf(path: string): string | undefined;
  onChange(listener: (path: string) => void): () => void;
}

export interface MachineSettings {
  readonly name: string;
  readonly address: string;
  readonly isControlPlane: boolean;
  readonly cpu: number;
  readonly images: readonly string[];
}

export function createMachine({ images, ...settings }: MachineSettings): Machine {
  let pid = 1000;
  return {
    ...settings,
    disk: createDisk(),
    images: new Set(images),
    processes: new Map(),
    listeners: [],
    containers: [],
    isOn: false,
    boots: 0,
    onPowerCut: new Set(),
    redirect: undefined,
    bootRedirect: undefined,
    firewall: undefined,
    facts: stockFacts(settings.isControlPlane),
    services: new Map(),
    nextPid: () => (pid += 1),
  };
}

/** Labels that a node has by itself: its kubelet knows them, whether or not it has heard the API. */
export function ownLabelsOf(name: string): Readonly<Record<string, string>> {
  return { 'kubernetes.io/arch': 'amd64', 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' };
}

function createDisk(): Disk {
  const texts = new Map<string, string>();
  const links = new Map<string, string>();
  const listeners = new Set<(path: string) => void>();
  const tell = (path: string): void => {
    for (const listener of listeners) listener(path);
  };
  return {
    read: (path) => texts.get(links.get(path) ?? path),
    write: (path, text) => {
      // A file takes the place of a link, as where one is written beside it and renamed.
      links.delete(path);
      texts.set(path, text);
      tell(path);
    },
    remove: (path) => {
      if (links.delete(path) || texts.delete(path)) tell(path);
    },
    paths: () =>
      [...texts.keys(), ...[...links].flatMap(([path, target]) => (texts.has(target) ? path : []))].toSorted(),
    link: (path, target) => {
      texts.delete(path);
      links.set(path, target);
      tell(path);
    },
    linkOf: (path) => links.get(path),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
