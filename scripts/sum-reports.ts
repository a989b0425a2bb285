// Adds up the reports of test runs and prints one line. A skipped test fails the sum where nothing may be skipped.
import { readFileSync } from 'node:fs';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
}

const reports = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, 'utf8')) as Report);
const sum = (count: (report: Report) => number): number => reports.reduce((total, report) => total + count(report), 0);
const failed = sum((report) => report.numFailedTests);
const skipped = sum((report) => report.numPendingTests + report.numTodoTests);
console.log(`${sum((report) => report.numPassedTests)} passed, ${failed} failed, ${skipped} skipped`);
if (failed > 0 || (skipped > 0 && process.env['BOOTLACE_REQUIRE_ALL'])) process.exitCode = 1;
