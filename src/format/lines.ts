import { once } from '../core/once.ts';

/** Finds the line and column of offsets into one text; the lines are looked for when the first one is asked for. */
export class LineIndex {
  readonly #starts: () => readonly number[];

  constructor(text: string) {
    this.#starts = once(() => {
      const starts = [0];
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
      return starts;
    });
  }

  /** Line and column from 1, the column in UTF-16 code units. */
  at(offset: number): { readonly line: number; readonly column: number } {
    const starts = this.#starts();
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - starts[low]! + 1 };
  }
}
