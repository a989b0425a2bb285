import type { AnyObject, ConfigMapObject, WatchEvent } from '../../api.ts';
import type { Endpoint } from '../../host.ts';
import type { World } from '../world.ts';
import { NAMESPACE, type WatchRecord } from './records.ts';

/** Milliseconds until a watch that has ended is begun again. */
const AGAIN = 200;
const SELECTION = { kind: 'ConfigMap', namespace: NAMESPACE } as const;
const USER = 'kubernetes-admin';

/** A client that holds a watch, goes on where it was when the stream ends, and reads everything again where it has to. */
export function startWatcher(
  world: World,
  traffic: string,
  endpoint: Endpoint,
): { readonly record: WatchRecord; stop(): void } {
  const { draw, random } = world.chance(`${traffic} watcher`);
  const origin = { random };
  const seen = new Set<string>();
  const record = { seen, resumed: 0, gone: 0 };
  let version: string | undefined;
  let isStopped = false;
  let stopStream = (): void => {};

  function later(): void {
    world.clock.at(world.clock.now() + AGAIN, begin);
  }

  function begin(): void {
    if (isStopped) return;
    const server = world.network.connect(origin, endpoint);
    if ('refusal' in server) return later();
    if (version !== undefined) {
      record.resumed += 1;
      return stream(version);
    }
    server.request({ verb: 'list', selection: SELECTION }, USER, (reply) => {
      if (reply.status !== 200) return later();
      const list = reply.body as { readonly resourceVersion: string; readonly items: readonly ConfigMapObject[] };
      for (const object of list.items) see(object);
      version = list.resourceVersion;
      return stream(version);
    });
  }

  function stream(from: string): void {
    const server = world.network.connect(origin, endpoint);
    if ('refusal' in server) return later();
    stopStream = server.watch(SELECTION, { resourceVersion: from }, USER, {
      draw,
      next: follow,
      end: (reply) => {
        if (reply?.code === 'GONE') {
          record.gone += 1;
          version = undefined;
        }
        later();
      },
    });
  }

  function follow(event: WatchEvent): void {
    if (event.type === 'BOOKMARK') version = event.resourceVersion;
    else {
      version = event.object.metadata.resourceVersion;
      see(event.object);
    }
  }

  /** Only what belongs to its own traffic. */
  function see({ metadata }: AnyObject): void {
    if (metadata.name!.startsWith(`${traffic}-`)) seen.add(metadata.name!);
  }

  begin();
  return {
    record,
    stop: () => {
      isStopped = true;
      stopStream();
    },
  };
}
