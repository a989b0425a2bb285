/** Reporters of a test run: what people read, and a file for whoever adds several runs up. */
export function reporters(): { reporters: string[]; outputFile?: { json: string } } {
  const file = process.env['BOOTLACE_REPORT'];
  return file ? { reporters: ['default', 'json'], outputFile: { json: file } } : { reporters: ['default'] };
}
