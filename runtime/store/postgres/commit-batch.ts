import { checksumOf } from '../checksum.ts'
import type { Revision } from '../contract.ts'
import type { Write } from '../log-store.ts'
import type { RefusalReason } from '../refusals.ts'
import type { Row } from '../sql/statement.ts'
import { bigintElement, binaryArray, smallintElement } from './binary-array.ts'
import type { PostgresStatement } from './connection.ts'
import { isText } from './values.ts'

const ops = { create: 0, update: 1, delete: 2 } as const

/** What the function answers in place of a revision; see `migrations.ts`. */
const refusals: Readonly<Record<number, RefusalReason>> = {
  [-1]: 'AlreadyExists',
  [-2]: 'Conflict',
  [-3]: 'NotFound',
}

/** What became of one write of a batch. */
export type WriteResult =
  | { readonly revision: Revision; readonly createRevision: Revision }
  | { readonly refusal: RefusalReason }

const text =
  'SELECT revs::text AS revs, cres::text AS cres FROM commit_batch($1::text[], $2::bigint[], $3::smallint[], $4::text[], $5::bytea[], $6::bigint[], $7::bigint, $8::text)'

/** Commits a batch: each write by itself lands or is refused. `batch` names the call, `channel` is where others hear of it. */
export function commitBatch(
  writes: readonly Write[],
  batch: string,
  channel: string,
): PostgresStatement {
  const values = writes.map(({ key, value }) => {
    if (value === undefined) return {}
    const sum = bigintElement(checksumOf(key, value))
    return isText(value) ? { text: value, sum } : { bytes: value, sum }
  })
  return {
    name: 'commit_batch',
    text,
    values: [
      binaryArray(
        'text',
        writes.map(({ key }) => Buffer.from(key)),
      ),
      binaryArray(
        'bigint',
        writes.map(({ expected }) => bigintElement(expected)),
      ),
      binaryArray(
        'smallint',
        writes.map(({ op }) => smallintElement(ops[op])),
      ),
      binaryArray(
        'text',
        values.map((one) => one.text),
      ),
      binaryArray(
        'bytea',
        values.map((one) => one.bytes),
      ),
      binaryArray(
        'bigint',
        values.map((one) => one.sum),
      ),
      batch,
      channel,
    ],
  }
}

/** What became of each write, in their order. */
export function resultsOf([row]: readonly Row[]): readonly WriteResult[] {
  const [revisions, createRevisions] = [numbersOf(row?.revs), numbersOf(row?.cres)]
  return revisions.map((revision, index) => {
    const refusal = refusals[revision]
    if (refusal !== undefined) return { refusal }
    return { revision, createRevision: createRevisions[index] as number }
  })
}

/** The numbers of an array as the database prints it: `{1,2}`. */
function numbersOf(array: unknown): readonly number[] {
  return String(array).slice(1, -1).split(',').map(Number)
}
