/** A JSON value as serializers decode it. Integers beyond 2^53 are bigints, so that 64 bits survive a round trip. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject

/** A JSON object. `__proto__` from untrusted text is an own property and never a prototype. */
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** True for a JSON object, false for null, lists and scalars. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
