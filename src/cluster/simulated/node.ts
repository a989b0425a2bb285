import type { Endpoint } from '../host.ts';
import type { MachineFacts } from './facts.ts';
import { createKubelet } from './kubelet/kubelet.ts';
import type { Firewall, Machine } from './machine.ts';
import { KILLED, type Process } from './process.ts';
import { programOf } from './programs/programs.ts';
import { startProxy } from './proxy.ts';
import type { World } from './world.ts';

/** What may be seen of a process from outside. */
export type SimulatedProcess = Pick<Process, 'pid' | 'program' | 'argv' | 'podName' | 'podUid' | 'attempt' | 'image'>;

/** A machine of the cluster, with what may befall it. */
export interface SimulatedNode {
  readonly name: string;
  readonly address: string;
  readonly isControlPlane: boolean;
  readonly isOn: boolean;
  /** Everything ends at once, and only the disk is left. */
  cutPower(): void;
  boot(): void;
  /** The kubelet ends and is started again; processes go on. */
  restartKubelet(): void;
  /** Ports that are let in from other machines. Default: all. */
  setFirewall(firewall: Firewall | undefined): void;
  /** What programs that ask find from now on; what is not given stays. Default: a machine that lacks nothing. */
  setFacts(facts: Partial<MachineFacts>): void;
  readonly processes: readonly SimulatedProcess[];
  /** SIGKILL for a process; the kubelet may start another one. */
  kill(pid: number): void;
  readonly listeners: readonly (Endpoint & { readonly pid: number })[];
  /** Pods that the kubelet knows, and what it does with them. */
  readonly pods: readonly SimulatedPod[];
  /** Texts by path. A test may write what a person would. */
  readonly disk: Machine['disk'];
}

export interface SimulatedPod {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly isStatic: boolean;
  readonly state: 'waiting' | 'starting' | 'running' | 'ending' | 'rejected';
  /** Why it was rejected or evicted. */
  readonly reason?: string;
  readonly isReady: boolean;
  /** Whether a container of it runs etcd or another component of the control plane, under any name. */
  readonly isComponent: boolean;
}

export function createNode(machine: Machine, world: World): SimulatedNode {
  const { clock, timings } = world;
  const { draw } = world.chance(`node ${machine.name}`);
  const kubelet = createKubelet(machine, world);
  let stopProxy = (): void => {};

  function boot(): void {
    if (machine.isOn) return;
    machine.isOn = true;
    world.note({ type: 'power', node: machine.name, state: 'on' });
    const powered = machine.boots;
    clock.at(clock.now() + draw(timings.boot), () => {
      if (!machine.isOn || machine.boots !== powered) return;
      setBootRedirect();
      kubelet.start();
      stopProxy = startProxy(machine, world);
    });
  }

  function setBootRedirect(): void {
    const kept = machine.bootRedirect;
    if (kept === undefined || machine.disk.read(kept.file) === undefined) return;
    machine.redirect = { rule: kept.rule, callOff: () => {} };
    world.note({ type: 'redirect', node: machine.name, state: 'set' });
  }

  function cutPower(): void {
    if (!machine.isOn) return;
    machine.isOn = false;
    machine.boots += 1;
    world.note({ type: 'power', node: machine.name, state: 'off' });
    kubelet.stop();
    stopProxy();
    for (const process of machine.processes.values()) process.end(KILLED);
    machine.containers.length = 0;
    machine.services.clear();
    machine.redirect?.callOff();
    machine.redirect = undefined;
    for (const listener of machine.onPowerCut) listener();
  }

  return {
    name: machine.name,
    address: machine.address,
    isControlPlane: machine.isControlPlane,
    get isOn() {
      return machine.isOn;
    },
    boot,
    cutPower,
    restartKubelet: () => {
      if (!machine.isOn) return;
      kubelet.stop();
      const powered = machine.boots;
      clock.at(clock.now() + draw(timings.restartKubelet), () => {
        if (machine.boots === powered) kubelet.start();
      });
    },
    setFirewall: (firewall) => {
      machine.firewall = firewall;
    },
    setFacts: (facts) => {
      machine.facts = { ...machine.facts, ...facts };
    },
    get processes() {
      return [...machine.processes.values()].map(({ pid, program, argv, podName, podUid, attempt, image }) => ({
        pid,
        program,
        argv,
        podName,
        podUid,
        attempt,
        image,
      }));
    },
    kill: (pid) => machine.processes.get(pid)?.end(KILLED),
    get listeners() {
      return machine.listeners.map(({ address, port, pid }) => ({ address, port, pid }));
    },
    get pods() {
      return kubelet.pods.map(({ pod, uid, isStatic, state, reason, containers }) => ({
        name: pod.metadata.name!,
        namespace: pod.metadata.namespace!,
        uid,
        isStatic,
        state,
        ...(reason !== undefined && { reason }),
        isReady: state === 'running' && containers.every(({ isReady }) => isReady),
        isComponent: pod.spec.containers.some(({ command = [], args = [] }) => programOf([...command, ...args])),
      }));
    },
    disk: machine.disk,
  };
}
