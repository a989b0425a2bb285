import type { Machine } from './machine.ts';
import type { Server } from './network.ts';
import type { Chance } from './random.ts';
import { EPOCH, type Caller, type World } from './world.ts';

/** What a container is told when it is started. */
export interface ProcessSettings {
  readonly argv: readonly string[];
  readonly image: string;
  readonly container: string;
  readonly podName: string;
  readonly podUid: string;
  readonly attempt: number;
}

/** A process on a machine. Whatever it has set for later ends with it. */
export interface Process extends ProcessSettings {
  readonly pid: number;
  readonly machine: Machine;
  /** Name of its program: the last part of the path. */
  readonly program: string;
  readonly isAlive: boolean;
  readonly chance: Chance;
  /** Itself, as the network has it. Connections that it holds end with it. */
  readonly origin: Caller;
  /** Milliseconds since 1970, on the clock that all machines have. */
  readonly startedAt: number;
  /** Does something after a while, if the process is still there. Returns what calls it off. */
  after(milliseconds: number, action: () => void): () => void;
  /** Takes a port. False where another process has it and not both share it. */
  listen(server: Server, address: string, port: number, isShared: boolean): boolean;
  /** Connections that are open stay open. */
  stopListening(): void;
  /** What SIGTERM does. Default: ends it. */
  onTerminate: () => void;
  terminate(): void;
  /** SIGTERM, and SIGKILL after that many milliseconds. A second time may shorten what is left. */
  terminateThenKill(graceMilliseconds: number): void;
  end(code: number, message?: string): void;
  /** Hears of the end, after everything that the process had is gone. */
  onExit(listener: (code: number) => void): void;
  note(state: 'started' | 'listening' | 'ready' | 'stopping', port?: number): void;
}

export type Program = (process: Process, world: World) => void;

/** Exit code of a process that SIGKILL ended. */
export const KILLED = 137;

export function startProcess(machine: Machine, world: World, settings: ProcessSettings, program: Program): Process {
  const timers = new Set<() => void>();
  const exitListeners: ((code: number) => void)[] = [];
  const pid = machine.nextPid();
  const [path = ''] = settings.argv;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const chance = world.chance(`process ${machine.name} ${pid}`);
  let isAlive = true;

  function event(state: 'started' | 'listening' | 'ready' | 'stopping' | 'ended', more: object = {}): void {
    const { podName: pod, podUid, attempt } = settings;
    world.note({ type: 'process', node: machine.name, pid, program: name, pod, podUid, attempt, state, ...more });
  }

  const process: Process = {
    ...settings,
    pid,
    machine,
    startedAt: EPOCH + world.clock.now(),
    program: name,
    get isAlive() {
      return isAlive;
    },
    chance,
    get origin() {
      return { node: machine.name, random: chance.random, holder: process };
    },
    after: (milliseconds, action) => {
      const callOff = world.clock.at(world.clock.now() + milliseconds, () => {
        timers.delete(callOff);
        action();
      });
      timers.add(callOff);
      return callOff;
    },
    listen: (server, address, port, isShared) => {
      const others = machine.listeners.filter((other) => other.port === port && overlaps(other.address, address));
      if (others.some((other) => !other.isShared || !isShared)) return false;
      machine.listeners.push({ server, address, port, isShared, pid });
      event('listening', { port });
      return true;
    },
    stopListening: () => {
      for (const own of machine.listeners.filter((listener) => listener.pid === pid))
        machine.listeners.splice(machine.listeners.indexOf(own), 1);
    },
    onTerminate: () => process.end(0),
    terminate: () => {
      if (isAlive) process.onTerminate();
    },
    terminateThenKill: (grace) => {
      process.terminate();
      if (isAlive) process.after(grace, () => process.end(KILLED));
    },
    end: (exitCode, message) => {
      if (!isAlive) return;
      isAlive = false;
      for (const callOff of timers) callOff();
      process.stopListening();
      machine.processes.delete(pid);
      world.lastServers.delete(process);
      event('ended', { exitCode, ...(message !== undefined && { message }) });
      for (const listener of exitListeners) listener(exitCode);
    },
    onExit: (listener) => void exitListeners.push(listener),
    note: (state, port) => event(state, port === undefined ? {} : { port }),
  };
  machine.processes.set(pid, process);
  event('started');
  const fault = world.startFault(process);
  if (fault === undefined) program(process, world);
  else process.after(chance.draw(world.timings.bindFails), () => process.end(1, fault));
  return process;
}

function overlaps(one: string, other: string): boolean {
  return one === other || isAnyAddress(one) || isAnyAddress(other);
}

export const ANY_ADDRESS = '0.0.0.0';

export function isAnyAddress(address: string): boolean {
  return address === ANY_ADDRESS || address === '::';
}
