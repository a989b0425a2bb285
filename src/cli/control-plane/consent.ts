import { createInterface } from 'node:readline/promises';
import type { Io } from '../io.ts';
import { painter } from '../output.ts';

const WARNING = `After a pivot nothing on the disk of this node starts its API server. A reboot takes it away, and so does somebody
who deletes its Pod, until \`bootlace control-plane rollback\` brings the static Pods back; that needs no API.
`;

/**
 * Asks whether somebody who sits here takes what a reboot does. `--yes` says too little: it is written without a thought
 * of this.
 */
export async function acceptsRisk(hasYes: boolean, io: Io): Promise<boolean> {
  const { stdin, stderr, env } = io;
  const paint = painter(stderr, env);
  stderr.write(`${paint('yellow', 'warning')}: ${WARNING}`);
  const isThere = (stdin as { readonly isTTY?: boolean }).isTTY === true && stderr.isTTY === true;
  if (isThere && !hasYes) {
    const lines = createInterface({ input: stdin });
    try {
      stderr.write('Type yes to go on: ');
      const { value } = await lines[Symbol.asyncIterator]().next();
      if (typeof value === 'string' && value.trim() === 'yes') return true;
    } finally {
      lines.close();
    }
  }
  const why = hasYes ? '--yes does not cover this' : 'nobody said yes';
  stderr.write(`bootlace: nothing was changed: ${why}\nAdd --accept-reboot-risk where what a reboot does is known.\n`);
  return false;
}
