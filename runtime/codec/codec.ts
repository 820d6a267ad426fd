/**
 * The codec: bytes to JSON values and back, and JSON values to typed objects.
 *
 *  1. A text is read once, strictly: UTF-8, one document, no trailing data, bounded depth; keys that stand twice are
 *     named and the last one wins; `__proto__` and its like are ordinary keys of objects that have no prototype to harm.
 *  2. Integers up to 64 bits survive (bigint beyond 2^53).
 *  3. YAML is read as the platform's clients read it (supplement R-13, toolchain study 3.3).
 *  4. An object is written once, in declaration order, and those bytes are what is stored and served.
 */
export { type Decoded, DecodeError, decodeJson, decodeYaml } from './decode.ts'
export { encode, parse } from './encode.ts'
export { withRevision, withoutRevision } from './revision.ts'
export { readObject, type ReadResult } from './object.ts'
