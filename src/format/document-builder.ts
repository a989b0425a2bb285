import {
  boolYaml11Tag,
  EVENT_ALIAS,
  EVENT_DOCUMENT,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  floatCoreTag,
  floatYaml11Tag,
  getScalarValue,
  intCoreTag,
  intYaml11Tag,
  NOT_RESOLVED,
  nullYaml11Tag,
  SCALAR_STYLE_PLAIN,
  type Event,
  type ScalarEvent,
} from 'js-yaml';
import { pointerTo, tokensOf } from '../core/pointer.ts';
import { ProblemList, type Problem, type ProblemCode, type Source } from '../core/problem.ts';
import type { LineIndex } from './lines.ts';

/** One document of a file: its value, or the problems for which it has none. */
export interface ParsedDocument {
  readonly value: unknown;
  readonly source: Source;
  readonly problems: readonly Problem[];
}

/** Most values that a document may have once its aliases are followed. */
const EXPANSION_LIMIT = 1_000_000;

/** Tags that say what a value is anyway. */
const KNOWN_TAGS: ReadonlySet<string> = new Set([
  '',
  '!',
  '!!str',
  '!!int',
  '!!float',
  '!!bool',
  '!!null',
  '!!map',
  '!!seq',
]);

/** A value with where it stands; mappings and lists know where their parts stand. */
interface Node {
  readonly value: unknown;
  readonly offset: number;
  /** Text of a scalar without quotes, as it was written. */
  readonly plain: string | undefined;
  /** Number of values when aliases are followed. */
  readonly size: number;
  readonly children: ReadonlyMap<string, Child> | undefined;
}

interface Child {
  readonly node: Node;
  /** Where the key stands: a problem with an entry is shown at its key. */
  readonly offset: number;
}

/** Which document of which text a builder is for. */
interface Place {
  readonly part: string;
  /** Lines of the whole text. */
  readonly lines: LineIndex;
  /** Where the part begins in the whole. */
  readonly offset: number;
  readonly document: number;
  /** How far into the part the documents before it reach. */
  readonly reached: number;
}

/** Builds the value of one document from the events of the parser. */
export class DocumentBuilder {
  readonly #part: string;
  readonly #lines: LineIndex;
  readonly #offset: number;
  readonly #events: readonly Event[];
  readonly #anchors = new Map<string, Node>();
  readonly #problems: Problem[] = [];
  readonly #source: Source;
  /** Where the document begins, as far as anything tells. */
  readonly #start: number;
  #root: Node | undefined;
  #hasAlias = false;
  #isBroken = false;
  next: number;
  /** How far into the part the events that were read reach. */
  reached: number;

  constructor(place: Place, events: readonly Event[], start: number) {
    const { part, lines, offset, document, reached } = place;
    this.#part = part;
    this.#lines = lines;
    this.#offset = offset;
    this.#start = Math.max(0, part.indexOf('---', reached));
    this.#events = events;
    this.next = start;
    this.reached = reached;
    this.#source = {
      document,
      position: (path) => lines.at(offset + (this.#find(path)?.offset ?? 0)),
      plainText: (path) => {
        const found = this.#find(path);
        return found?.isExact ? found.node.plain : undefined;
      },
    };
  }

  build(): ParsedDocument {
    let value: unknown;
    try {
      this.#root = this.#read('');
      value = this.#root.value;
      if (this.#hasAlias && this.#root.size > EXPANSION_LIMIT) {
        this.#reportAt(
          this.#root.offset,
          'DOCUMENT_TOO_LARGE',
          `Aliases make more than ${EXPANSION_LIMIT} values of the document.`,
          'Write the values out.',
        );
      } else if (value === null) {
        this.#reportAt(
          this.#start,
          'DOCUMENT_EMPTY',
          'The document is empty.',
          'Write the document, or remove the `---`.',
        );
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#reportAt(
        0,
        'DOCUMENT_SYNTAX',
        'The text is nested too deeply.',
        'Nothing that this command reads is nested so deeply.',
      );
      this.next = this.#events.length;
    }
    if (this.#events[this.next]?.type === EVENT_POP) this.next += 1;
    return { value: this.#problems.length > 0 ? undefined : value, source: this.#source, problems: this.#problems };
  }

  #find(path: string): { node: Node; offset: number; isExact: boolean } | undefined {
    if (this.#root === undefined) return undefined;
    let found = { node: this.#root, offset: this.#root.offset };
    for (const token of tokensOf(path)) {
      const child: Child | undefined = found.node.children?.get(token);
      if (child === undefined) return { ...found, isExact: false };
      found = child;
    }
    return { ...found, isExact: true };
  }

  #reportAt(offset: number, code: ProblemCode, message: string, hint: string, path = ''): void {
    // Once the structure is broken, what follows is mostly noise.
    if (code === 'DOCUMENT_SYNTAX' && this.#isBroken) return;
    this.#isBroken ||= code === 'DOCUMENT_SYNTAX';
    const source: Source = { ...this.#source, position: () => this.#lines.at(this.#offset + offset) };
    const list = new ProblemList(false, source);
    list.error(code, path, message, hint);
    this.#problems.push(...list.sorted());
  }

  #read(path: string): Node {
    const event = this.#events[this.next];
    this.next += 1;
    if (event?.type === EVENT_SCALAR) this.reached = Math.max(this.reached, event.valueEnd);
    switch (event?.type) {
      case EVENT_SCALAR:
        return this.#anchored(event, this.#scalar(event));
      case EVENT_SEQUENCE:
        return this.#anchored(event, this.#sequence(event.start, path));
      case EVENT_MAPPING:
        return this.#anchored(event, this.#mapping(event.start, path));
      case EVENT_ALIAS: {
        const name = this.#part.slice(event.anchorStart, event.anchorEnd);
        const node = this.#anchors.get(name);
        this.#hasAlias = true;
        if (node !== undefined) return node;
        this.#reportAt(
          event.anchorStart,
          'DOCUMENT_SYNTAX',
          'The alias has no anchor before it.',
          'Define it with & first, or write the value out.',
        );
        return { value: null, offset: event.anchorStart, plain: undefined, size: 1, children: undefined };
      }
      case EVENT_DOCUMENT:
      case EVENT_POP:
      case undefined:
        this.next -= 1;
        return { value: null, offset: 0, plain: undefined, size: 1, children: undefined };
      default:
        return event satisfies never;
    }
  }

  #anchored(event: { anchorStart: number; anchorEnd: number; tagStart: number; tagEnd: number }, node: Node): Node {
    const tag = event.tagStart < 0 ? '' : this.#part.slice(event.tagStart, event.tagEnd);
    if (!KNOWN_TAGS.has(tag)) {
      this.#reportAt(
        event.tagStart,
        'DOCUMENT_SYNTAX',
        'The tag has no meaning here.',
        'Remove it; put texts that look like numbers in quotes.',
      );
    }
    if (event.anchorEnd > event.anchorStart)
      this.#anchors.set(this.#part.slice(event.anchorStart, event.anchorEnd), node);
    return node;
  }

  #scalar(event: ScalarEvent): Node {
    const text = getScalarValue(this.#part, event);
    const isPlain = event.style === SCALAR_STYLE_PLAIN;
    const tag = event.tagStart < 0 ? '' : this.#part.slice(event.tagStart, event.tagEnd);
    const asText = !isPlain || tag === '!' || tag === '!!str';
    const offset = isPlain || event.valueStart === 0 ? event.valueStart : event.valueStart - 1;
    return {
      value: asText ? text : plainScalar(text),
      offset: Math.max(0, offset),
      plain: isPlain ? text : undefined,
      size: 1,
      children: undefined,
    };
  }

  #sequence(start: number, path: string): Node {
    const children = new Map<string, Child>();
    const value: unknown[] = [];
    let size = 1;
    while (!this.#isAtEnd()) {
      const node = this.#read(pointerTo(path, value.length));
      children.set(String(value.length), { node, offset: node.offset });
      value.push(node.value);
      size += node.size;
    }
    return { value, offset: start, plain: undefined, size, children };
  }

  #mapping(start: number, path: string): Node {
    const own = new Map<string, Child>();
    const merged = new Map<string, Child>();
    let size = 1;
    while (!this.#isAtEnd()) {
      const key = this.#read(path);
      const isMerge = key.plain === '<<';
      const node = this.#read(isMerge ? path : pointerTo(path, keyName(key)));
      size += node.size;
      if (isMerge) this.#merge(node, merged);
      else this.#add(key, node, own, path);
    }
    const children = new Map([...merged, ...own]);
    // No prototype: a key may have any name.
    const value = Object.create(null) as Record<string, unknown>;
    for (const [key, child] of children) value[key] = child.node.value;
    return { value, offset: start, plain: undefined, size, children };
  }

  #add(key: Node, node: Node, own: Map<string, Child>, path: string): void {
    if (typeof key.value === 'object' && key.value !== null) {
      this.#reportAt(
        key.offset,
        'DOCUMENT_SYNTAX',
        'A key must be a text.',
        'Put braces that are meant as text in quotes.',
      );
      return;
    }
    const name = keyName(key);
    if (own.has(name)) {
      this.#reportAt(
        key.offset,
        'FIELD_DUPLICATE',
        'The key stands twice in one mapping.',
        'Remove one of the two.',
        pointerTo(path, name),
      );
    }
    own.set(name, { node, offset: key.offset });
  }

  #merge(node: Node, merged: Map<string, Child>): void {
    const sources = Array.isArray(node.value)
      ? [...(node.children ?? new Map<string, Child>()).values()].map((child) => child.node)
      : [node];
    for (const source of sources) {
      if (source.children === undefined || Array.isArray(source.value)) {
        this.#reportAt(
          source.offset,
          'DOCUMENT_SYNTAX',
          'Only mappings can be merged with `<<`.',
          'Write an alias of a mapping.',
        );
        continue;
      }
      for (const [key, child] of source.children) if (!merged.has(key)) merged.set(key, child);
    }
  }

  #isAtEnd(): boolean {
    const event = this.#events[this.next];
    if (event !== undefined && event.type !== EVENT_POP) return false;
    this.next += 1;
    return true;
  }
}

// A plain key keeps its spelling, whatever kind of value it would be.
function keyName(key: Node): string {
  // A key that is no scalar has been reported, or will be: it has no name.
  return key.plain ?? (typeof key.value === 'string' ? key.value : '');
}

/** The value of a plain scalar, as Kubernetes reads it. */
function plainScalar(text: string): unknown {
  // Base-60 numbers are the one form of YAML 1.1 that Kubernetes leaves out on purpose.
  const tags = text.includes(':')
    ? [nullYaml11Tag, boolYaml11Tag]
    : [nullYaml11Tag, boolYaml11Tag, intYaml11Tag, intCoreTag, floatYaml11Tag, floatCoreTag];
  for (const tag of tags) {
    const value: unknown = tag.resolve(text, false, tag.tagName);
    if (value !== NOT_RESOLVED) return value;
  }
  return text;
}
