import { table } from '../table.ts';
import { outcomeOf, type RequestRecord, type WatchRecord } from './records.ts';
import type { LeaderReport, Observations, Report } from './report.ts';

const LEGEND =
  '· acknowledged   ∘ slow   ▒ asked to come back   █ failed, no leader   ↻ watch resumed   ↺ read again   (blank) not there';
const SLOW = 250;
const NAME_WIDTH = 18;

/** A report as a person reads it: a line of time for each client and leader, and the sums. */
export function timelineText(
  report: Report,
  { vantages, start }: Pick<Observations, 'vantages' | 'start'>,
  columns: number,
): string {
  const records = new Map(vantages.map((vantage) => [vantage.name, vantage.records]));
  const width = Math.max(20, Math.min(columns, 160) - NAME_WIDTH - 1);
  const length = report.seconds * 1000;
  const column = (moment: number): number => Math.min(width - 1, Math.max(0, Math.floor((moment / length) * width)));
  const lanes = report.clients
    .filter(({ client }) => client !== 'quiet')
    .map(({ vantage, client }) => {
      const requests = (records.get(vantage) ?? []).filter(
        (one): one is RequestRecord =>
          one.kind === 'request' && one.client === client && one.at >= start && one.at < start + length,
      );
      return lane(`${vantage} ${client}`, clientCells(requests, start, width, column));
    });
  const watches = report.watches.map(({ vantage, watch }) => {
    const events = (records.get(vantage) ?? []).filter(
      (one): one is WatchRecord => one.kind === 'watch' && one.watch === watch && one.at >= start,
    );
    const cells = Array.from({ length: width }, () => '·');
    for (const { event, at } of events) {
      if (event === 'resume' && at - start < length && cells[column(at - start)] === '·')
        cells[column(at - start)] = '↻';
      if (event === 'list' && at - start < length) cells[column(at - start)] = '↺';
    }
    return lane(`${vantage} ${watch}`, cells.join(''));
  });
  const leaders = report.leaders.map(({ component, changes }) => {
    const cells = Array.from({ length: width }, () => '·');
    for (const { at, gap } of changes) {
      for (let cell = column(at * 1000 - gap); cell <= column(at * 1000); cell += 1) cells[cell] = '█';
    }
    return lane(component.replace('kube-', ''), cells.join(''));
  });
  return [
    `${' '.repeat(NAME_WIDTH + 1)}${scale(report.seconds, width)}`,
    ...lanes,
    ...watches,
    ...leaders,
    '',
    LEGEND,
    '',
    ...summary(report),
    '',
  ].join('\n');
}

function lane(name: string, cells: string): string {
  return `${name.slice(0, NAME_WIDTH).padEnd(NAME_WIDTH)} ${cells}`;
}

/** The worst that happened in each cell of time. */
function clientCells(
  requests: readonly RequestRecord[],
  start: number,
  width: number,
  column: (moment: number) => number,
): string {
  const marks = [' ', '·', '∘', '▒', '█'];
  const worst = Array.from({ length: width }, () => 0);
  for (const request of requests) {
    const rank = { acknowledged: request.ms > SLOW ? 2 : 1, retriable: 3, failed: 4 }[outcomeOf(request)];
    const cell = column(request.at - start);
    worst[cell] = Math.max(worst[cell]!, rank);
  }
  return worst.map((rank) => marks[rank]).join('');
}

/** Marks of time that are easy to read, as many as fit. */
function scale(seconds: number, width: number): string {
  const steps = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];
  const step = steps.find((one) => (one / seconds) * width >= 9) ?? 3600;
  let line = '';
  for (let moment = 0; moment < seconds; moment += step) {
    const text = `${moment}s`;
    const at = Math.floor((moment / seconds) * width);
    if (at + text.length <= width) line = line.padEnd(at) + text;
  }
  return line;
}

function summary({ clients, watches, leaders, containers, totals, seconds }: Report): string[] {
  const rows = clients.map(({ vantage, client, requests, failed, retriable, missing, latency, outages, stalls }) => [
    `${vantage} ${client}`,
    `${requests}`,
    `${failed}`,
    `${retriable}`,
    `${missing ?? '?'}`,
    `${latency.median} / ${latency.p99} / ${latency.max}`,
    spans(outages),
    spans(stalls),
  ]);
  const head = ['CLIENT', 'WRITES', 'FAILED', 'RETRIABLE', 'MISSING', 'MS: MEDIAN / P99 / MAX', 'OUTAGES', 'STALLS'];
  const restarted = containers.filter(({ restarts }) => restarts !== 0);
  return [
    ...table([head, ...rows]),
    '',
    ...watches.map(
      ({ vantage, watch, seen, lost, resumed, relisted, gone }) =>
        `watch of the ${watch} resource, ${vantage}: ${seen} changes seen, ${lost ?? '?'} lost, resumed ${times(resumed)}, relisted ${times(relisted)}, 410 ${times(gone)}`,
    ),
    ...leaders.map(({ component, changes }) =>
      changes.length === 0
        ? `${component}: one leader throughout`
        : `${component}: ${changes.map(leadership).join(', ')}`,
    ),
    ...(restarted.length === 0 ? ['no container was restarted'] : []),
    ...restarted.map(
      ({ node, pod, container, restarts }) =>
        `${container} of ${pod} on ${node}: restarted ${restarts === null ? '? times' : times(restarts)}`,
    ),
    '',
    `${totals.failed} of ${totals.requests} writes failed in ${Math.round(seconds)} s, ${totals.missing ?? '?'} acknowledged ones are missing, watches lost ${totals.lost} changes`,
  ];
}

function leadership({ at, gap, to }: LeaderReport['changes'][number]): string {
  return to === '' ? `no leader for the last ${gap} ms` : `new leader at ${at} s after ${gap} ms without`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function spans(list: Report['clients'][number]['outages']): string {
  if (list.length === 0) return '-';
  const longest = Math.max(...list.map(({ ms }) => ms));
  return list.length === 1 ? `${longest} ms at ${list[0]!.at} s` : `${list.length}, longest ${longest} ms`;
}
