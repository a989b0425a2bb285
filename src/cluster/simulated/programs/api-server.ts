import type { EndpointSliceObject, HealthCheck, Selection, ServiceAccountReference, WatchEvent } from '../../api.ts';
import { discoveryOf } from '../api/discovery.ts';
import { done, noAnswer, refusal, type ApiRequest, type Credentials, type Reply } from '../api/requests.ts';
import { SHORTEST_TOKEN } from '../api/tokens.ts';
import { watchEventOf } from '../api/watch-events.ts';
import type { Server, WatchSink } from '../network.ts';
import { ANY_ADDRESS, isAnyAddress, type Process } from '../process.ts';
import type { Change } from '../store.ts';
import { versionOf } from '../version.ts';
import type { World } from '../world.ts';
import { durationFlag, isFlagSet, portFlag, textFlag, textFlags } from './flags.ts';

/**
 * What an API server is doing: `silent` from the moment that it listens, while connections wait for an answer;
 * `authorizing` while it does not know yet who may do what; then `serving`, and `stopping` from SIGTERM, or from the
 * delay after it that it was told to keep, to its end.
 */
type Phase = 'silent' | 'authorizing' | 'serving' | 'stopping';

/** How long one waits for etcd when it starts. */
const ETCD_PATIENCE = 20_000;
/** How long an API server counts as there after it has said so for the last time. */
const LEASE_SECONDS = 15;
/** Who an API server is to itself. */
const LOOPBACK_USER = 'system:apiserver';

export function apiServer(process: Process, world: World): void {
  const { machine } = process;
  const { timings, store, registry, clock } = world;
  const { draw } = process.chance;
  const port = portFlag(process, 'secure-port', 6443);
  const bindAddress = textFlag(process, 'bind-address') ?? ANY_ADDRESS;
  const advertised = textFlag(process, 'advertise-address') ?? machine.address;
  const isShared = isFlagSet(process, 'permit-port-sharing');
  const isInService = textFlag(process, 'endpoint-reconciler-type') !== 'none';
  const [issuer = '', ...olderIssuers] = textFlags(process, 'service-account-issuer');
  const waiting: (() => void)[] = [];
  const watches = new Set<Watch>();
  let phase: Phase = 'silent';
  let isReady = false;
  let isTerminating = false;
  /** Changes that happened before it started are not in its cache. */
  let cacheStart = 0;

  const server: Server = {
    get isOpen() {
      return process.isAlive;
    },
    request: (request, credentials, answer) => {
      if (!process.isAlive) answer(noAnswer('reset'));
      else if (phase === 'silent') waiting.push(() => server.request(request, credentials, answer));
      else answer(reply(request, credentials));
    },
    watch: (selection, { resourceVersion }, credentials, sink) => {
      const watch: Watch = { selection, sink, seen: Number(resourceVersion), due: 0, callOffs: new Set() };
      server.request({ verb: 'list', selection }, credentials, (answer) => {
        if (answer.status !== 200) return sink.end(answer);
        if (!/^\d+$/.test(resourceVersion))
          return sink.end(refusal(400, 'INVALID', `a watch cannot go on from version "${resourceVersion}"`));
        if (watch.seen < cacheStart) return sink.end(refusal(410, 'GONE', 'too old resource version'));
        if (watch.isEnded) return undefined;
        watches.add(watch);
        for (const change of store.since(watch.seen)) deliver(watch, change);
        bookmark(watch);
      });
      return () => {
        watch.isEnded = true;
        endWatch(watch);
      };
    },
  };

  function reply(request: ApiRequest, credentials: Credentials): Reply {
    if (phase === 'stopping') {
      // /livez goes on for a while; what matters is that nobody is sent here any more.
      const message = 'the server is shutting down';
      return request.verb === 'health'
        ? refusal(500, 'UNAVAILABLE', message)
        : { status: 503, code: 'UNAVAILABLE', message, retryAfter: true };
    }
    const user = world.tokens.userOf(credentials, [issuer, ...olderIssuers]);
    if (user === undefined) return refusal(401, 'UNAUTHORIZED', 'Unauthorized');
    if (request.verb === 'health') return health(request.check);
    if (phase === 'authorizing')
      return refusal(403, 'FORBIDDEN', `User "${user}" cannot do that: not yet ready to handle request`);
    if (request.verb === 'identify') return done(process.startedAt);
    if (request.verb === 'version') return done(versionOf(process.image));
    if (request.verb === 'review') return done(user);
    // From its cache.
    if (request.verb === 'discover')
      return discoveryOf(request.groupVersion, (name) => store.get('APIService', undefined, name));
    if (!world.isStoreAvailable()) return refusal(500, 'UNAVAILABLE', 'etcdserver: no leader');
    return request.verb === 'token' ? tokenOf(request.serviceAccount, request.seconds) : registry(request, user);
  }

  function tokenOf(serviceAccount: ServiceAccountReference, seconds: number): Reply {
    if (seconds < SHORTEST_TOKEN)
      return refusal(422, 'INVALID', 'spec.expirationSeconds: may not specify a duration less than 10 minutes');
    const token = world.tokens.issue(serviceAccount, seconds, issuer);
    return token === undefined
      ? refusal(404, 'NOT_FOUND', `ServiceAccount ${serviceAccount.name} not found`)
      : done(token);
  }

  function health(check: HealthCheck): Reply {
    const holds = phase === 'serving' && world.isStoreAvailable() && (check !== 'readyz' || isReady);
    return holds ? { status: 200 } : refusal(500, 'UNAVAILABLE', `${check} check failed`);
  }

  function deliver(watch: Watch, change: Change): void {
    const event = watchEventOf(watch.selection, change);
    if (event === undefined) return;
    // Never before the one that went before it.
    watch.due = Math.max(watch.due, clock.now() + watch.sink.draw(timings.watch));
    send(watch, event);
  }

  function bookmark(watch: Watch): void {
    const callOff = process.after(timings.bookmark, () => {
      watch.callOffs.delete(callOff);
      send(watch, { type: 'BOOKMARK', resourceVersion: String(store.version) });
      bookmark(watch);
    });
    watch.callOffs.add(callOff);
  }

  /** Behind what is on its way. */
  function send(watch: Watch, event: WatchEvent): void {
    const callOff = process.after(Math.max(0, watch.due - clock.now()), () => {
      watch.callOffs.delete(callOff);
      watch.sink.next(event);
    });
    watch.callOffs.add(callOff);
  }

  function endWatch(watch: Watch): void {
    for (const callOff of watch.callOffs) callOff();
    watches.delete(watch);
  }

  function closeWatches(): void {
    for (const watch of watches) {
      endWatch(watch);
      watch.sink.end();
    }
  }

  function start(): void {
    if (isTerminating) return;
    if (process.listen(server, bindAddress, port, isShared))
      process.after(draw(timings.serverAnswers), () => awaitStore(clock.now()));
    else process.after(draw(timings.bindFails), () => process.end(1, `bind: address already in use (${port})`));
  }

  function awaitStore(since: number): void {
    if (phase !== 'silent') return;
    if (world.isStoreAvailable() && !isItselfRedirected()) return answers();
    if (clock.now() - since >= ETCD_PATIENCE) return process.end(1, 'no etcd, or no way to itself');
    return void process.after(500, () => awaitStore(since));
  }

  /** The server asks itself over the network before it is ready, and only its own process has the right certificate. */
  function isItselfRedirected(): boolean {
    const loopback = isAnyAddress(bindAddress) ? '127.0.0.1' : bindAddress;
    return machine.redirect?.rule.from.some((from) => from.address === loopback && from.port === port) ?? false;
  }

  function answers(): void {
    phase = 'authorizing';
    cacheStart = store.version;
    for (const resume of waiting.splice(0)) resume();
    process.after(draw(timings.serverAuthorizes), () => {
      if (phase !== 'authorizing') return;
      phase = 'serving';
      process.after(draw(timings.serverReady), becomeReady);
    });
  }

  function becomeReady(): void {
    if (phase !== 'serving' || isTerminating) return;
    isReady = true;
    process.note('ready', port);
    if (isInService) reconcile();
  }

  function reconcile(): void {
    if (phase !== 'serving' || isTerminating) return;
    world.serverLeases.set(advertised, clock.now() + LEASE_SECONDS * 1000);
    writeEndpoints(world, port);
    process.after(timings.reconcileEndpoints, reconcile);
  }

  /** Clients that hold a connection keep the process until somebody kills it. */
  function stopServing(): void {
    const isHeld =
      watches.size > 0 || [...world.lastServers.values()].some((held) => [...held.values()].includes(server));
    phase = 'stopping';
    process.stopListening();
    process.after(draw(timings.serverCutsWatches), closeWatches);
    for (const resume of waiting.splice(0)) resume();
    if (!isHeld) process.after(draw(timings.serverEnds), () => process.end(0));
  }

  const stopObserving = store.onChange((change) => {
    for (const watch of watches) deliver(watch, change);
  });
  process.onExit(() => {
    stopObserving();
    closeWatches();
    for (const resume of waiting.splice(0)) resume();
  });

  process.onTerminate = () => {
    if (isTerminating) return;
    const wasServing = phase === 'serving';
    isTerminating = true;
    isReady = false;
    process.note('stopping', port);
    const delay = durationFlag(process, 'shutdown-delay-duration', 0);
    if (wasServing && isInService) {
      world.serverLeases.delete(advertised);
      writeEndpoints(world, port);
    }
    if (delay > 0) process.after(delay, stopServing);
    else stopServing();
  };
  process.after(draw(timings.serverListens), start);
}

interface Watch {
  readonly selection: Selection;
  readonly sink: WatchSink;
  readonly callOffs: Set<() => void>;
  readonly seen: number;
  /** When the last change that is on its way arrives. */
  due: number;
  isEnded?: boolean;
}

/** Makes the EndpointSlice of the API that of all servers which have said that they are there. */
function writeEndpoints(world: World, port: number): void {
  const { store, registry, serverLeases, clock } = world;
  if (!world.isStoreAvailable()) return;
  const addresses = [...serverLeases].filter(([, until]) => until > clock.now()).map(([address]) => address);
  const wanted = addresses.toSorted().map((address) => ({ addresses: [address], conditions: { ready: true } }));
  const slice: EndpointSliceObject = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { 'kubernetes.io/service-name': 'kubernetes' },
    },
    addressType: addresses.some((address) => address.includes(':')) ? 'IPv6' : 'IPv4',
    endpoints: wanted,
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  };
  const verb = store.get('EndpointSlice', 'default', 'kubernetes') ? 'update' : 'create';
  registry({ verb, object: slice }, LOOPBACK_USER);
}
