/** A JSON value as the codec reads it. Integers beyond 2^53 arrive as bigint, so that 64 bits survive a round trip. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject

/** A JSON object. Objects made from untrusted text have no prototype-bearing keys: see `codec`. */
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** True for a JSON object, false for null, lists and scalars. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
