// Ways to change a control plane beside each other on real clusters, each on one of its own: what clients notice.
//
// npm run bench:comparison -- [--kubernetes v1.35.4] [--only NAME,...]
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { StrategyName } from '../../src/control-plane/strategies/strategies.ts';
import type { Report } from '../cluster/probe/report.ts';
import { buildBinary, start, type Ran } from './bootlace.ts';
import { withCluster } from './clusters.ts';
import { watched } from './watched.ts';

/** Seconds after which it is called one that never ends. */
const PATIENCE = 300;

/** How many lines of what a way said before it failed are shown. */
const REASON_LINES = 6;

const WAYS: readonly (readonly [what: string, name: StrategyName])[] = [
  ['the algorithm of kubeadm as written', 'kubeadm'],
  ['the same without its deadlock', 'crash-loop'],
  ['port sharing', 'port-sharing'],
  ['an edited manifest (API server alone)', 'manifest-edit'],
  ['relay', 'relay'],
];

const { values } = parseArgs({ options: { kubernetes: { type: 'string' }, only: { type: 'string' } } });
const { only, ...flags } = values;
const program = buildBinary(join(import.meta.dirname, 'strategy-on-node.ts'));

console.log(
  '| way | requests | failed | longest outage | longest without a leader: manager, scheduler | restarts | took |',
);
console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: |');
for (const [what, name] of WAYS.filter((one) => only?.split(',').includes(one[1]) ?? true))
  await withCluster(flags, program, async (cluster) => {
    const carriedOut = async (): Promise<Ran & { readonly hasEnded: boolean }> => {
      const running = await start(cluster, 'cp1', [name], []);
      let hasEnded = true;
      const patience = setTimeout(() => {
        hasEnded = false;
        void running.kill();
      }, PATIENCE * 1000);
      const ran = await running.ended;
      clearTimeout(patience);
      return { ...ran, hasEnded };
    };
    const { result, seconds, seen } = await watched(cluster, carriedOut, { before: 5, after: 20 });
    const isDone = result.hasEnded && result.status === 0;
    const took = isDone ? `${seconds} s` : result.hasEnded ? `not done, given up after ${seconds} s` : 'never ends';
    console.log(`| ${what} | ${cellsOf(seen.report).join(' | ')} | ${took} |`);
    if (!isDone) console.error(`${name}: ${result.stderr.trim().split('\n').slice(0, REASON_LINES).join('\n')}`);
  });

function cellsOf({ clients, totals, leaders, containers }: Report): readonly string[] {
  const outage = Math.max(0, ...clients.flatMap(({ outages }) => outages.map(({ ms }) => ms)));
  const gapOf = (component: string): string => {
    const gaps = leaders.filter((one) => one.component === component).flatMap(({ changes }) => changes);
    return `${(Math.max(0, ...gaps.map(({ gap }) => gap)) / 1000).toFixed(1)} s`;
  };
  const restarts = containers
    .filter(({ container }) => container.startsWith('kube-'))
    .reduce((sum, one) => sum + (one.restarts ?? 0), 0);
  return [
    `${totals.requests}`,
    `${totals.failed}`,
    `${(outage / 1000).toFixed(1)} s`,
    `${gapOf('kube-controller-manager')}, ${gapOf('kube-scheduler')}`,
    `${restarts}`,
  ];
}
