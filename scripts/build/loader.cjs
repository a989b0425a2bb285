'use strict';
// Loads the program with the machine code that V8 made of it at build time, which saves half of a start. The
// cache belongs to one version of V8; any other one, and a cache that V8 rejects, gives a plain start.
const readFileSync = require('fs').readFileSync;
const join = require('path').join;
const Script = require('vm').Script;

// The same text as at build time: V8 compares the source with the one that it compiled.
const HEAD = '(function (exports, require, module, __filename, __dirname) {';
const TAIL = '\n})';

const program = join(__dirname, 'program.cjs');

function cachedCode() {
  try {
    return readFileSync(join(__dirname, 'program-' + process.versions.v8 + '-' + process.arch + '.cache'));
  } catch (error) {
    // Made with another version of V8, or not made: a plain start does the same.
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

const cachedData = cachedCode();
if (cachedData === undefined) module.exports = require('./program.cjs');
else {
  const script = new Script(HEAD + readFileSync(program, 'utf8') + TAIL, { filename: program, cachedData: cachedData });
  script.runInThisContext()(exports, require, module, program, __dirname);
}
