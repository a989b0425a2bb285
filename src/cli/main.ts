#!/usr/bin/env node
import { writeSync } from 'fs';
import { isatty } from 'tty';
import type { Output } from './io.ts';

// The only file that reads process.env or ends the process. Before the version of Node is known to be new
// enough nothing else is loaded, and nothing newer than old versions can parse is written here.
const needed = [22, 19];
const running = process.versions.node.split('.').map(Number);
const isOld = running[0]! < needed[0]! || (running[0] === needed[0] && running[1]! < needed[1]!);

if (isOld) {
  process.stderr.write(`bootlace needs Node.js ${needed.join('.')} or newer; this is ${process.versions.node}\n`);
  process.exitCode = 2;
} else {
  void import('./program.ts').then((program) =>
    program
      .run(process.argv.slice(2), {
        // Opening a stream takes milliseconds, and most commands need none of them.
        get stdin() {
          return process.stdin;
        },
        stdout: output(1, () => process.stdout),
        stderr: output(2, () => process.stderr),
        env: process.env,
        now: () => new Date(),
        onInterrupt: (listener) => {
          process.on('SIGINT', listener);
          process.on('SIGTERM', listener);
          return () => {
            process.off('SIGINT', listener);
            process.off('SIGTERM', listener);
          };
        },
        exit: (status) => process.exit(status),
      })
      .then((status) => {
        process.exitCode = status;
      }),
  );
}

/** Writes to a descriptor straight away, and through the stream from the moment that it would block. */
function output(descriptor: number, open: () => NodeJS.WriteStream): Output {
  let stream: NodeJS.WriteStream | undefined;
  let isClosed = false;
  const isTTY = isatty(descriptor);

  // A reader that closes its end (head, less) has seen enough; one that is slow is waited for. Whoever has seen enough of
  // standard error may still want the result.
  function closeQuietly(error: unknown): void {
    const failure = error as NodeJS.ErrnoException;
    if (failure.code === 'EAGAIN') return;
    if (descriptor === 2) {
      isClosed = true;
      return;
    }
    if (failure.code === 'EPIPE') process.exit(process.exitCode);
    process.stderr.write(`bootlace: cannot write: ${failure.message}\n`);
    process.exit(1);
  }

  return {
    isTTY,
    get columns() {
      return isTTY ? open().columns : undefined;
    },
    get rows() {
      return isTTY ? open().rows : undefined;
    },
    write(text: string) {
      if (isClosed) return;
      let rest = Buffer.from(text, 'utf8');
      try {
        while (stream === undefined && rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
        if (rest.length === 0) return;
      } catch (error) {
        closeQuietly(error);
        if (isClosed) return;
      }
      if (stream === undefined) {
        stream = open();
        stream.on('error', closeQuietly);
      }
      stream.write(rest);
    },
  };
}
