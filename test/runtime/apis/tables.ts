import { suite, type Test } from 'uvu'
import * as assert from 'uvu/assert'
import type { AnyKind } from '../../../runtime/kernel/descriptors/kind.ts'
import {
  type Given,
  isRefused,
  type Outcome,
  openWriter,
  type Stored,
  type Writer,
} from './outcome.ts'

type Context = { writer: Writer }

/** A suite whose tests write to one registry. */
export function writing(name: string): Test<Context> {
  const test = suite<Context>(name)
  test.before(async (context) => {
    context.writer = await openWriter()
  })
  test.after(({ writer }) => writer?.close())
  return test
}

/** Creates: what is refused, with every finding. An empty list stands for success. */
export function refusals(
  test: Test<Context>,
  kind: AnyKind,
  table: readonly (readonly [name: string, given: Given, want: readonly string[]])[],
): void {
  for (const [name, given, want] of table) {
    test(name, async ({ writer }) => {
      const got = await writer.create(kind, given)
      assert.equal(isRefused(got) ? got : [], want)
    })
  }
}

type Read = (object: Stored) => unknown

/** Creates: what is stored, as far as `read` looks. */
export function creations(
  test: Test<Context>,
  kind: AnyKind,
  table: readonly (readonly [name: string, given: Given, read: Read, want: unknown])[],
): void {
  for (const [name, given, read, want] of table) {
    test(name, async ({ writer }) => {
      assert.equal(read(stored(await writer.create(kind, given))), want)
    })
  }
}

/** Updates of one object, or of a subresource of it: every finding, or success. */
export function updates(
  test: Test<Context>,
  kind: AnyKind,
  given: Given,
  table: readonly (readonly [
    name: string,
    to: (object: Stored) => Stored,
    want: readonly string[],
  ])[],
  subresource?: string,
): void {
  for (const [name, to, want] of table) {
    test(name, async ({ writer }) => {
      const got = await writer.update(kind, given, to, subresource)
      assert.equal(isRefused(got) ? got : [], want)
    })
  }
}

/** The object of an outcome that is one. */
export function stored(outcome: Outcome): Stored {
  if (isRefused(outcome)) throw new Error(`refused: ${outcome.join('; ')}`)
  return outcome
}
