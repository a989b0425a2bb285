/**
 * Puts a pure computation off until it is first needed and keeps its result: nothing is computed at import,
 * and the second render does not pay for it again.
 */
export function once<T>(compute: () => T): () => T {
  let result: { value: T } | undefined;
  return () => (result ??= { value: compute() }).value;
}

/** Like {@link once}, with one result for each key. Meant for few keys: results are never dropped. */
export function oncePer<K, T>(compute: (key: K) => T): (key: K) => T {
  const results = new Map<K, T>();
  return (key) => {
    let result = results.get(key);
    if (result === undefined) {
      result = compute(key);
      results.set(key, result);
    }
    return result;
  };
}
