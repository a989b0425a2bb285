import type { LeaseObject } from '../../api.ts';
import type { ApiRequest, Reply } from '../api/requests.ts';
import type { Process } from '../process.ts';
import { createRetry } from '../retry.ts';
import { LEASE_JITTER } from '../timings.ts';
import { callApi, EPOCH, type World } from '../world.ts';
import { onlyHealthy } from './etcd.ts';
import { isFlagSet, portFlag, positiveDurationFlag, textFlag } from './flags.ts';

export interface CandidateSettings {
  readonly component: 'kube-controller-manager' | 'kube-scheduler';
  readonly port: number;
  /** Whether it gives its lease back when it is told to end. */
  readonly releases: (process: Process) => boolean;
  /** Whether it reads what it works on before it runs for its lease: while the API is away its pauses grow. */
  readonly readsFirst: boolean;
  /** Begins the work of a leader. It ends with the process. */
  readonly lead: (process: Process, world: World) => void;
}

const LEASES = 'kube-system';

/** A component that works only while it holds a lease, of which there is one for all nodes. */
export function candidate({ component, port, releases, readsFirst, lead }: CandidateSettings) {
  return (process: Process, world: World): void => {
    const { clock, timings } = world;
    const { random, draw } = process.chance;
    const identity = `${process.machine.name}_${random.letters(8)}`;
    const user = `system:${component}`;
    const own = portFlag(process, 'secure-port', port);
    const times = {
      duration: positiveDurationFlag(process, 'leader-elect-lease-duration', timings.lease.duration),
      deadline: positiveDurationFlag(process, 'leader-elect-renew-deadline', timings.lease.renewDeadline),
      retry: positiveDurationFlag(process, 'leader-elect-retry-period', timings.lease.retry),
    };
    /** The lease as it was seen last, and since when it has not changed: clocks of other machines are not believed. */
    let seen: { readonly lease: LeaseObject; readonly at: number } | undefined;
    let isLeader = false;
    let isEnding = false;
    let callOffDeadline = (): void => {};

    function call(request: ApiRequest, answer: (reply: Reply) => void): void {
      callApi(world, process.origin, world.localEndpoint(process.machine), user, request, (reply) => {
        if (process.isAlive) answer(reply);
      });
    }

    const retry = createRetry(timings.reflector, random);

    function read(): void {
      call({ verb: 'list', selection: { kind: 'Pod' } }, (reply) => {
        if (reply.status === 200) elect();
        else process.after(retry.next(), read);
      });
    }

    function elect(): void {
      call({ verb: 'get', reference: { kind: 'Lease', namespace: LEASES, name: component } }, (reply) => {
        if (isEnding) return;
        if (reply.status === 404) return write('create', newLease(undefined));
        if (reply.status !== 200) return settled(false);
        const lease = reply.body as LeaseObject;
        if (seen === undefined || seen.lease.metadata.resourceVersion !== lease.metadata.resourceVersion)
          seen = { lease, at: clock.now() };
        const { holderIdentity, leaseDurationSeconds = times.duration / 1000 } = lease.spec;
        const isFree = !holderIdentity || seen.at + leaseDurationSeconds * 1000 <= clock.now();
        if (holderIdentity !== identity && !isFree) return settled(false);
        return write('update', newLease(lease));
      });
    }

    function write(verb: 'create' | 'update', lease: LeaseObject): void {
      call({ verb, object: lease }, (reply) => {
        if (reply.status !== 200) return settled(false);
        seen = { lease: reply.body as LeaseObject, at: clock.now() };
        return settled(true);
      });
    }

    function settled(isMine: boolean): void {
      if (isMine) {
        callOffDeadline();
        callOffDeadline = process.after(times.deadline, () => process.end(1, 'leader election lost'));
      }
      if (isMine) becomeLeader();
      process.after(isLeader ? times.retry : times.retry * (1 + random.next() * LEASE_JITTER), elect);
    }

    function becomeLeader(): void {
      if (isLeader) return;
      isLeader = true;
      world.note({ type: 'leader', component, holder: identity });
      lead(process, world);
    }

    function leadNoMore(): void {
      // Where somebody took the lease away another one may lead already.
      if (isLeader && world.leaders.get(component) === identity) world.note({ type: 'leader', component, holder: '' });
      isLeader = false;
    }

    function newLease(before: LeaseObject | undefined): LeaseObject {
      const time = timestamp(world);
      const isMine = before?.spec.holderIdentity === identity;
      const transitions = (before?.spec.leaseTransitions ?? 0) + (isMine || before === undefined ? 0 : 1);
      return {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: before?.metadata ?? { namespace: LEASES, name: component },
        spec: {
          holderIdentity: identity,
          leaseDurationSeconds: times.duration / 1000,
          acquireTime: isMine ? before.spec.acquireTime! : time,
          renewTime: time,
          leaseTransitions: transitions,
        },
      };
    }

    function release(): void {
      if (!isLeader || seen === undefined || !releases(process)) return;
      const spec = { ...seen.lease.spec, holderIdentity: '', leaseDurationSeconds: 1 };
      call({ verb: 'update', object: { ...seen.lease, spec } }, (reply) => {
        if (reply.status === 200) leadNoMore();
      });
    }

    process.onTerminate = () => {
      if (isEnding) return;
      process.note('stopping', own);
      isEnding = true;
      release();
      process.after(draw(timings.componentEnds), () => process.end(0));
    };
    process.onExit(leadNoMore);
    process.after(draw(timings.componentListens), () => {
      const address = textFlag(process, 'bind-address') ?? '127.0.0.1';
      if (!process.listen(onlyHealthy(process), address, own, isFlagSet(process, 'permit-port-sharing'))) {
        process.after(draw(timings.bindFails), () => process.end(1, `bind: address already in use (${own})`));
        return;
      }
      process.note('ready', own);
      if (textFlag(process, 'leader-elect') === 'false') becomeLeader();
      else if (readsFirst) read();
      else elect();
    });
  };
}

/** RFC 3339 with microseconds, as leases have it. */
function timestamp({ clock }: World): string {
  return new Date(EPOCH + clock.now()).toISOString().replace('Z', '000Z');
}
