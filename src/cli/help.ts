import { UsageError } from '../core/errors.ts';
import { nearestName } from '../core/nearest.ts';

interface Entry {
  readonly words: string;
  readonly summary: string;
}

/** What `bootlace --help` prints, or `bootlace GROUP --help`. */
export function helpOf(commands: readonly Entry[], group: string | undefined): string {
  const shown = commands.filter((command) => group === undefined || command.words.startsWith(`${group} `));
  const width = Math.max(...shown.map((command) => command.words.length));
  return [
    'Bootstraps Kubernetes at both ends: what a new machine runs to join a cluster, and control planes that the',
    'cluster hosts itself.',
    '',
    'Examples:',
    '  bootlace node check -f pool.yaml',
    '  bootlace node render -f pool.yaml > custom-data.txt',
    '  bootlace node render -f pool.yaml -o script | less',
    '  bootlace control-plane rehearse',
    '',
    'Commands:',
    ...shown.map((command) => `  bootlace ${command.words.padEnd(width)}  ${command.summary}`),
    '',
    'Every command has --help. Exit status: 0 done, 1 failed, 2 usage or refused input;',
    'changes of a control plane also 3 refused before anything was changed, 4 stopped on the way, 5 undone.',
    '',
  ].join('\n');
}

export function unknownCommand(words: string, known: readonly string[]): UsageError {
  const near = nearestName(words, known);
  return new UsageError(
    `there is no command ${JSON.stringify(words.trim())}`,
    near ? `Did you mean \`bootlace ${near}\`?` : 'Run `bootlace --help` for the list of commands.',
  );
}
