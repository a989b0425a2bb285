import type { ComponentStatus, Status } from '../../control-plane/operations/status.ts';
import { escapeControls } from '../../core/redact.ts';
import type { painter } from '../output.ts';

type Paint = ReturnType<typeof painter>;

/** What runs on a node, as people read it. */
export function printStatus(status: Status, paint: Paint): string {
  const { node, api, components, leases, redirect, helpers, run, lockedBy, isPivoted, others, kubeadm, next, unseen } =
    status;
  const rows: (readonly [name: string, text: string])[] = [
    ...components.flatMap((component) => printComponent(component, paint)),
    ...leases.map(
      ({ component, holder, isHere }) =>
        [`leader of ${component}`, `${escapeControls(holder || 'nobody')}${isHere ? ', on this node' : ''}`] as const,
    ),
    ...(redirect
      ? [
          [
            'redirect',
            `${redirect.from.map(({ address, port }) => `${address}:${port}`).join(', ')} → ${redirect.to.address}:${redirect.to.port}`,
          ] as const,
        ]
      : []),
    ...helpers.map((name) => ['relay or copy', escapeControls(name)] as const),
    ...(run
      ? [
          [
            'run',
            `${run.verb} ${escapeControls(run.id)}, ${run.direction === 'forward' ? `${run.done} of ${run.steps} steps done` : `${run.done} steps taken back`}${run.at === undefined ? '' : `, at ${escapeControls(run.at)}`}`,
          ] as const,
        ]
      : []),
    ...(lockedBy === undefined ? [] : [['locked by', escapeControls(lockedBy)] as const]),
    ...others.map(
      ({ node: name, hosted, hasRun }) =>
        [
          `node ${escapeControls(name)}`,
          `${hosted.length === 0 ? 'static Pods' : `hosts ${hosted.join(', ')}`}${hasRun ? '; a run there is open' : ''}`,
        ] as const,
    ),
    ...kubeadm.map(
      ({ verb, isSafe, why }) =>
        [`kubeadm ${verb}`, isSafe ? paint('green', 'safe') : `${paint('yellow', 'not now')}: ${why}`] as const,
    ),
    ...unseen.map((text) => ['not seen', escapeControls(text)] as const),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const form = isPivoted ? ', pivoted' : '';
  const colour = api === 'serves' ? 'green' : 'red';
  return [
    `${paint('bold', escapeControls(node))}: the API ${paint(colour, api)}${form}`,
    ...rows.map(([name, text]) => `  ${paint('dim', name.padEnd(width))}  ${text}`),
    '',
    ...(next.length === 0 ? ['Nothing is left to do.'] : ['Next:', ...next.map((text) => `  ${escapeControls(text)}`)]),
    '',
  ].join('\n');
}

function printComponent(
  { component, servedBy, port, pid, pod, restarts, definedBy, revision, drift }: ComponentStatus,
  paint: Paint,
): readonly (readonly [name: string, text: string])[] {
  const isServed = servedBy === 'static Pod' || servedBy === 'hosted Pod';
  const who = paint(isServed ? 'green' : 'red', servedBy);
  const where = pid === undefined ? `port ${port}` : `port ${port}, process ${pid}`;
  const details = [
    where,
    ...(pod === undefined ? [] : [escapeControls(pod)]),
    ...(restarts ? [`${restarts} restarts`] : []),
    `defined by ${definedBy}${revision === undefined ? '' : ` ${revision}`}`,
  ];
  return [
    [component, `${who}: ${details.join(', ')}`],
    ...drift.map((text) => ['', paint('yellow', escapeControls(text))] as const),
  ];
}
