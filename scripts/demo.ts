// Shows bootlace at work: what it says of a bad file, and what it makes of the example.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const example = 'examples/aks-node.yaml';

/** Runs the built command, and returns its status. */
function bootlace(args: readonly string[], input?: string): number {
  console.log(`\n$ bootlace ${args.join(' ')}`);
  const run = spawnSync(process.execPath, [`${root}dist/bin/bootlace.cjs`, ...args], {
    cwd: root,
    stdio: [input === undefined ? 'inherit' : 'pipe', 'inherit', 'inherit'],
    ...(input !== undefined && { input }),
  });
  return run.status ?? 1;
}

function expectStatus(status: number, expected: number): void {
  if (status !== expected) throw new Error(`the command ended with status ${status}, and ${expected} was expected`);
}

console.log('A node pool with a few slips is refused before a machine boots with it:');
const slips = readFileSync(`${root}${example}`, 'utf8')
  .replace('kubernetesVersion: "1.34.2"', 'kubernetesVersion: 1.34')
  .replace('maxPods: 110', 'maxPod: 110')
  .replace('    effect: NoSchedule\n', '');
expectStatus(bootlace(['node', 'check', '-f', '-'], slips), 2);

console.log('\nWithout them it is rendered:');
mkdirSync(`${root}demo-output`, { recursive: true });
expectStatus(bootlace(['node', 'render', '-f', example, '-o', 'script', '-O', 'demo-output/aks-node.sh']), 0);
console.log('\nThe script is in demo-output/aks-node.sh. It carries a bootstrap token, so only you may read it.');

console.log('\nAt the other end, a change of a control plane is rehearsed before it happens:');
expectStatus(bootlace(['control-plane', 'rehearse']), 0);
