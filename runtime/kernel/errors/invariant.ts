/** Throws an Error, which is a bug of ours, unless `condition` is truthy. What a client does wrong is a `StatusError`. */
export function invariant(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`invariant: ${why}`)
}
