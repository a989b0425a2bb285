import { mkdir, stat, symlink } from 'node:fs/promises';
import { posix } from 'node:path';
import type { HostFiles } from '../host.ts';
import { flushDirectory } from './files.ts';

/** Name of the unit. */
const UNIT = 'bootlace-redirect.service';

/** Where it lies, and what makes the kubelet wait for it. */
export const UNITS = '/etc/systemd/system';
export const WANTS = `${UNITS}/kubelet.service.wants`;
/** What it runs goes by these files, in the form of the programs that read them. */
const RULES = ['/etc/kubernetes/bootlace/redirect.rules', '/etc/kubernetes/bootlace/redirect-2.rules'] as const;

export interface BootRules {
  /** One, or one for each family of addresses. */
  readonly parts: readonly BootPart[];
  /** They are set as long as this file is there. */
  readonly file: string;
}

export interface BootPart {
  /** Path of the program that takes the rules, and its arguments before the name of their file. */
  readonly command: readonly string[];
  readonly rules: string;
}

/**
 * What systemd sets again at each boot. It is a unit and no init container of the relay, since images of an API server
 * have no program that could. Firewalls flush what was there before them, and the kubelet asks the API as soon as it runs.
 */
export function unitText({ parts, file }: BootRules): string {
  const commands = parts.map(({ command }, index) => `ExecStart=${[...command, RULES[index]].join(' ')}`);
  return `[Unit]
Description=New connections to the API server go to its relay, until bootlace control-plane resume or rollback
ConditionPathExists=${file}
After=nftables.service iptables.service ip6tables.service netfilter-persistent.service firewalld.service ufw.service
Before=kubelet.service

[Service]
Type=oneshot
RemainAfterExit=yes
${commands.join('\n')}
`;
}

/** Keeps rules for each boot, or none, in an order in which a kill at any moment leaves what is harmless. */
export function createBoot(files: HostFiles): { keep(rules: BootRules): Promise<void>; drop(): Promise<void> } {
  const unit = posix.join(UNITS, UNIT);
  const link = posix.join(WANTS, UNIT);

  async function writeOnce(path: string, text: string): Promise<void> {
    const known = await files.read(path).then(
      (bytes) => new TextDecoder().decode(bytes),
      () => undefined,
    );
    if (known !== text) await files.write(path, text);
  }

  return {
    keep: async (boot) => {
      // Without systemd whoever goes on with the run sets the redirect again.
      if (!(await hasUnits())) return;
      // What is there already needs no room on the disk.
      for (const [index, { rules }] of boot.parts.entries()) await writeOnce(RULES[index]!, rules);
      await writeOnce(unit, unitText(boot));
      await mkdir(WANTS, { recursive: true });
      try {
        await symlink(unit, link);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      await flushDirectory(WANTS);
    },
    drop: async () => {
      await files.remove(link);
      await files.remove(unit);
      for (const path of RULES) await files.remove(path);
    },
  };
}

/** Whether the node starts what systemd is told to. */
async function hasUnits(): Promise<boolean> {
  try {
    return (await stat(UNITS)).isDirectory();
  } catch {
    return false;
  }
}
