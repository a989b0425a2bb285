import type { Problem } from '../core/problem.ts';
import { escapeControls, redact } from '../core/redact.ts';
import type { BootstrapperKind } from '../node/bootstrapper.ts';
import type { Written } from './commands/node-render.ts';
import { countProblems, grouped, type painter, printProblems } from './output.ts';

/** What a person wants to see after files were written: what matters of the nodes, sizes, warnings, places. */
export function summarize(
  written: readonly Written[],
  problems: readonly Problem[],
  file: string,
  kind: BootstrapperKind,
  paint: ReturnType<typeof painter>,
): string {
  const parts = written.map(({ path, node }) => {
    const bytes = node.bytes;
    const share = `${Math.ceil((bytes / kind.limit) * 100)} %`;
    const size = `${grouped(bytes)} of ${grouped(kind.limit)} bytes of custom data (${share})`;
    const rows = node.highlights();
    const width = Math.max(...rows.map(([name]) => name.length));
    return [
      `${paint('green', 'wrote')} ${paint('bold', path)}  ${paint('dim', `mode 0600, for ${kind.name}`)}`,
      ...rows.map(([name, value]) => `  ${paint('cyan', name.padEnd(width))}  ${escapeControls(redact(value))}`),
      `  ${paint('cyan', 'size'.padEnd(width))}  ${size}`,
      '',
    ].join('\n');
  });
  const findings = problems.length > 0 ? `${printProblems(problems, file, paint)}\n` : '';
  return `${parts.join('\n')}\n${findings}${file}: ${countProblems(problems)}\n`;
}
