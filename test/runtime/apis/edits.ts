/** Tables of single edits to a valid object: which of them are accepted, and where the others are refused. */
import type { Test } from 'uvu'
import * as assert from 'uvu/assert'
import { kindAt } from '../../support/registry.ts'
import { type Given, isRefused, type Stored, type Writer } from './outcome.ts'

/** A dotted path, the value that is put there (undefined takes it away), and the field that is refused, if one is. */
export type Edit = readonly [path: string, value: unknown, refused?: string | undefined]

type Context = { writer: Writer }
type Parts = Record<string, unknown>

/** Creates of `given` with one edit each. */
export function createEdits(
  test: Test<Context>,
  path: string,
  given: Given,
  edits: readonly Edit[],
): void {
  each(test, `create ${path}`, edits, ({ create }, edit) =>
    create(kindAt(path), edited(given, edit) as Given),
  )
}

/** Updates of an object made from `given` with one edit each, of the object itself or through a subresource. */
export function updateEdits(
  test: Test<Context>,
  path: string,
  given: Given,
  edits: readonly Edit[],
  subresource?: string,
): void {
  each(test, `${subresource ?? 'update'} ${path}`, edits, ({ update }, edit) =>
    update(kindAt(path), given, (object) => edited(object, edit) as Stored, subresource),
  )
}

function each(
  test: Test<Context>,
  what: string,
  edits: readonly Edit[],
  write: (writer: Writer, edit: Edit) => ReturnType<Writer['create']>,
): void {
  for (const edit of edits) {
    const [path, value, refused] = edit
    const name = `${what}: ${path} = ${JSON.stringify(value)?.slice(0, 60)}`
    test(`${name} is ${refused === undefined ? 'accepted' : `refused at ${refused}`}`, async (context) => {
      const outcome = await write(context.writer, edit)
      const fields = isRefused(outcome) ? outcome.map((text) => text.split(': ')[0]) : []
      if (refused === undefined) assert.equal(isRefused(outcome) ? outcome : [], [])
      else assert.ok(fields.includes(refused), JSON.stringify(outcome))
    })
  }
}

/** A copy with another value at the path; what is missing on the way there is made. */
function edited(object: object, [path, value]: Edit): object {
  const copy = structuredClone(object) as Parts
  const steps = path.split('.')
  const last = steps.pop() ?? ''
  const parent = steps.reduce<Parts>((at, step) => {
    at[step] ??= {}
    return at[step] as Parts
  }, copy)
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return copy
}
