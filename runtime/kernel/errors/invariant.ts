/** Fails when we made a mistake. For the caller's mistakes there is `StatusError`. */
export function invariant(condition: unknown, why: string): asserts condition {
  if (!condition) throw new Error(`invariant: ${why}`)
}
