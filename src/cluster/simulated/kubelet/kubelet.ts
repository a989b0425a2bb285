import type { PodObject } from '../../api.ts';
import type { Pod } from '../../objects.ts';
import { MIRROR_ANNOTATION } from '../api/registry.ts';
import type { ApiRequest, Reply } from '../api/requests.ts';
import { specOf } from '../controllers/scheduling.ts';
import { ownLabelsOf, type Machine } from '../machine.ts';
import { createRetry } from '../retry.ts';
import { callApi, type World } from '../world.ts';
import { admit } from './admission.ts';
import { createBackOff } from './back-off.ts';
import { createContainer, graceOf, type PodContainer } from './container.ts';
import { HASH_ANNOTATION, MANIFESTS_DIRECTORY, readManifests } from './manifests.ts';
import { statusOf } from './status.ts';

/**
 * What the kubelet does with a Pod: `waiting` for another one of its name to end, `starting`, `running`, `ending` from
 * the moment that it is told to, `rejected` where the node cannot take it.
 */
export interface KubeletPod {
  readonly uid: string;
  readonly pod: Pod;
  readonly isStatic: boolean;
  state: 'waiting' | 'starting' | 'running' | 'ending' | 'rejected';
  reason?: string;
  readonly containers: PodContainer[];
  /** Milliseconds that it was given to end. */
  grace?: number;
  /** The status that the API has of it, as text. */
  reported?: string;
}

export interface Kubelet {
  readonly pods: readonly KubeletPod[];
  start(): void;
  /** Ends the kubelet, and forgets what it knew. Processes go on. */
  stop(): void;
}

/** The kubelet of a machine. It asks the API server of its own machine where there is one. */
export function createKubelet(machine: Machine, world: World): Kubelet {
  const { clock, timings, store } = world;
  const chance = world.chance(`kubelet ${machine.name}`);
  const { draw, random } = chance;
  const user = `system:node:${machine.name}`;
  const endpoint = machine.isControlPlane ? world.localEndpoint(machine) : world.endpoint;
  let pods: KubeletPod[] = [];
  let backOff = createBackOff(timings.backOff, () => clock.now());
  /** Nothing that an earlier life has set for later happens in a later one. */
  let life = 0;
  let isRunning = false;
  /** Holds the connections of one life. */
  let holder = { isAlive: false };
  /** Whether the API has been heard since the start: until then the kubelet takes nothing away. */
  let isApiHeard = false;
  let isAsking = false;
  /** After a failure the API is not asked before this. */
  let asksFrom = 0;
  const retry = createRetry(timings.reflector, random);
  let endings: (() => void)[] = [];

  function after(milliseconds: number, action: () => void): () => void {
    const mine = life;
    return clock.at(clock.now() + milliseconds, () => {
      if (isRunning && life === mine) action();
    });
  }

  function call(request: ApiRequest, answer: (reply: Reply) => void = () => {}): void {
    const mine = life;
    callApi(world, { node: machine.name, random, holder }, endpoint, user, request, (reply) => {
      if (isRunning && life === mine) answer(reply);
    });
  }

  function start(): void {
    if (isRunning || !machine.isOn) return;
    isRunning = true;
    holder = { isAlive: true };
    world.note({ type: 'kubelet', node: machine.name, state: 'started' });
    endings = [
      machine.disk.onChange((path) => {
        if (path.startsWith(`${MANIFESTS_DIRECTORY}/`)) after(draw(timings.noticeManifest), readFiles);
      }),
      store.onChange(({ object }) => {
        if (object.kind === 'Pod' && specOf(object)['nodeName'] === machine.name) after(draw(timings.watch), askApi);
      }),
    ];
    readFiles();
    every(timings.scanManifests, readFiles);
    every(timings.relist, askApi);
  }

  function every(milliseconds: number, action: () => void): void {
    const again = (): void => {
      action();
      after(milliseconds, again);
    };
    after(random.next() * milliseconds, again);
  }

  function stop(): void {
    if (!isRunning) return;
    isRunning = false;
    life += 1;
    holder.isAlive = false;
    world.lastServers.delete(holder);
    for (const end of endings) end();
    pods = [];
    isApiHeard = false;
    isAsking = false;
    asksFrom = 0;
    retry.reset();
    backOff = createBackOff(timings.backOff, () => clock.now());
    world.note({ type: 'kubelet', node: machine.name, state: 'stopped' });
  }

  function readFiles(): void {
    const wanted = readManifests(machine);
    // Before the API is heard a file that went takes nothing with it.
    if (isApiHeard)
      for (const pod of pods)
        if (pod.isStatic && !wanted.some(({ uid }) => uid === pod.uid)) end(pod, graceOf(pod.pod));
    for (const { uid, pod } of wanted) if (!pods.some((known) => known.uid === uid)) add(uid, pod, true);
  }

  function add(uid: string, pod: Pod, isStatic: boolean): void {
    const added: KubeletPod = { uid, pod, isStatic, state: 'waiting', containers: [] };
    pods.push(added);
    tryToBegin(added);
  }

  /** That another Pod of its name has ended wakes nobody: the kubelet tries again after a while. */
  function tryToBegin(pod: KubeletPod): void {
    if (pod.state !== 'waiting' || !pods.includes(pod)) return;
    begin(pod);
    if (pod.state === 'waiting') after(draw(timings.retryPod), () => tryToBegin(pod));
  }

  function begin(pod: KubeletPod): void {
    if (pods.some((other) => other !== pod && isBefore(other, pod))) return;
    createContainers(pod);
    if (adopt(pod)) return;
    const { reason, evicted } = admit(pod, pods, machine, labelsOfNode());
    for (const other of evicted) evict(other);
    if (reason !== undefined) return reject(pod, reason);
    pod.state = 'starting';
    const missing = pod.pod.spec.containers
      .map(({ image = '' }) => image)
      .filter((image) => !machine.images.has(image));
    const pull = missing.length === 0 ? 0 : draw(timings.pullImage);
    after(pull + draw(timings.startPod), () => {
      if (pod.state !== 'starting') return;
      pod.state = 'running';
      for (const image of missing) machine.images.add(image);
      for (const container of pod.containers) container.start();
    });
  }

  /** A process may outlive the kubelet that started it, which then is no longer told of its end. */
  function createContainers(pod: KubeletPod): void {
    const mine = life;
    const isMine = (): boolean => isRunning && life === mine;
    for (const spec of pod.pod.spec.containers)
      pod.containers.push(
        createContainer({
          world,
          chance,
          machine,
          pod: pod.pod,
          spec,
          backOff,
          after: (milliseconds, action) => (isMine() ? after(milliseconds, action) : () => {}),
          onChange: () => {
            if (isMine()) changed(pod);
          },
          isEnding: () => pod.state === 'ending',
        }),
      );
  }

  /** Processes that run already are taken over, as those of a kubelet before this one. */
  function adopt(pod: KubeletPod): boolean {
    const running = [...machine.processes.values()].filter(({ podUid }) => podUid === pod.uid);
    if (running.length === 0) return false;
    pod.state = 'running';
    for (const container of pod.containers) {
      const process = running.find(({ container: id }) =>
        machine.containers.some((record) => record.id === id && record.name === container.name),
      );
      if (process === undefined) container.start();
      else container.adopt(process);
    }
    return true;
  }

  function reject(pod: KubeletPod, reason: string): void {
    pod.state = 'rejected';
    pod.reason = reason;
    world.note({ type: 'rejected', node: machine.name, pod: pod.pod.metadata.name!, reason });
    report(pod);
  }

  function evict(pod: KubeletPod): void {
    world.note({ type: 'evicted', node: machine.name, pod: pod.pod.metadata.name! });
    pod.reason = 'Preempting';
    end(pod, 0);
    report(pod);
  }

  function end(pod: KubeletPod, grace: number): void {
    const wasThere = pod.state === 'running' || pod.state === 'ending';
    // A second time may shorten what is left.
    if (pod.grace !== undefined && pod.grace <= grace) return;
    pod.grace = grace;
    pod.state = 'ending';
    if (!wasThere) return finish(pod);
    for (const container of pod.containers) container.terminate(grace);
    changed(pod);
  }

  /** Called whenever a process of a Pod starts or ends, or a probe has another answer. */
  function changed(pod: KubeletPod): void {
    if (pod.state === 'ending' && pod.containers.every(({ process }) => process === undefined))
      after(draw(timings.cleanUpPod), () => finish(pod));
    else after(draw(timings.reportStatus), () => report(pod));
  }

  function finish(pod: KubeletPod): void {
    const place = pods.indexOf(pod);
    if (place < 0) return;
    // One that was evicted stays in the API, and says why.
    if (pod.reason === undefined) removeFromApi(pod);
    pods.splice(place, 1);
    machine.containers.splice(0, Infinity, ...machine.containers.filter(({ podUid }) => podUid !== pod.uid));
  }

  function removeFromApi({ pod, isStatic, uid }: KubeletPod): void {
    const reference = { kind: 'Pod', namespace: pod.metadata.namespace!, name: pod.metadata.name! } as const;
    call({ verb: 'get', reference }, (reply) => {
      if (reply.status !== 200) return;
      const found = reply.body as PodObject;
      if (isStatic ? hashOfMirror(found) !== uid : found.metadata.uid !== uid) return;
      call({
        verb: 'delete',
        reference,
        options: { gracePeriodSeconds: 0, preconditions: { uid: found.metadata.uid! } },
      });
    });
  }

  /** Looks at what the API wants, and shows it what there is. */
  function askApi(): void {
    if (isAsking || clock.now() < asksFrom) return;
    isAsking = true;
    call({ verb: 'list', selection: { kind: 'Pod' } }, (reply) => {
      isAsking = false;
      if (reply.status !== 200) {
        asksFrom = clock.now() + retry.next();
        return;
      }
      retry.reset();
      const { items } = reply.body as { readonly items: readonly PodObject[] };
      const mine = items.filter((pod) => specOf(pod)['nodeName'] === machine.name);
      const isFirst = !isApiHeard;
      isApiHeard = true;
      follow(mine.filter((pod) => hashOfMirror(pod) === undefined));
      mirror(mine.filter((pod) => hashOfMirror(pod) !== undefined));
      for (const pod of pods) report(pod);
      if (isFirst) {
        readFiles();
        killUnknown();
      }
    });
  }

  function follow(wanted: readonly PodObject[]): void {
    for (const object of wanted) {
      const { uid = '', deletionTimestamp } = object.metadata;
      const isKnown = pods.some((pod) => pod.uid === uid);
      const isOver = object.status?.phase === 'Failed' || object.status?.phase === 'Succeeded';
      // One that is to end and still runs from the time before this kubelet is ended as any other.
      if (!isKnown && !isOver && (!deletionTimestamp || hasProcesses(uid))) add(uid, object as unknown as Pod, false);
      if (!deletionTimestamp) continue;
      const known = pods.find((pod) => pod.uid === uid);
      if (known === undefined) finishInApi(object);
      else end(known, Number(object.metadata['deletionGracePeriodSeconds']) * 1000);
    }
    for (const pod of pods)
      if (!pod.isStatic && !wanted.some(({ metadata }) => metadata.uid === pod.uid)) end(pod, graceOf(pod.pod));
  }

  function hasProcesses(uid: string): boolean {
    return [...machine.processes.values()].some(({ podUid }) => podUid === uid);
  }

  function finishInApi({ metadata }: PodObject): void {
    const reference = { kind: 'Pod', namespace: metadata.namespace!, name: metadata.name! } as const;
    call({ verb: 'delete', reference, options: { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid! } } });
  }

  /** Shows static Pods in the API, each by a Pod that nobody else can make. */
  function mirror(found: readonly PodObject[]): void {
    for (const object of found) {
      const pod = pods.find(({ uid, isStatic }) => isStatic && uid === hashOfMirror(object));
      if (pod === undefined || object.metadata.deletionTimestamp) finishInApi(object);
    }
    const node = store.get('Node', undefined, machine.name);
    for (const known of pods) {
      const { pod, uid, isStatic, state } = known;
      if (!isStatic || state === 'rejected' || state === 'ending' || state === 'waiting') continue;
      if (found.some(({ metadata }) => metadata.name === pod.metadata.name)) continue;
      const annotations = { ...pod.metadata.annotations, [MIRROR_ANNOTATION]: uid, [HASH_ANNOTATION]: uid };
      const { uid: _uid, ...metadata } = pod.metadata;
      const ownerReferences = node && [
        { apiVersion: 'v1', kind: 'Node', name: machine.name, uid: node.metadata.uid!, controller: true },
      ];
      const object = { ...pod, metadata: { ...metadata, annotations, ...(ownerReferences && { ownerReferences }) } };
      call({ verb: 'create', object: object as PodObject }, ({ status }) => {
        // A new object has no status yet.
        if (status === 200) delete known.reported;
      });
    }
  }

  function report(pod: KubeletPod): void {
    if (!isApiHeard) return;
    const status = statusOf(pod, machine);
    const text = JSON.stringify(status);
    if (pod.reported === text) return;
    const reference = { kind: 'Pod', namespace: pod.pod.metadata.namespace!, name: pod.pod.metadata.name! } as const;
    call({ verb: 'get', reference }, (reply) => {
      if (reply.status !== 200) return;
      const object = reply.body as PodObject;
      if (pod.isStatic ? hashOfMirror(object) !== pod.uid : object.metadata.uid !== pod.uid) return;
      call({ verb: 'update', subresource: 'status', object: { ...object, status } }, (written) => {
        if (written.status === 200) pod.reported = text;
      });
    });
  }

  /** Ends what runs for Pods that neither the files nor the API know. */
  function killUnknown(): void {
    for (const process of machine.processes.values())
      if (!pods.some(({ uid }) => uid === process.podUid)) process.terminateThenKill(30_000);
  }

  function labelsOfNode(): Readonly<Record<string, string>> {
    const known = isApiHeard ? store.get('Node', undefined, machine.name) : undefined;
    return { ...ownLabelsOf(machine.name), ...known?.metadata.labels };
  }

  return {
    get pods() {
      return pods;
    },
    start,
    stop,
  };
}

function hashOfMirror({ metadata }: PodObject): string | undefined {
  return metadata.annotations?.[MIRROR_ANNOTATION];
}

/** Whether a Pod has to end before another one of its name may begin. */
function isBefore(other: KubeletPod, pod: KubeletPod): boolean {
  const isSameName =
    other.pod.metadata.name === pod.pod.metadata.name && other.pod.metadata.namespace === pod.pod.metadata.namespace;
  return isSameName && other.state !== 'waiting' && other.state !== 'rejected';
}
