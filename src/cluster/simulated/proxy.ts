import type { EndpointSliceObject, ServiceObject } from '../api.ts';
import type { Endpoint } from '../host.ts';
import type { Reply } from './api/requests.ts';
import type { Machine } from './machine.ts';
import { keyOf, type Server } from './network.ts';
import { createRetry } from './retry.ts';
import type { World } from './world.ts';

const USER = 'system:kube-proxy';

/**
 * kube-proxy of a machine: writes for each Service where its connections go, from all of its EndpointSlices together. It
 * holds a watch; while the API is away it leaves things as they are, and the longer that lasts, the later it hears that
 * the API is back. Returns what ends it.
 */
export function startProxy(machine: Machine, world: World): () => void {
  const { clock, timings, network } = world;
  const { draw, random } = world.chance(`proxy ${machine.name} ${machine.boots}`);
  const retry = createRetry(timings.reflector, random);
  const slices = new Map<string, EndpointSliceObject>();
  let services: readonly ServiceObject[] = [];
  let isRunning = true;
  let stopWatch = (): void => {};

  function later(milliseconds: number, action: () => void): void {
    clock.at(clock.now() + milliseconds, () => {
      if (isRunning) action();
    });
  }

  function begin(): void {
    const server = network.connect({ node: machine.name, random }, world.endpoint);
    if ('refusal' in server) return later(retry.next(), begin);
    list(server, 'Service', (_, found) => {
      services = found as readonly ServiceObject[];
      list(server, 'EndpointSlice', (version, items) => {
        retry.reset();
        slices.clear();
        for (const slice of items as readonly EndpointSliceObject[]) slices.set(nameOf(slice), slice);
        later(draw(timings.proxy), write);
        watch(server, version);
      });
    });
  }

  function list(
    server: Server,
    kind: 'Service' | 'EndpointSlice',
    then: (version: string, items: readonly object[]) => void,
  ): void {
    server.request({ verb: 'list', selection: { kind } }, USER, (reply: Reply) => {
      if (!isRunning) return;
      if (reply.status !== 200) return later(retry.next(), begin);
      const { resourceVersion, items } = reply.body as {
        readonly resourceVersion: string;
        readonly items: readonly object[];
      };
      then(resourceVersion, items);
    });
  }

  function watch(server: Server, resourceVersion: string): void {
    stopWatch = server.watch({ kind: 'EndpointSlice' }, { resourceVersion }, USER, {
      draw,
      next: (event) => {
        if (event.type === 'BOOKMARK') return;
        const slice = event.object as EndpointSliceObject;
        if (event.type === 'DELETED') slices.delete(nameOf(slice));
        else slices.set(nameOf(slice), slice);
        later(draw(timings.proxy), write);
      },
      end: () => later(retry.next(), begin),
    });
  }

  function write(): void {
    for (const { metadata, spec } of services) {
      const { clusterIP, ports = [] } = spec ?? {};
      if (!clusterIP) continue;
      const own = [...slices.values()].filter(
        (slice) =>
          slice.metadata.namespace === metadata.namespace &&
          slice.metadata.labels?.['kubernetes.io/service-name'] === metadata.name,
      );
      for (const { name, port } of ports)
        machine.services.set(keyOf({ address: clusterIP, port }), endpointsOf(own, name));
    }
  }

  later(draw(timings.proxy), begin);
  return () => {
    isRunning = false;
    stopWatch();
  };
}

function nameOf({ metadata }: EndpointSliceObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Endpoints of several slices, each once: two slices that name one endpoint are one to a proxy. */
function endpointsOf(slices: readonly EndpointSliceObject[], portName: string | undefined): readonly Endpoint[] {
  const found = new Map<string, Endpoint>();
  for (const { endpoints, ports = [] } of slices)
    for (const { port } of ports.filter(({ name }) => name === portName))
      for (const { addresses, conditions } of endpoints)
        for (const address of conditions?.ready === false ? [] : addresses)
          if (port !== undefined) found.set(keyOf({ address, port }), { address, port });
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, endpoint]) => endpoint);
}
