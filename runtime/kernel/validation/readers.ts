/**
 * What generated readers are made of: one function for each JSON shape and scalar format. Generated code imports this index
 * and nothing else.
 *
 * Laws, held by `test/runtime/kernel/validation/readers.test.ts`:
 *  1. Nothing throws; what is wrong goes into the report, under the path `name`.
 *  2. `null` is absent: every reader gives `undefined` for it, and for a value of the wrong type.
 *  3. A value without errors builds no path: names are put before paths on the way out, only where something was reported.
 *  4. No key of the input reaches a prototype: `__proto__` becomes an own property.
 *  5. The report is bounded: see `report.ts`.
 */
export { define } from '../values/define-property.ts'
export type { FieldReader, ReadReport } from './field-error.ts'
export { required, toldAt, unknownField, unvalidated } from './report.ts'
export {
  any,
  bytes,
  duration,
  intOrString,
  microTime,
  object,
  quantity,
  raw,
  roundedUpToMilli,
  time,
} from './scalar-formats.ts'
export { bool, int32, int64, number, string } from './scalar-readers.ts'
export { bounded, count, keyed, oneOf, present, set } from './schema-checks.ts'
export {
  constant,
  fields,
  filled,
  kept,
  list,
  map,
  merged,
  type Present,
  struct,
  union,
  type Writable,
} from './struct-readers.ts'
