import { EVENT_DOCUMENT, parseEvents, YAMLException, type Event } from 'js-yaml';
import { ProblemList, type ProblemCode, type Source } from '../core/problem.ts';
import { DocumentBuilder, type ParsedDocument } from './document-builder.ts';
import { LineIndex } from './lines.ts';
export type { ParsedDocument } from './document-builder.ts';

/** Most bytes that an input file may have. */
export const FILE_LIMIT = 8 * 1024 * 1024;

/**
 * Reads YAML or JSON with one document or several: documents between `---`, or one JSON object a line. The
 * content decides, not the name of the file.
 *
 * Scalars are read as Kubernetes reads them (YAML 1.1 without dates and base-60 numbers), but for keys, which
 * are taken as they are written: a label named `on` or `010` keeps its name.
 */
export function parseDocuments(text: string): readonly ParsedDocument[] {
  const lines = new LineIndex(text);
  if (text.trim() === '')
    return [failed(0, lines, 0, 'DOCUMENT_EMPTY', 'The file is empty.', 'Write YAML or JSON in it.')];
  const ranges = jsonLines(text);
  if (ranges === undefined) return parseYaml(lines, text, 0, 0);
  return ranges.flatMap(({ start, end }, index) => parseYaml(lines, text.slice(start, end), start, index));
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * The lines of a text that has one JSON object a line, when there are at least two. The first line decides: a later
 * one that is cut off is an error on that line, and not another format.
 */
function jsonLines(text: string): readonly Range[] | undefined {
  const ranges: Range[] = [];
  for (let start = 0; start <= text.length;) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end).trim();
    if (line !== '') {
      if (!line.startsWith('{') || (ranges.length === 0 && !isJson(line))) return undefined;
      ranges.push({ start, end });
    }
    start = end + 1;
  }
  return ranges.length > 1 ? ranges : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Parses a part of the whole text that begins at an offset. Messages of the parser are not passed on: they may
 * quote the line, and a line may hold a token.
 */
function parseYaml(lines: LineIndex, part: string, offset: number, firstDocument: number): readonly ParsedDocument[] {
  let events: Event[];
  try {
    events = parseEvents(part, {});
  } catch (error) {
    if (!(error instanceof YAMLException) && !(error instanceof RangeError)) throw error;
    const position = error instanceof YAMLException ? (error.mark?.position ?? 0) : 0;
    const reason =
      error instanceof YAMLException ? `the parser says: ${withoutInput(error.reason)}` : 'it is nested too deeply';
    return [
      failed(
        firstDocument,
        lines,
        offset + position,
        'DOCUMENT_SYNTAX',
        `The text is neither YAML nor JSON; ${reason}.`,
        'Check indentation, quotes and brackets at this place.',
      ),
    ];
  }
  const documents: ParsedDocument[] = [];
  let reached = 0;
  for (let index = 0; index < events.length;) {
    if (events[index]!.type !== EVENT_DOCUMENT) {
      index += 1;
      continue;
    }
    const builder = new DocumentBuilder(
      { part, lines, offset, document: firstDocument + documents.length, reached },
      events,
      index + 1,
    );
    documents.push(builder.build());
    index = builder.next;
    reached = builder.reached;
  }
  if (documents.length === 0) {
    return [
      failed(
        firstDocument,
        lines,
        offset,
        'DOCUMENT_EMPTY',
        'The file holds no document.',
        'Write YAML or JSON in it.',
      ),
    ];
  }
  return documents;
}

// Three of the parser's reasons end with a name from the input, between double quotes or behind a colon.
function withoutInput(reason: string): string {
  return reason.replaceAll(/"[^"]*"/g, '…').replace(/: .*$/s, '');
}

function failed(
  document: number,
  lines: LineIndex,
  offset: number,
  code: ProblemCode,
  message: string,
  hint: string,
): ParsedDocument {
  const source: Source = { document, position: () => lines.at(offset), plainText: () => undefined };
  const problems = new ProblemList(false, source);
  problems.error(code, '', message, hint);
  return { value: undefined, source, problems: problems.sorted() };
}
