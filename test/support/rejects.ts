import '../../tools/test/guard.ts'
import * as assert from 'uvu/assert'
import {
  isStatus,
  type StatusError,
  type StatusReason,
} from '../../runtime/kernel/errors/status-error.ts'

/** Waits for a promise to fail with a StatusError of the given reason, and gives that error. */
export async function assertRejects(
  work: Promise<unknown>,
  reason: StatusReason,
): Promise<StatusError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!isStatus(error))
    throw new Error(`expected ${reason}, got ${String(error)}`, { cause: error })
  assert.is(error.reason, reason)
  return error
}
