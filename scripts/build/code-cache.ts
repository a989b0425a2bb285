// Runs the bundled program on the example until V8 has compiled what a start needs, and keeps the result.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Script } from 'node:vm';

const [program = '', example = ''] = process.argv.slice(2);
const script = new Script(
  `(function (exports, require, module, __filename, __dirname) {${readFileSync(program, 'utf8')}\n})`,
  { filename: program },
);
const module: { exports: Partial<typeof import('../../src/cli/program.ts')> } = { exports: {} };
const run = script.runInThisContext() as (...args: unknown[]) => void;
run(module.exports, createRequire(program), module, program, '');

const sink = { write: () => true };
const io = { stdin: process.stdin, stdout: sink, stderr: sink, env: {}, now: () => new Date(0) };
for (const form of ['base64', 'json']) await module.exports.run!(['node', 'render', '-f', example, '-o', form], io);
await module.exports.run!(['node', 'check', '-f', example], io);
const cache = script.createCachedData();
writeFileSync(program.replace(/\.cjs$/, `-${process.versions.v8}-${process.arch}.cache`), cache);
