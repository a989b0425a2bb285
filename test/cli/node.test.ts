import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Problem } from '../../src/core/problem.ts';
import { SCRIPT_CASES } from '../golden/cases.ts';
import { bootlace } from '../support/command.ts';

const example = fileURLToPath(new URL('../../examples/aks-node.yaml', import.meta.url));
const exampleText = readFileSync(example, 'utf8');
const typical = SCRIPT_CASES.find((one) => one.name === 'typical')!.options;
const goldenScript = readFileSync(new URL('../golden/scripts/example.sh', import.meta.url), 'utf8');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bootlace-cli-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function file(text: string | Buffer, name = 'pool.yaml'): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('render', () => {
  test('prints base64 of the script, one line a document', () => {
    const { status, stdout, stderr } = bootlace(['node', 'render', '-f', example]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(Buffer.from(stdout, 'base64').toString('utf8')).toBe(goldenScript);
    expect(stdout).toMatch(/^[A-Za-z0-9+/]+=*\n$/);
  });

  test('reads standard input behind -f -', () => {
    expect(bootlace(['node', 'render', '-f', '-', '-o', 'script'], exampleText).stdout).toBe(goldenScript);
  });

  test('tells JSON from YAML by content, and reads one JSON object a line', () => {
    const line = JSON.stringify(typical);
    const { stdout } = bootlace(['node', 'render', '-f', file(`${line}\n${line}\n`, 'pool.txt')]);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toBe(lines[1]);
  });

  test('json says how large the script is and what the limit is', () => {
    const { stdout } = bootlace(['node', 'render', '-f', example, '-o', 'json']);
    const result = JSON.parse(stdout) as Record<string, unknown>;
    const bytes = Buffer.byteLength(goldenScript);
    expect(result).toEqual({
      bootstrapper: 'aks/v1.14',
      script: Buffer.from(goldenScript).toString('base64'),
      bytes,
      base64Length: Buffer.from(goldenScript).toString('base64').length,
      limit: 65_535,
      problems: [],
    });
  });

  test('variables are one JSON object a line', () => {
    const { stdout } = bootlace([
      'node',
      'render',
      '-f',
      file(`${exampleText}\n---\n${exampleText}`),
      '-o',
      'variables',
    ]);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { variables: Record<string, string>; decoded: Record<string, unknown> });
    expect(lines.map((line) => line.variables['KUBERNETES_VERSION'])).toEqual(['1.34.2', '1.34.2']);
    expect(lines[0]!.decoded['KUBELET_NODE_LABELS']).toMatchObject({ team: 'payments' });
  });

  test('one refused document among good ones means nothing on standard output and status 2', () => {
    const bad = exampleText.replace('arch: amd64', 'arch: mips');
    for (const lenient of [[], ['--lenient']]) {
      const broken = lenient.length > 0 ? exampleText.replace('caBundle', 'caBundel') : bad;
      const { status, stdout, stderr } = bootlace([
        'node',
        'render',
        '-f',
        file(`${exampleText}\n---\n${broken}`),
        ...lenient,
      ]);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toContain('nothing was rendered');
    }
  });

  test('warnings go to standard error and do not stop', () => {
    const { status, stdout, stderr } = bootlace(['node', 'render', '-f', '-'], exampleText.replace('1.34.2', '1.40.0'));
    expect(status).toBe(0);
    expect(stderr).toContain('VERSION_UNKNOWN');
    expect(stdout).not.toContain('VERSION_UNKNOWN');
  });

  test('-O writes the file with mode 0600, whatever the umask, and shows a summary without secrets', () => {
    const out = join(folder, 'node.sh');
    const { status, stdout, stderr } = bootlace(['node', 'render', '-f', example, '-o', 'script', '-O', out]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(readFileSync(out, 'utf8')).toBe(goldenScript);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    expect(stderr).toContain('65,535');
    expect(stderr).toContain('1.34.2');
    expect(stderr).not.toContain('07401b');
    expect(readdirSync(folder)).toEqual(['node.sh']);
  });

  test('-O replaces a file, through a link to it as well', () => {
    const target = file('old', 'target.sh');
    chmodSync(target, 0o644);
    symlinkSync(target, join(folder, 'link.sh'));
    expect(bootlace(['node', 'render', '-f', example, '-o', 'script', '-O', join(folder, 'link.sh')]).status).toBe(0);
    expect(readFileSync(target, 'utf8')).toBe(goldenScript);
    expect(statSync(target).mode & 0o777).toBe(0o600);
  });

  test('-O never replaces what is no regular file', () => {
    const { status, stderr } = bootlace(['node', 'render', '-f', example, '-O', '/dev/null']);
    expect(status).toBe(1);
    expect(stderr).toContain('no regular file');
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  test('-O never replaces a link that leads nowhere, as /dev/stdout is one on a pipe', () => {
    const link = join(folder, 'stdout');
    symlinkSync('/proc/self/fd/99', link);
    const { status, stderr } = bootlace(['node', 'render', '-f', example, '-O', link]);
    expect(status).toBe(1);
    expect(stderr).toContain('links to');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  test('-O into a folder that is not there fails with status 1 and leaves nothing', () => {
    const { status, stdout, stderr } = bootlace([
      'node',
      'render',
      '-f',
      example,
      '-O',
      join(folder, 'missing/node.sh'),
    ]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain('cannot write');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('several scripts need a directory, and are numbered in it', () => {
    const pools = file(`${exampleText}\n---\n${exampleText}`);
    const refused = bootlace(['node', 'render', '-f', pools, '-o', 'script']);
    expect({ status: refused.status, stdout: refused.stdout }).toEqual({ status: 2, stdout: '' });
    const scripts = join(folder, 'scripts');
    expect(bootlace(['node', 'render', '-f', pools, '-o', 'script', '-O', scripts]).status).toBe(0);
    expect(readdirSync(scripts).toSorted()).toEqual(['0000.sh', '0001.sh']);
  });
});

describe('check', () => {
  test('says that nothing is wrong', () => {
    expect(bootlace(['node', 'check', '-f', example])).toEqual({
      status: 0,
      stdout: `${example}: no problems in 1 document\n`,
      stderr: '',
    });
  });

  test('json is a list of problems with document, line and column', () => {
    const bad = `${exampleText}\n---\n${exampleText.replace('kubernetesVersion: "1.34.2"', 'kubernetesVersion: 1.30')}`;
    const { status, stdout } = bootlace(['node', 'check', '-f', file(bad), '-o', 'json']);
    const problems = JSON.parse(stdout) as Problem[];
    expect(status).toBe(2);
    expect(problems).toHaveLength(1);
    const line = bad.split('\n').indexOf('kubernetesVersion: 1.30') + 1;
    expect(problems[0]).toMatchObject({
      severity: 'error',
      code: 'FIELD_TYPE',
      path: '/kubernetesVersion',
      document: 1,
      line,
      column: 1,
    });
    expect(problems[0]!.hint).toContain('"1.30"');
  });

  test('warnings alone give status 0, and 2 with --fail-on warning', () => {
    const pool = file(exampleText.replace('1.34.2', '1.40.0'));
    expect(bootlace(['node', 'check', '-f', pool]).status).toBe(0);
    expect(bootlace(['node', 'check', '-f', pool, '--fail-on', 'warning']).status).toBe(2);
  });

  test('an expired certificate is a warning', () => {
    const expired = file(exampleText);
    const { stdout } = bootlace(['node', 'check', '-f', expired, '-o', 'json']);
    expect(JSON.parse(stdout)).toEqual([]);
  });

  test.each([
    ['a missing file', () => join(folder, 'none.yaml'), 'DOCUMENT_UNREADABLE'],
    ['a directory', () => folder, 'DOCUMENT_UNREADABLE'],
    ['an empty file', () => file(''), 'DOCUMENT_EMPTY'],
    ['a file that is not UTF-8', () => file(Buffer.from([0x61, 0x3a, 0x20, 0xff])), 'ENCODING_INVALID'],
    ['UTF-16', () => file(Buffer.from('\ufeffa: 1', 'utf16le')), 'ENCODING_INVALID'],
    ['UTF-16 without a mark', () => file(Buffer.from('arch: amd64', 'utf16le')), 'ENCODING_INVALID'],
    ['more than 8 MiB', () => file(`a: ${'x'.repeat(8 * 1024 * 1024)}`), 'DOCUMENT_TOO_LARGE'],
    ['no YAML', () => file('a: [1'), 'DOCUMENT_SYNTAX'],
  ])('%s is refused with status 2', (_name, path, code) => {
    const { status, stdout } = bootlace(['node', 'check', '-f', path(), '-o', 'json']);
    expect(status).toBe(2);
    expect((JSON.parse(stdout) as Problem[]).map((problem) => problem.code)).toEqual([code]);
  });

  test('a byte order mark is no part of the text', () => {
    expect(bootlace(['node', 'check', '-f', file(`\ufeff${exampleText}`)]).status).toBe(0);
  });

  test('a token is never shown, whatever is wrong around it', () => {
    const token = '07401b.f395accd246ae52d';
    for (const [from, to] of [
      ['kubeletClientTLSBootstrapToken: ', 'kubeletClientTLSBootstrapTokn: '],
      ['kubeletClientTLSBootstrapToken: ', 'kubeletClientTLSBootstrapToken: : '],
      ['kubeletClientTLSBootstrapToken: ', 'kubeletClientTLSBootstrapToken: ['],
      ['kubeletClientTLSBootstrapToken: ', 'kubeletClientTLSBootstrapToken: [a,'],
      ['kubeletClientTLSBootstrapToken: ', 'clusterId: '],
      [token, `${token}x`],
      [token, `"${token}\\0"`],
      ['arch: amd64', `arch: ${token}`],
    ] as const) {
      for (const verb of ['check', 'render']) {
        const { stdout, stderr } = bootlace(['node', verb, '-f', '-'], exampleText.replace(from, to));
        expect(stdout + stderr).not.toContain('f395accd246ae52d');
      }
    }
  });
});

describe('usage', () => {
  test.each([
    [['node', 'rendr'], 'node render'],
    [['nod'], 'bootlace node'],
    [['node', 'render', '--fil', 'x'], '--file'],
    [['node', 'render', 'pool.yaml'], '-f'],
    [['node', 'render'], '-f FILE'],
    [['node', 'render', '-f', 'x', '-o', 'yaml'], 'variables'],
    [['node', 'render', '-f', 'x', '-f', 'y'], 'twice'],
    [['node', 'check', '-f', 'x', '--bootstrapper', 'ask'], 'aks'],
    [['node', 'check', '-f', 'x', '--fail-on', 'never'], 'warning'],
    [['node', 'render', '-f', 'x', '-O', ''], '-O FILE'],
    [['constructor'], 'bootlace --help'],
    [['__proto__'], 'bootlace --help'],
  ])('%j is refused with status 2 and what to type instead', (args, hint) => {
    const { status, stdout, stderr } = bootlace(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(hint);
  });

  test.each([
    [[]],
    [['--help']],
    [['help']],
    [['node']],
    [['node', '--help']],
    [['node', 'render', '--help']],
    [['help', 'node', 'check']],
    [['schema', '-h']],
  ])('%j prints help with examples', (args) => {
    const { status, stdout } = bootlace(args);
    expect(status).toBe(0);
    expect(stdout).toContain('Examples:');
  });

  test('schema prints a JSON Schema of the bootstrapper', () => {
    const { stdout } = bootlace(['schema', '--bootstrapper', 'aks/v0.4.0']);
    const document = JSON.parse(stdout) as { $schema: string; required: string[] };
    expect(document.$schema).toContain('2020-12');
    expect(document.required).toContain('clusterId');
  });

  test('version and --version agree with package.json', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(bootlace(['--version']).stdout).toBe(`bootlace ${version}\n`);
    expect(JSON.parse(bootlace(['version', '-o', 'json']).stdout)).toMatchObject({
      version,
      bootstrappers: ['aks/v0.4.0', 'aks/v1.14'],
    });
  });

  test('colour is for terminals, and FORCE_COLOR for the others', () => {
    const bad = exampleText.replace('arch: amd64', 'arch: mips');
    expect(bootlace(['node', 'check', '-f', '-'], bad).stdout).not.toContain('\u001b[');
    expect(bootlace(['node', 'check', '-f', '-'], bad, { NO_COLOR: '', FORCE_COLOR: '1' }).stdout).toContain('\u001b[');
  });

  test('control characters of the input do not reach the terminal', () => {
    const { stdout } = bootlace(['node', 'check', '-f', '-'], `${exampleText}\nextraVariables: {"a\\u001b[31m": x}\n`);
    expect(stdout).not.toContain('\u001b');
  });
});

test('a directory as the output of several documents may exist', () => {
  const scripts = join(folder, 'scripts');
  mkdirSync(scripts);
  expect(bootlace(['node', 'render', '-f', example, '-o', 'script', '-O', scripts]).status).toBe(0);
  expect(readdirSync(scripts)).toEqual(['0000.sh']);
});
