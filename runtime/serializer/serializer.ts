/**
 * Wire formats: bytes to JSON values and objects, and back. `serializer-contract.ts` says what a format is, `serializers.ts`
 * lists those there are; json/, yaml/ and protobuf/ hold one each.
 *
 *  1. A text is read once, strictly: UTF-8, one document, no trailing data, bounded depth; keys that stand twice are
 *     reported and the last one wins; `__proto__` and its like are ordinary own keys, never a prototype.
 *     A text that holds too many values or names is refused before anything is made of it; a long YAML text is read in a
 *     thread of its own.
 *  2. Integers up to 64 bits survive (bigint beyond 2^53).
 *  3. YAML is read the way the platform's command-line clients read it: booleans, octal numbers and merge keys of
 *     YAML 1.1, neither sexagesimal numbers nor dates, keys as strings, the first document only.
 *  4. A file for people is read with the position of every key and value, by the same rules.
 *  5. An object is written once, in declaration order, and those bytes are what is stored and served.
 *  6. Protobuf is written byte for byte as the public encoders write it, by generated tables.
 */

export { type DecodeLimits, defaultLimits } from './format/decode-limits.ts'
export { type ReadResult, readObject } from './format/decode-object.ts'
export {
  type Decoded,
  DecodeError,
  maxDepth,
  type Numeral,
  type StrictProblems,
  type TextPosition,
} from './format/decoded.ts'
export { GenerationalCache } from './format/generational-cache.ts'
export type {
  DecodeOptions,
  EncodedBody,
  EncodeOptions,
  EventEncoder,
  ObjectType,
  SegmentedBody,
  Serializer,
  StoredItem,
  StoredList,
  StoredValue,
} from './format/serializer-contract.ts'
export { firstProblems, unknownFieldText } from './format/strict-problems.ts'
export { decodeJson } from './json/decode-json.ts'
export { encodeJson, parseTrustedJson } from './json/encode-json.ts'
export { createJsonSerializer } from './json/json-serializer.ts'
export { loadTypeProblems, type TypeProblems } from './json/load-type-problems.ts'
export { partialMetadataJson } from './json/partial-metadata.ts'
export { type RawPath, rawJsonAt, rawPath } from './json/raw-value.ts'
export { withoutResourceVersion, withResourceVersion } from './json/resource-version.ts'
export { syntaxProblem } from './json/syntax-problem.ts'
export type { TypeHints } from './json/type-hints.ts'
export { typeMetaProblem, unmarshalProblem, unregistered } from './json/type-meta-problem.ts'
export { loadProtobuf, loadWireFormat, type WireFormat } from './protobuf/load-protobuf.ts'
export type { ProtobufCodec } from './protobuf/protobuf-codec.ts'
export { createSerializers, serializerOf } from './serializers.ts'
export {
  decodeLocated,
  decodeLocatedDocuments,
  decodePlainDocuments,
} from './yaml/decode-located.ts'
export { decodeYaml } from './yaml/decode-yaml.ts'
export { encodeYaml } from './yaml/encode-yaml.ts'
export { followPath, followSteps, type PathMatch } from './yaml/follow-path.ts'
export type { LocatedDocument, LocatedEntry, LocatedValue, TextRange } from './yaml/located.ts'
