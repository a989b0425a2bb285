import type { EndpointSliceObject, ServiceObject } from '../api.ts';
import type { Endpoint } from '../host.ts';
import type { Machine } from './machine.ts';
import { keyOf } from './network.ts';
import { callApi, type World } from './world.ts';

const AGAIN = 1000;

/**
 * kube-proxy of a machine: writes for each Service where its connections go, from all of its EndpointSlices together.
 * While the API is away it leaves things as they are.
 */
export function startProxy(machine: Machine, world: World): () => void {
  const { clock, store, draw, timings } = world;
  let isRunning = true;
  let isDue = false;

  function due(milliseconds: number): void {
    if (isDue || !isRunning) return;
    isDue = true;
    clock.at(clock.now() + milliseconds, () => {
      isDue = false;
      if (isRunning) read();
    });
  }

  function read(): void {
    const user = 'system:kube-proxy';
    const call = (kind: 'Service' | 'EndpointSlice', then: (items: readonly object[]) => void): void =>
      callApi(world, { node: machine.name }, world.endpoint, user, { verb: 'list', selection: { kind } }, (reply) => {
        if (reply.status !== 200) due(AGAIN);
        else if (isRunning) then((reply.body as { readonly items: readonly object[] }).items);
      });
    call('Service', (services) =>
      call('EndpointSlice', (slices) =>
        write(services as readonly ServiceObject[], slices as readonly EndpointSliceObject[]),
      ),
    );
  }

  function write(services: readonly ServiceObject[], slices: readonly EndpointSliceObject[]): void {
    for (const { metadata, spec } of services) {
      const { clusterIP, ports = [] } = spec ?? {};
      if (!clusterIP) continue;
      const own = slices.filter(
        (slice) =>
          slice.metadata.namespace === metadata.namespace &&
          slice.metadata.labels?.['kubernetes.io/service-name'] === metadata.name,
      );
      for (const { name, port } of ports)
        machine.services.set(keyOf({ address: clusterIP, port }), endpointsOf(own, name));
    }
  }

  const stop = store.onChange(({ object }) => {
    if (object.kind === 'EndpointSlice' || object.kind === 'Service') due(draw(timings.proxy));
  });
  due(draw(timings.proxy));
  return () => {
    isRunning = false;
    stop();
  };
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
