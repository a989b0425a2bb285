import type { Container, Pod, Probe } from '../../objects.ts';
import type { HealthCheck } from '../../api.ts';
import type { HostContainer } from '../../host.ts';
import type { Machine } from '../machine.ts';
import { startProcess, type Process } from '../process.ts';
import { programOf } from '../programs/programs.ts';
import type { Chance } from '../random.ts';
import type { World } from '../world.ts';
import type { BackOff } from './back-off.ts';

/** A container of a Pod: its process, started again whenever it ends, and what its probes say. */
export interface PodContainer {
  readonly name: string;
  readonly process: Process | undefined;
  /** How many processes it had before this one. */
  readonly restarts: number;
  readonly isReady: boolean;
  /** Whether it waits for its next start. */
  readonly isWaiting: boolean;
  start(): void;
  /** Takes over a process that a kubelet before this one has started. */
  adopt(process: Process): void;
  terminate(graceMilliseconds: number): void;
}

export interface ContainerSettings {
  readonly world: World;
  /** Of the kubelet. */
  readonly chance: Chance;
  readonly machine: Machine;
  readonly pod: Pod;
  readonly spec: Container;
  readonly backOff: BackOff;
  /** For the kubelet's own life: nothing happens after its end. */
  readonly after: (milliseconds: number, action: () => void) => () => void;
  readonly onChange: () => void;
  /** Whether the Pod is to end, so that nothing is started again. */
  readonly isEnding: () => boolean;
}

export function createContainer(settings: ContainerSettings): PodContainer {
  const { world, machine, pod, spec, backOff, after, onChange, isEnding } = settings;
  const { timings } = world;
  const { random, draw } = settings.chance;
  const key = `${pod.metadata['uid'] as string} ${spec.name}`;
  let process: Process | undefined;
  // A kubelet that was restarted finds what another one before it has started.
  let starts = machine.containers.filter(
    ({ podUid, name }) => podUid === pod.metadata['uid'] && name === spec.name,
  ).length;
  let isReady = false;

  function start(): void {
    if (isEnding() || process !== undefined) return;
    const attempt = starts;
    starts += 1;
    const record: Draft<HostContainer> = {
      id: random.letters(12),
      name: spec.name,
      podName: pod.metadata.name!,
      podNamespace: pod.metadata.namespace!,
      podUid: pod.metadata['uid'] as string,
      state: 'running',
      attempt,
    };
    machine.containers.push(record);
    // Without a command the image has its own, which the name of the container says best.
    const argv = expanded([...(spec.command ?? [spec.name]), ...(spec.args ?? [])], environmentOf(spec, pod, machine));
    const started = startProcess(
      machine,
      world,
      {
        argv,
        image: spec.image ?? '',
        container: record.id,
        podName: record.podName,
        podUid: record.podUid,
        attempt,
      },
      // What is not known here runs, and does nothing.
      programOf(argv) ?? (() => {}),
    );
    started.onExit((exitCode) => Object.assign(record, { state: 'exited', exitCode }));
    watchOver(started);
  }

  function watchOver(started: Process): void {
    process = started;
    started.onExit(() => {
      const endedAt = world.clock.now();
      process = undefined;
      isReady = false;
      // The kubelet hears of it when it next asks the runtime.
      after(draw([0, timings.relist]), () => {
        onChange();
        again(endedAt);
      });
    });
    probe(started);
    onChange();
  }

  function again(endedAt: number): void {
    if (isEnding()) return;
    const pause = backOff.pauseOf(key, endedAt);
    const late = pause * random.between(...timings.backOffLate);
    after(pause + late, () => {
      if (isEnding()) return;
      backOff.note(key, endedAt);
      after(draw(timings.restartContainer), start);
    });
  }

  function probe(started: Process): void {
    const { startupProbe, livenessProbe, readinessProbe } = spec;
    const alive = (): boolean => started.isAlive && process === started && !isEnding();
    const restart = (): void => started.terminateThenKill(graceOf(pod));
    const begin = (): void => {
      if (readinessProbe === undefined) setReady(true);
      else run(readinessProbe, alive, (holds) => setReady(holds));
      if (livenessProbe !== undefined) run(livenessProbe, alive, (holds) => (holds ? undefined : restart()));
    };
    if (startupProbe === undefined) return begin();
    let hasStarted = false;
    run(
      startupProbe,
      () => alive() && !hasStarted,
      (holds) => {
        if (!holds) return restart();
        hasStarted = true;
        begin();
      },
    );
  }

  /** Asks again and again, and tells of what it has heard often enough in a row. */
  function run(settings: Probe, goesOn: () => boolean, tell: (holds: boolean) => void): void {
    const period = positive(settings, 'periodSeconds', 10) * 1000;
    let failures = 0;
    const ask = (): void => {
      if (!goesOn()) return;
      check(settings, positive(settings, 'timeoutSeconds', 1) * 1000, (holds) => {
        if (!goesOn()) return;
        failures = holds ? 0 : failures + 1;
        if (holds || failures >= positive(settings, 'failureThreshold', 3)) tell(holds);
        after(period, ask);
      });
    };
    // Probes of many containers do not begin at one moment.
    after(positive(settings, 'initialDelaySeconds', 0) * 1000 + random.next() * Math.min(period, 1000), ask);
  }

  function check({ httpGet }: Probe, timeout: number, tell: (holds: boolean) => void): void {
    if (httpGet === undefined || programOf(process?.argv ?? []) === undefined) return tell(true);
    const port = portNumber(httpGet.port);
    const path = (httpGet.path ?? '/').slice(1);
    if (port === undefined) return tell(false);
    const server = world.network.connect(
      { node: machine.name, random },
      { address: httpGet.host || machine.address, port },
    );
    if ('refusal' in server) return tell(false);
    let isTold = false;
    const once = (holds: boolean): void => {
      if (isTold) return;
      isTold = true;
      tell(holds);
    };
    server.request(
      { verb: 'health', check: isHealthCheck(path) ? path : 'healthz' },
      'system:anonymous',
      ({ status }) => once(status === 200),
    );
    if (!isTold) after(timeout, () => once(false));
  }

  function portNumber(port: number | string): number | undefined {
    if (typeof port === 'number') return port;
    return spec.ports?.find(({ name }) => name === port)?.containerPort;
  }

  function setReady(value: boolean): void {
    if (isReady === value) return;
    isReady = value;
    onChange();
  }

  return {
    name: spec.name,
    get process() {
      return process;
    },
    get restarts() {
      return Math.max(0, starts - 1);
    },
    get isReady() {
      return isReady && process !== undefined;
    },
    get isWaiting() {
      return process === undefined;
    },
    start,
    adopt: (running) => {
      watchOver(running);
    },
    terminate: (grace) => process?.terminateThenKill(grace),
  };
}

/** A number of a probe. The API server has its default in the place of one that is not positive. */
function positive(probe: Probe, name: string, otherwise: number): number {
  const value = Number(probe[name]);
  return value > 0 ? value : otherwise;
}

function isHealthCheck(path: string): path is HealthCheck {
  return path === 'healthz' || path === 'livez' || path === 'readyz';
}

/** Milliseconds that the processes of a Pod have to end. */
export function graceOf({ spec }: Pod): number {
  return Number(spec['terminationGracePeriodSeconds']) * 1000;
}

/** Variables of a container, as far as they are known: written ones, and those that come from its Pod. */
function environmentOf({ env = [] }: Container, { metadata }: Pod, machine: Machine): ReadonlyMap<string, string> {
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'spec.nodeName': machine.name,
    'status.hostIP': machine.address,
    'status.podIP': machine.address,
  };
  return new Map(
    env.flatMap(({ name, value, valueFrom }) => {
      const { fieldPath } = (valueFrom?.['fieldRef'] ?? {}) as { readonly fieldPath?: string };
      const found = value ?? (fieldPath === undefined ? undefined : fields[fieldPath]);
      return found === undefined ? [] : [[name, found] as const];
    }),
  );
}

/** Arguments with `$(NAME)` filled in; a name that is not known stays as it is written; `$$(NAME)` stands for `$(NAME)`. */
function expanded(argv: readonly string[], environment: ReadonlyMap<string, string>): readonly string[] {
  return argv.map((argument) =>
    argument.replace(/\$(\$?)\(([A-Za-z_][\w.-]*)\)/g, (text, escape: string, name: string) =>
      escape === '' ? (environment.get(name) ?? text) : text.slice(1),
    ),
  );
}

type Draft<T> = { -readonly [K in keyof T]: T[K] } & { exitCode?: number };
