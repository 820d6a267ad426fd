/** What warnings are made of: fields without checks, and not more texts than a response has room for. */
import { Field } from '../../kernel/walker/field.ts'

/** Warnings as they are found. */
export type Texts = Iterable<string>

/** More texts than a response has room for: headers of warnings hold 4,096 characters. */
const most = 100

/** A value at a path, to be walked for warnings. */
export function warnedField<T>(value: unknown, path: string): Field<T> {
  const position = path === '' ? undefined : { parent: undefined, step: path }
  return new Field<T>(value ?? {}, undefined, { errors: [], checks: new Map() }, {}, position)
}

/** The first hundred warnings. */
export function firstOf(texts: Texts): readonly string[] {
  const found: string[] = []
  for (const text of texts) {
    found.push(text)
    if (found.length === most) break
  }
  return found
}
