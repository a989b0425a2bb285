import type { Kind, Objects, Selection } from '../../api.ts';
import type { ApiRequest, Reply } from '../api/requests.ts';
import type { Process } from '../process.ts';
import { callApi, type World } from '../world.ts';

/** The API as a controller has it: each answer may be a refusal, and it goes on all the same. */
export interface ControllerApi {
  call(request: ApiRequest, answer?: (reply: Reply) => void): void;
  /** Hands over the objects of several kinds, if the API gives them all. */
  read<K extends Kind>(kinds: readonly K[], then: (objects: ByKind<K>) => void): void;
  /** Looks again after that many milliseconds, if nothing else makes it look before. */
  again(milliseconds: number): void;
}

export type ByKind<K extends Kind> = { readonly [P in K]: readonly Objects[P][] };

/** How often a controller looks again at what it could not do. */
const AGAIN = 1000;

/**
 * Runs a controller for as long as its process leads: whenever an object of these kinds changes, a little later, it
 * looks at everything and does what is missing. A controller of Kubernetes holds watches and a queue instead; what
 * comes of it is the same, and a server that cannot be reached stops both.
 */
export function reconcileOn(
  process: Process,
  world: World,
  kinds: readonly Kind[],
  user: string,
  reconcile: (api: ControllerApi) => void,
): void {
  const endpoint = world.localEndpoint(process.machine);
  let due: { readonly at: number; readonly callOff: () => void } | undefined;

  function call(request: ApiRequest, answer: (reply: Reply) => void = () => {}): void {
    callApi(world, process.origin, endpoint, user, request, (reply) => {
      if (!process.isAlive) return;
      if (reply.status === 0 || reply.status >= 500 || reply.status === 403) again(AGAIN);
      answer(reply);
    });
  }

  function read<K extends Kind>([first, ...others]: readonly K[], then: (objects: ByKind<K>) => void): void {
    if (first === undefined) return then({} as ByKind<K>);
    call({ verb: 'list', selection: { kind: first } satisfies Selection }, (reply) => {
      if (reply.status !== 200) return;
      const { items } = reply.body as { readonly items: readonly Objects[K][] };
      read(others, (rest) => then({ ...rest, [first]: items } as ByKind<K>));
    });
  }

  function again(milliseconds: number): void {
    const at = world.clock.now() + milliseconds;
    if (due !== undefined && due.at <= at) return;
    due?.callOff();
    const callOff = process.after(milliseconds, () => {
      due = undefined;
      reconcile({ call, read, again });
    });
    due = { at, callOff };
  }

  const stop = world.store.onChange(({ object }) => {
    if (kinds.includes(object.kind)) again(process.chance.draw(world.timings.controller));
  });
  process.onExit(stop);
  again(process.chance.draw(world.timings.controller));
}
