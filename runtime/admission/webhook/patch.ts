/** What a webhook's patch makes of an object (supplement Q-08). */
import { applyJsonPatch, type Operation, parseJsonPatch } from '../../apply/apply.ts'
import { decodeJson, encode, parse, readObject } from '../../codec/codec.ts'
import { equal } from '../../kernel/equal.ts'
import type { Json } from '../../kernel/json.ts'
import type { ApiObject } from '../../kernel/object.ts'
import { isStatus } from '../../kernel/status.ts'
import type { Subject } from '../attempt.ts'
import { internal } from '../refusal.ts'
import type { World } from '../world.ts'
import type { Shown } from './call.ts'
import { CallFailure } from './failure.ts'
import type { Hook } from './hook.ts'
import type { Answer } from './review.ts'

/** The object as the patch leaves it, in the version of the request; the very same one if nothing differs. */
export function patched(
  { convert }: Pick<World, 'convert'>,
  { name }: Pick<Hook, 'name'>,
  { kind: own, object }: Subject,
  { kind, object: shown }: Shown,
  { patch, patchType }: Answer,
): ApiObject | undefined {
  if (patch.length === 0) return object
  if (patchType !== 'JSONPatch') {
    throw new CallFailure(name, `unsupported patch type "${patchType}"`)
  }
  const operations = attempted(() => parseJsonPatch(decodeJson(patch).value))
  if (operations.length === 0) return object
  if (object === undefined || shown === undefined) {
    throw internal(
      `admission webhook "${name}" attempted to modify the object, which is not supported for this operation`,
    )
  }
  const before = parse(encode(shown))
  const after = attempted(() => {
    const { object: read, report } = readObject(kind, applied(before, operations))
    const [wrong] = report.types
    if (wrong !== undefined) throw new Error(`${wrong.path}: ${wrong.message}`)
    return read
  })
  if (equal(after, before)) return object
  return kind === own ? after : convert(after, kind, own)
}

/** A patch that does not apply is the webhook's mistake, not the caller's. */
function attempted<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (isStatus(error, 'RequestEntityTooLarge')) throw error
    throw internal(error instanceof Error ? error.message : String(error), error)
  }
}

function applied(document: Json, operations: readonly Operation[]): Json {
  try {
    return applyJsonPatch(document, operations)
  } catch (error) {
    if (!isStatus(error, 'Invalid')) throw error
    const culprit = operations[firstFailing(document, operations)]
    throw new Error(culprit ? inapplicable(culprit) : error.message, { cause: error })
  }
}

/** The index of the first operation that does not apply, given that one does not: found by halving. */
function firstFailing(document: Json, operations: readonly Operation[]): number {
  let [low, high] = [0, operations.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (applies(document, operations.slice(0, middle + 1))) low = middle + 1
    else high = middle
  }
  return low
}

function applies(document: Json, operations: readonly Operation[]): boolean {
  try {
    applyJsonPatch(document, operations)
    return true
  } catch {
    return false
  }
}

function inapplicable({ op, path, from }: Operation): string {
  const [at, source] = [path, from].map((steps) =>
    steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
  )
  switch (op) {
    case 'test':
      return `testing value ${at} failed: test failed`
    case 'replace':
      return `replace operation does not apply: doc is missing key: ${at}: missing value`
    case 'add':
    case 'remove':
      return `${op} operation does not apply: doc is missing path: "${at}": missing value`
    case 'move':
    case 'copy':
      return `${op} operation from "${source}" to "${at}" does not apply: missing value`
  }
}
