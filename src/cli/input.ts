import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { ProblemList, type ProblemCode, type Source } from '../core/problem.ts';
import { FILE_LIMIT, parseDocuments, type ParsedDocument } from '../format/documents.ts';
import type { Io } from './io.ts';

/** The documents of a file, `-` being standard input. A file that cannot be read is one document with a problem. */
export async function readDocuments(file: string, io: Io): Promise<readonly ParsedDocument[]> {
  const text = await readWhole(file, io);
  return typeof text === 'string' ? parseDocuments(text) : [unreadable(text.code, text.message, text.hint)];
}

/** The text of a file, `-` being standard input; or why it cannot be had. */
export async function readWhole(file: string, io: Io): Promise<string | Unreadable> {
  const bytes = file === '-' ? await readStream(io.stdin) : readFileAtMost(file);
  return Buffer.isBuffer(bytes) ? decode(bytes) : bytes;
}

/** The text of a regular file that is no document yet. Throws what keeps it from being read. */
export function readText(file: string): string {
  // A pipe that nobody writes to would be waited for.
  if (!statSync(file).isFile()) throw new Error('it is no regular file');
  const bytes = readFileAtMost(file);
  const text = Buffer.isBuffer(bytes) ? decode(bytes) : bytes;
  if (typeof text === 'string') return text;
  throw new Error(text.message.replace(/\.$/, ''));
}

function decode(bytes: Buffer): string | Unreadable {
  if (bytes.length > FILE_LIMIT) {
    return {
      code: 'DOCUMENT_TOO_LARGE',
      message: `The file has more than ${FILE_LIMIT} bytes.`,
      hint: 'Name another file, or split this one into smaller files.',
    };
  }
  if (looksLikeUtf16(bytes))
    return { code: 'ENCODING_INVALID', message: 'The file is not UTF-8 but UTF-16.', hint: 'Save it as UTF-8.' };
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { code: 'ENCODING_INVALID', message: 'The file is not UTF-8.', hint: 'Save it as UTF-8.' };
  }
}

// Its byte order mark, or the zero in every other byte of ASCII text.
function looksLikeUtf16(bytes: Buffer): boolean {
  const mark = bytes.length >= 2 ? bytes.readUInt16BE(0) : 0;
  return (
    mark === 0xfffe ||
    mark === 0xfeff ||
    (bytes.length >= 4 && (bytes[1] === 0) !== (bytes[0] === 0) && (bytes[0] === 0 ? bytes[2] : bytes[3]) === 0)
  );
}

export interface Unreadable {
  readonly code: ProblemCode;
  readonly message: string;
  readonly hint: string;
}

// Read without promises: waiting for the thread pool takes longer than the rest of a render.
function readFileAtMost(file: string): Buffer | Unreadable {
  try {
    const descriptor = openSync(file, 'r');
    try {
      if (fstatSync(descriptor).isDirectory()) {
        return { code: 'DOCUMENT_UNREADABLE', message: 'It is a directory.', hint: 'Name a file in it.' };
      }
      return readAtMost(descriptor, FILE_LIMIT + 1);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return { code: 'DOCUMENT_UNREADABLE', message: reasonOf(code), hint: 'Check the path and its permissions.' };
  }
}

// Not by the size that the file system tells: a pipe and a file in /proc have none.
function readAtMost(descriptor: number, limit: number): Buffer {
  const chunks: Buffer[] = [];
  for (let bytes = 0; bytes < limit;) {
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const read = readSync(descriptor, chunk);
    if (read === 0) break;
    chunks.push(chunk.subarray(0, read));
    bytes += read;
  }
  return Buffer.concat(chunks);
}

function reasonOf(code: string): string {
  switch (code) {
    case 'ENOENT':
      return 'There is no such file.';
    case 'EACCES':
    case 'EPERM':
      return 'The file may not be read.';
    case 'EISDIR':
      return 'It is a directory.';
    default:
      return `The file cannot be read (${code}).`;
  }
}

async function readStream(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const buffer = Buffer.from(chunk);
    chunks.push(buffer);
    bytes += buffer.length;
    if (bytes > FILE_LIMIT) break;
  }
  return Buffer.concat(chunks);
}

function unreadable(code: ProblemCode, message: string, hint: string): ParsedDocument {
  const source: Source = { document: 0, position: () => undefined, plainText: () => undefined };
  const problems = new ProblemList(false, source);
  problems.error(code, '', message, hint);
  return { value: undefined, source, problems: problems.sorted() };
}

/** How a file is called in messages. */
export function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}
