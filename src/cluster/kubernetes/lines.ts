const NEWLINE = 0x0a;

/**
 * The lines of a stream of UTF-8, however it is cut into chunks. A rest without a line end is left out: it is the
 * beginning of something that was cut off, and whoever goes on from the last whole line is told it again.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  // Cut as bytes and decoded by the line, so that a character may be split. Joined once, as a line may have many chunks.
  let parts: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      parts.push(chunk.subarray(start, end));
      yield Buffer.concat(parts).toString('utf8');
      parts = [];
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
  }
}
