import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import type { ProcessLife } from './leases.ts';

const LOOK_EVERY = 50;
const SEARCH_EVERY = 500;
const COMPONENTS = ['kube-controller-manager', 'kube-scheduler'];

/** Watches the processes of the components that have leaders, on all nodes of a bench. */
export function watchProcesses(bench: Bench): { readonly stop: () => Promise<readonly ProcessLife[]> } {
  const living = new Map<number, ProcessLife>();
  // A number may be used again, so that the dead are not kept by it.
  const ended: ProcessLife[] = [];
  const stopping = new AbortController();
  const work = (async () => {
    for (let turn = 0; !stopping.signal.aborted; turn += 1) {
      for (const [id, life] of living) {
        if (await isAlive(id)) continue;
        ended.push({ ...life, ended: Date.now() });
        living.delete(id);
      }
      if ((turn * LOOK_EVERY) % SEARCH_EVERY === 0) {
        for (const found of await search(bench)) if (!living.has(found.id)) living.set(found.id, found);
      }
      await sleep(LOOK_EVERY, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await work;
      return [...ended, ...living.values()];
    },
  };
}

async function search(bench: Bench): Promise<ProcessLife[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = ids.map(async (id): Promise<ProcessLife[]> => {
    // The kernel cuts names at 15 characters.
    const name = (await text(`/proc/${id}/comm`)).trim();
    const component = COMPONENTS.find((one) => name === one.slice(0, 15));
    if (component === undefined) return [];
    const node = new RegExp(`/${bench.cgroup}/([^/\\n]+)`).exec(await text(`/proc/${id}/cgroup`))?.[1];
    return node === undefined ? [] : [{ component, node, id: Number(id), seen: Date.now() }];
  });
  return (await Promise.all(found)).flat();
}

async function isAlive(id: number): Promise<boolean> {
  // The state stands behind the name, which is in parentheses and may hold any character.
  const state = /\) (\S)/.exec(await text(`/proc/${id}/stat`))?.[1];
  return state !== undefined && state !== 'Z' && state !== 'X';
}

async function text(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch(() => '');
}
