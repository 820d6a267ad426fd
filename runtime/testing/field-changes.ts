import { deepEqual } from '../kernel/values/deep-equal.ts'
import { isRecord } from './server-fields.ts'

/** A field that differs. */
export interface FieldChange {
  /** `spec.containers[0].image`; `metadata.labels["app.io/name"]` where a name is no word. */
  readonly path: string
  /** Undefined where the field was not there. */
  readonly before: unknown
  /** Undefined where the field is not there any more. */
  readonly after: unknown
}

/** The fields in which two values differ, the deepest that say so, in the order in which they stand. */
export function fieldChanges(before: unknown, after: unknown): readonly FieldChange[] {
  return [...changesAt('', before, after)]
}

/** One change as a line: `spec.replicas: 1 -> 3`. */
export function fieldChangeText({ path, before, after }: FieldChange): string {
  const where = path === '' ? 'value' : path
  if (before === undefined) return `${where}: ${valueText(after)} (new)`
  if (after === undefined) return `${where}: ${valueText(before)} (gone)`
  return `${where}: ${valueText(before)} -> ${valueText(after)}`
}

function valueText(value: unknown): string {
  return JSON.stringify(value) ?? String(value)
}

function* changesAt(path: string, before: unknown, after: unknown): Generator<FieldChange> {
  if (deepEqual(before, after)) return
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length)
    for (let index = 0; index < length; index++) {
      yield* changesAt(`${path}[${index}]`, before[index], after[index])
    }
  } else if (isRecord(before) && isRecord(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      yield* changesAt(joined(path, name), own(before, name), own(after, name))
    }
  } else {
    yield { path, before, after }
  }
}

function own(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

function joined(path: string, name: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}
