import { escapeControls } from '../../core/redact.ts';
import type { Rehearsal, RehearsalOutcome } from '../../control-plane/rehearsal/rehearsal.ts';
import { grouped, type painter } from '../output.ts';
import { printTimeline } from './timeline.ts';

type Paint = ReturnType<typeof painter>;

/** A rehearsal as people read it: who served when, and what that came to. */
export function printReport(rehearsal: Rehearsal, paint: Paint): string {
  const rows: readonly (readonly [string, string])[] = [
    ['requests', requests(rehearsal)],
    ...under('outages', outages(rehearsal)),
    ...under('leaders', leaders(rehearsal)),
    ...under(
      'restarts',
      rehearsal.restarts.map(({ pod, count }) => `${pod}  ${count}`),
    ),
    ...under('steps', steps(rehearsal)),
    ['at the end', atTheEnd(rehearsal)],
  ];
  const { strategy, nodes, seed, fault, outcome, simulatedSeconds, realSeconds } = rehearsal;
  const subject = [
    `${strategy} on ${nodes} control ${nodes === 1 ? 'plane' : 'planes'}`,
    ...(fault === undefined ? [] : [`${fault.name} at ${fault.step}`]),
    `seed ${seed}`,
  ].join(', ');
  return [
    printTimeline(rehearsal, paint),
    `${subject}: ${paint(colourOf(outcome), outcome)}`,
    ...rows.map(([name, value]) => `  ${paint('cyan', name.padEnd(10))}  ${escapeControls(value)}`),
    paint(
      'dim',
      `  ${simulatedSeconds.toFixed(0)} s were simulated in ${realSeconds.toFixed(1)} s. Nothing was touched but memory.`,
    ),
    '',
  ].join('\n');
}

function requests({ requests: all, clients, failedRequests, retriableRequests, lostWrites }: Rehearsal): string {
  const lost =
    lostWrites === 0 ? 'no acknowledged write was lost' : `${grouped(lostWrites)} acknowledged writes were lost`;
  return `${grouped(failedRequests)} of ${grouped(all)} failed, of ${clients.length} clients; ${grouped(retriableRequests)} ${retriableRequests === 1 ? 'was' : 'were'} asked to come again; ${lost}`;
}

/** A name with its lines below each other, or that there is none. */
function under(name: string, lines: readonly string[]): readonly (readonly [string, string])[] {
  return lines.length === 0 ? [[name, 'none']] : lines.map((line, index) => [index === 0 ? name : '', line]);
}

function atTheEnd({ serving, missing }: Rehearsal): string {
  const api = serving ? 'the API serves' : 'the API does not serve';
  return missing === undefined ? api : `${api}; ${missing}`;
}

/** For each client how long, how often, and how many requests in all. */
function outages({ clients, simulatedSeconds }: Rehearsal): readonly string[] {
  return clients
    .filter((client) => client.outages.length > 0)
    .map(({ vantage, connection, outages: own, failed }) => {
      const longest = own.reduce((one, other) => (other.seconds > one.seconds ? other : one));
      const times = own.length === 1 ? '' : ` at most, ${own.length} times`;
      return `${vantage}, ${connection} connections: ${lasting(longest, simulatedSeconds)}${times}, ${grouped(failed)} requests`;
    });
}

function leaders({ leaderGaps, simulatedSeconds }: Rehearsal): readonly string[] {
  const components = [...new Set(leaderGaps.map(({ component }) => component))].toSorted((a, b) => (a < b ? -1 : 1));
  return components.map((component) => {
    const gaps = leaderGaps.filter((gap) => gap.component === component);
    return `${component}: ${gaps.map((gap) => lasting(gap, simulatedSeconds)).join(', ')} without one`;
  });
}

/** How long something lasted; what lasted as long as anybody looked is not over. */
function lasting({ at, seconds }: { readonly at: number; readonly seconds: number }, end: number): string {
  return `${seconds.toFixed(1)} s${at + seconds >= end - 0.001 ? ' and on' : ''}`;
}

function steps({ steps: all, outcome }: Rehearsal): readonly string[] {
  const done = all.filter((step) => step.outcome === 'done').length;
  const last = all.at(-1);
  const seconds = last === undefined ? 0 : last.at + last.seconds - all[0]!.at;
  const undone = all.filter((step) => step.undone === true).length;
  const stopped = outcome === 'stopped' ? [`stopped at ${last?.name}`] : [];
  return [
    `${done} done in ${seconds.toFixed(1)} s`,
    ...stopped,
    ...all.flatMap(({ name, reason }) => (reason === undefined ? [] : [`${name}: ${reason}`])),
    ...all.flatMap(({ name, undone: isUndone, undoReason }) =>
      isUndone === false && undoReason !== undefined ? [`the way back of ${name}: ${undoReason}`] : [],
    ),
    ...(undone > 0 ? [`${undone} taken back`] : []),
  ];
}

function colourOf(outcome: RehearsalOutcome): 'green' | 'yellow' | 'red' {
  switch (outcome) {
    case 'done':
      return 'green';
    case 'undone':
    case 'stopped':
      return 'yellow';
    case 'failed':
    case 'refused':
      return 'red';
    default:
      return outcome satisfies never;
  }
}
