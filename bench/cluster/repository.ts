/** The registry of all images: a name that resolves nowhere, so that nothing is ever pulled. */
export const REPOSITORY = 'bench.local';
