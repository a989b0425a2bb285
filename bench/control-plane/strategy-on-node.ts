// One strategy on the node that this program runs on, without a journal and without a way back: what a comparison needs.
//
// Usage: strategy-on-node NAME
import { openLinuxNode } from '../../src/cluster/linux/host.ts';
import { systemClock } from '../../src/core/clock.ts';
import { hasErrors } from '../../src/core/problem.ts';
import { CONTROL_PLANE_COMPONENTS } from '../../src/control-plane/selfhosting/labels.ts';
import { DEFAULT_RELAY_PORT } from '../../src/control-plane/selfhosting/modern/relay-options.ts';
import type { Strategy } from '../../src/control-plane/strategies/context.ts';
import { takeInventory } from '../../src/control-plane/strategies/inventory.ts';
import { STRATEGIES, type StrategyName } from '../../src/control-plane/strategies/strategies.ts';

async function run(name: StrategyName): Promise<void> {
  const node = await openLinuxNode({ kubeconfig: '/etc/kubernetes/admin.conf' });
  const { host, cluster } = node;
  const strategy: Strategy = STRATEGIES[name];
  const { context, problems } = await takeInventory({
    host,
    cluster,
    clock: systemClock,
    manifestsDir: '/etc/kubernetes/manifests',
    components: strategy.components ?? CONTROL_PLANE_COMPONENTS,
    relayPort: DEFAULT_RELAY_PORT,
    log: (message) => console.error(message),
  });
  const plan = context && strategy.plan(context);
  const all = [...problems, ...(plan?.problems ?? [])];
  if (plan === undefined || hasErrors(all)) throw new Error(all.map(({ message }) => message).join('\n'));
  for (const step of plan.steps) {
    console.error(`${step.name} begins`);
    await step.run();
    console.error(`${step.name} is done`);
  }
  node.close();
}

run(process.argv[2] as StrategyName).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
