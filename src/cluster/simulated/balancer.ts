import type { Endpoint } from '../host.ts';
import type { Balancer } from './network.ts';
import type { World } from './world.ts';

/** Checks in a row after which a server counts as down, and as up again. Defaults of HAProxy. */
const FALL = 3;
const RISE = 2;

/**
 * A load balancer before several API servers: it asks each whether it is ready, gives connections to those that are, any
 * of them, and tries the next one where a server does not take a connection. In turn would be no matter of chance, but let
 * each client move all others.
 */
export function createBalancer(
  endpoint: Endpoint,
  servers: readonly Endpoint[],
): Balancer & { start(world: World): void } {
  const states = servers.map((server) => ({ server, isUp: true, inARow: 0 }));

  function note(state: (typeof states)[number], isReady: boolean): void {
    state.inARow = isReady === state.isUp ? 0 : state.inARow + 1;
    if (state.inARow < (state.isUp ? FALL : RISE)) return;
    state.isUp = isReady;
    state.inARow = 0;
  }

  return {
    ...endpoint,
    choices: (random) => {
      const up = states.filter(({ isUp }) => isUp).map(({ server }) => server);
      const turn = Math.floor(random.next() * up.length);
      return up.map((_, index) => up[(turn + index) % up.length]!);
    },
    start: (world) => {
      const { random } = world.chance('balancer');
      const check = (): void => {
        for (const state of states) {
          const server = world.network.connect({ random }, state.server);
          if ('refusal' in server) note(state, false);
          else {
            let isReady = false;
            server.request({ verb: 'health', check: 'readyz' }, 'system:anonymous', ({ status }) => {
              isReady = status === 200;
            });
            // An answer that does not come at once comes too late.
            note(state, isReady);
          }
        }
        world.clock.at(world.clock.now() + world.timings.balancerCheck, check);
      };
      check();
    },
  };
}
