import type { LeaseObject } from '../../api.ts';
import type { ApiRequest, Reply } from '../api/requests.ts';
import type { Process } from '../process.ts';
import { LEASE_JITTER } from '../timings.ts';
import { callApi, type World } from '../world.ts';
import { onlyHealthy } from './etcd.ts';
import { durationFlag, isFlagSet, portFlag, textFlag } from './flags.ts';

export interface CandidateSettings {
  readonly component: 'kube-controller-manager' | 'kube-scheduler';
  readonly port: number;
  /** Whether it gives its lease back when it is told to end. */
  readonly releases: (process: Process) => boolean;
  /** Begins the work of a leader. It ends with the process. */
  readonly lead: (process: Process, world: World) => void;
}

const LEASES = 'kube-system';

/** A component that works only while it holds a lease, of which there is one for all nodes. */
export function candidate({ component, port, releases, lead }: CandidateSettings) {
  return (process: Process, world: World): void => {
    const { clock, random, timings, draw } = world;
    const identity = `${process.machine.name}_${random.letters(8)}`;
    const user = `system:${component}`;
    const times = {
      duration: durationFlag(process, 'leader-elect-lease-duration', timings.lease.duration),
      deadline: durationFlag(process, 'leader-elect-renew-deadline', timings.lease.renewDeadline),
      retry: durationFlag(process, 'leader-elect-retry-period', timings.lease.retry),
    };
    /** The lease as it was seen last, and since when it has not changed: clocks of other machines are not believed. */
    let seen: { readonly lease: LeaseObject; readonly at: number } | undefined;
    let renewedAt: number | undefined;

    function call(request: ApiRequest, answer: (reply: Reply) => void): void {
      callApi(world, { node: process.machine.name }, world.localEndpoint(process.machine), user, request, (reply) => {
        if (process.isAlive) answer(reply);
      });
    }

    function elect(): void {
      call({ verb: 'get', reference: { kind: 'Lease', namespace: LEASES, name: component } }, (reply) => {
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
      if (isMine && renewedAt === undefined) {
        renewedAt = clock.now();
        world.note({ type: 'leader', component, holder: identity });
        lead(process, world);
      } else if (isMine) renewedAt = clock.now();
      if (renewedAt === undefined) {
        process.after(times.retry * (1 + random.next() * LEASE_JITTER), elect);
        return;
      }
      if (clock.now() - renewedAt >= times.deadline) return process.end(1, 'leader election lost');
      process.after(times.retry, elect);
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
      if (renewedAt === undefined || seen === undefined || !releases(process)) return;
      const spec = { ...seen.lease.spec, holderIdentity: '', leaseDurationSeconds: 1 };
      call({ verb: 'update', object: { ...seen.lease, spec } }, () => {});
    }

    process.onTerminate = () => {
      process.note('stopping', port);
      release();
      process.after(draw(timings.componentEnds), () => process.end(0));
    };
    process.onExit(() => {
      if (renewedAt !== undefined) world.note({ type: 'leader', component, holder: '' });
    });
    process.after(draw(timings.componentListens), () => {
      const own = portFlag(process, 'secure-port', port);
      const address = textFlag(process, 'bind-address') ?? '127.0.0.1';
      if (!process.listen(onlyHealthy(process), address, own, isFlagSet(process, 'permit-port-sharing'))) {
        process.after(draw(timings.bindFails), () => process.end(1, `bind: address already in use (${own})`));
        return;
      }
      process.note('ready', own);
      elect();
    });
  };
}

/** RFC 3339 with microseconds, as leases have it. */
function timestamp({ clock }: World): string {
  return new Date(Date.UTC(2000, 0) + clock.now()).toISOString().replace('Z', '000Z');
}
