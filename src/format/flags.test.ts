import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { flagIndex, flagValue, flagValues, hasFlag, removeFlag, setFeatureGate, setFlag } from './flags.ts';

const ARGV = ['kube-apiserver', '--a=1', '--bare', '--b', '2', '--a=3', '--c=x=y', '--d='];

describe('reading', () => {
  test.each<[string, string[]]>([
    ['a', ['1', '3']],
    ['b', ['2']],
    ['bare', []],
    ['c', ['x=y']],
    ['d', ['']],
    ['none', []],
  ])('--%s has the values %j', (name, values) => {
    expect(flagValues(ARGV, name)).toEqual(values);
  });

  test('the last value counts', () => {
    expect(flagValue(ARGV, 'a')).toBe('3');
  });

  test('a flag without a value is there', () => {
    expect(hasFlag(ARGV, 'bare')).toBe(true);
    expect(hasFlag(ARGV, 'bar')).toBe(false);
  });

  test('underscores count as dashes, as they do to the components', () => {
    expect(flagValues(['--secure_port=1'], 'secure-port')).toEqual(['1']);
  });

  test('nothing behind two dashes is a flag', () => {
    expect(flagValues(['--a=1', '--', '--a=2'], 'a')).toEqual(['1']);
  });

  test('a flag is not found inside another, nor in a value', () => {
    expect(flagValues(['--my-advertise-address=1', '--x=--advertise-address=2'], 'advertise-address')).toEqual([]);
  });

  test('the place of a value is known', () => {
    expect(flagIndex(ARGV, 'a')).toBe(5);
    expect(flagIndex(ARGV, 'a', '1')).toBe(1);
    expect(flagIndex(ARGV, 'b')).toBe(4);
    expect(flagIndex(ARGV, 'none')).toBeUndefined();
  });
});

describe('setting', () => {
  test.each<[string, string[], string[]]>([
    ['changes the last occurrence alone', ['x', '--a=1', '--a=2', '--b'], ['x', '--a=1', '--a=new', '--b']],
    ['changes a value in an element of its own', ['x', '--a', '1', '--b'], ['x', '--a', 'new', '--b']],
    ['gives a value to a bare flag', ['x', '--a', '--b'], ['x', '--a=new', '--b']],
    ['adds a flag at the end', ['x', '--b'], ['x', '--b', '--a=new']],
    ['adds a flag before two dashes', ['x', '--', 'y'], ['x', '--a=new', '--', 'y']],
    ['keeps the spelling', ['--a_b=1'], ['--a_b=1', '--a=new']],
  ])('%s', (_, argv, expected) => {
    expect(setFlag(argv, 'a', 'new')).toEqual(expected);
  });
});

test('removing takes every occurrence, and the value behind it', () => {
  expect(removeFlag(['x', '--a=1', '--b', '--a', '2', '--a', '--c'], 'a')).toEqual(['x', '--b', '--c']);
});

describe('a feature gate', () => {
  test.each<[string, string[], string[]]>([
    ['is added as a flag', ['x'], ['x', '--feature-gates=G=false']],
    ['joins the others', ['--feature-gates=A=true'], ['--feature-gates=A=true,G=false']],
    [
      'joins the last of several',
      ['--feature-gates=A=true', '--feature-gates=B=true'],
      ['--feature-gates=A=true', '--feature-gates=B=true,G=false'],
    ],
    ['takes the place of an older word', ['--feature-gates=G=true,A=true'], ['--feature-gates=A=true,G=false']],
    [
      'takes the place of one that names its component',
      ['--feature-gates=kube:G=true,A=true', '--b'],
      ['--feature-gates=A=true,G=false', '--b'],
    ],
    ['takes the place of the only word', ['--feature-gates', 'G=true'], ['--feature-gates', 'G=false']],
  ])('%s', (_, argv, expected) => {
    expect(setFeatureGate(argv, 'G', false)).toEqual(expected);
  });
});

const name = fc.constantFrom('a', 'b', 'c');
const element = fc.oneof(
  fc.tuple(name, fc.string()).map(([flag, value]) => `--${flag}=${value}`),
  name.map((flag) => `--${flag}`),
  fc.string().filter((text) => !text.startsWith('--')),
);

test('what is set is read back, and all other flags are as they were', () => {
  fc.assert(
    fc.property(
      fc.array(element),
      name,
      fc.string().filter((text) => !text.startsWith('--')),
      (argv, flag, value) => {
        const after = setFlag(argv, flag, value);
        expect(flagValue(after, flag)).toBe(value);
        for (const other of ['a', 'b', 'c'].filter((one) => one !== flag))
          expect(flagValues(after, other)).toEqual(flagValues(argv, other));
      },
    ),
  );
});

test('what is removed is gone, and all other flags are as they were', () => {
  fc.assert(
    fc.property(fc.array(element), name, (argv, flag) => {
      const after = removeFlag(argv, flag);
      expect(hasFlag(after, flag)).toBe(false);
      expect(after.every((one) => argv.includes(one))).toBe(true);
    }),
  );
});
