import type { Redirect, Redirects } from '../host.ts';
import type { BootRules } from './boot.ts';
import { CommandError, type Run } from './commands.ts';
import {
  FAMILIES,
  familiesOf,
  iptablesEnd,
  iptablesForget,
  iptablesSet,
  isInIptables,
  joined,
  nftEnd,
  nftForget,
  nftList,
  nftSet,
  redirectIn,
  redirectInIptables,
  type Family,
} from './redirect-rules.ts';

/** Rules of the kernel that make a redirect, in one form. */
interface Rules extends Omit<Redirects, 'set'> {
  set(redirect: Redirect, seconds: number | undefined): Promise<void>;
  /** What a boot has to run for the same. */
  atBoot(redirect: Redirect): Promise<BootRules['parts']>;
}

/** What a boot does, if anything. */
export interface Boot {
  keep(rules: BootRules): Promise<void>;
  drop(): Promise<void>;
}

/**
 * Redirects in the form that the node has: nftables where its command and the kernel take it, and iptables otherwise. What
 * the disk has comes first: killed between the two, a node has a redirect too many after a boot, to a relay that serves.
 */
export function createRedirects(run: Run, now: () => number, boot: Boot): Redirects {
  let chosen: Promise<Rules> | undefined;
  const form = (): Promise<Rules> => (chosen ??= choose(run, now));
  return {
    get: async () => (await form()).get(),
    set: async (redirect, { seconds, atBootWith } = {}) => {
      const rules = await form();
      if (atBootWith === undefined) await boot.drop();
      else await boot.keep({ parts: await rules.atBoot(redirect), file: atBootWith });
      await rules.set(redirect, seconds);
    },
    remove: async () => {
      await boot.drop();
      await (await form()).remove();
    },
    forget: async () => (await form()).forget(),
  };
}

async function choose(run: Run, now: () => number): Promise<Rules> {
  try {
    await run('nft', ['list', 'tables']);
    return nftables(run);
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause;
    return iptables(run, now);
  }
}

function nftables(run: Run): Rules {
  const apply = async (script: string): Promise<void> => void (await run('nft', ['-f', '-'], script));
  const present = async (): Promise<readonly Family[]> => {
    const tables = (await run('nft', ['list', 'tables'])).split('\n');
    return FAMILIES.filter((family) => tables.includes(`table ${family} bootlace`));
  };
  return {
    get: async () => {
      const parts: ReturnType<typeof redirectIn>[] = [];
      for (const family of await present()) parts.push(redirectIn(await run('nft', nftList(family))));
      return joined(parts);
    },
    set: (redirect, seconds) => apply(nftSet(redirect, seconds)),
    atBoot: async (redirect) => [{ command: [await pathOf(run, 'nft'), '-f'], rules: nftSet(redirect, undefined) }],
    remove: async () => {
      for (const family of await present()) await apply(nftEnd(family));
    },
    forget: async () => {
      for (const family of await present()) await apply(nftForget(family));
    },
  };
}

const PROGRAMS: Readonly<Record<Family, string>> = { ip: 'iptables', ip6: 'ip6tables' };
/** Seconds for which another program may hold the lock of the rules. */
const LOCK = '5';

function iptables(run: Run, now: () => number): Rules {
  const save = (family: Family): Promise<string> => run(`${PROGRAMS[family]}-save`, ['-t', 'nat']);
  const restore = async (family: Family, input: string): Promise<void> =>
    void (await run(`${PROGRAMS[family]}-restore`, ['--noflush', '--wait', LOCK], input));
  const present = async (): Promise<readonly (readonly [Family, string])[]> => {
    const found: (readonly [Family, string])[] = [];
    for (const family of FAMILIES) {
      const saved = await save(family).catch((error: unknown) => {
        // A node without IPv6 has no program of it, or no table.
        if (family === 'ip6' && error instanceof CommandError) return '';
        throw error;
      });
      if (isInIptables(saved)) found.push([family, saved]);
    }
    return found;
  };
  return {
    get: async () => joined((await present()).map(([, saved]) => redirectInIptables(saved, now()))),
    set: async (redirect, seconds) => {
      const until = seconds === undefined ? undefined : now() + seconds * 1000;
      for (const family of familiesOf(redirect))
        await restore(family, iptablesSet(redirect, family, until, await save(family)));
    },
    atBoot: (redirect) =>
      Promise.all(
        familiesOf(redirect).map(async (family) => ({
          command: [await pathOf(run, `${PROGRAMS[family]}-restore`), '--noflush', '--wait', LOCK],
          // At a boot there is nothing of ours yet.
          rules: iptablesSet(redirect, family, undefined, ''),
        })),
      ),
    remove: async () => {
      for (const [family] of await present()) await restore(family, iptablesEnd());
    },
    forget: async () => {
      for (const [family, saved] of await present()) await restore(family, iptablesForget(saved));
    },
  };
}

/** systemd wants the whole path of a program. */
async function pathOf(run: Run, program: string): Promise<string> {
  return (await run('sh', ['-c', `command -v ${program}`])).trim();
}
