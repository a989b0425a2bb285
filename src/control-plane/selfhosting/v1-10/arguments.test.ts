import { expect, test } from 'vitest';
import { withFlag } from './arguments.ts';

function rewritten(...command: string[]): { command: string[]; warnings: number } {
  const warnings: string[] = [];
  return { command: withFlag(command, 'k', 'v', (warning) => warnings.push(warning)), warnings: warnings.length };
}

test.each([
  [
    'flags come out sorted, by code unit',
    ['x', '--b=1', '--B=2', '--a=3'],
    ['x', '--B=2', '--a=3', '--b=1', '--k=v'],
    0,
  ],
  ['of a repeated flag the last stays', ['x', '--a=1', '--b=1', '--a=2'], ['x', '--a=2', '--b=1', '--k=v'], 0],
  ['the flag itself is replaced', ['x', '--k=1', '--k=2'], ['x', '--k=v'], 0],
  ['a bare flag is dropped', ['x', '--bare', '--a=1'], ['x', '--a=1', '--k=v'], 1],
  ['a flag and its value as two elements are both dropped', ['x', '--a', '1'], ['x', '--k=v'], 2],
  ['a flag with one dash is dropped', ['x', '-a=1'], ['x', '--k=v'], 1],
  ['a flag without a name is dropped', ['x', '--=1', '--'], ['x', '--k=v'], 2],
  ['an empty element is dropped', ['x', ''], ['x', '--k=v'], 1],
  ['an empty value is kept', ['x', '--a='], ['x', '--a=', '--k=v'], 0],
  ['a value may hold an equals sign and a line break', ['x', '--a=b=c\nd'], ['x', '--a=b=c\nd', '--k=v'], 0],
  ['an executable in front stays, whatever it looks like', ['-x=1', '--a=1'], ['-x=1', '--a=1', '--k=v'], 0],
  ['a flag in front is one of the flags', ['--z=1', '--a=1'], ['--a=1', '--k=v', '--z=1'], 0],
  ['a bare flag in front is dropped in silence', ['--bare', '--a=1'], ['--a=1', '--k=v'], 0],
  ['a key named __proto__ is a key', ['x', '--__proto__=1'], ['x', '--__proto__=1', '--k=v'], 0],
  ['of no command the flag is left', [], ['--k=v'], 0],
])('%s', (_, command, expected, warnings) => {
  expect(rewritten(...command)).toEqual({ command: expected, warnings });
});

test('a warning shows a flag, and not what may be the value of one', () => {
  const warnings: string[] = [];
  withFlag(['x', '--token', 'hunter2', '--t.\u001b[31m'], 'k', 'v', (warning) => warnings.push(warning));
  expect(warnings).toEqual([
    'Element 1 of the command "--token" is not of the form --key=value and is dropped.',
    'Element 2 of the command is not of the form --key=value and is dropped.',
    String.raw`Element 3 of the command "--t.\u001b[31m" is not of the form --key=value and is dropped.`,
  ]);
});
