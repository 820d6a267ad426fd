/** Amounts of bytes that are no whole number of them. */
import { parseQuantity } from '../../kernel/values/quantity.ts'
import type { Field } from '../../kernel/walker/field.ts'

type Amounts = Readonly<Record<string, string>>

/** Whole numbers with the usual suffixes: no need to parse them. */
const plain = /^[0-9]+(?:[KMGTPE]i|[kMGTPE])?$/

const nano = 10n ** 9n

/** The warning about an amount in a field that is not a whole number. */
export function* fractionalAmounts<K extends string>(
  parent: Field<{ readonly [field in K]?: Amounts }>,
  field: K,
  resource: string,
): Iterable<string> {
  const amounts = (parent.value as Readonly<Record<string, Amounts | undefined>>)[field]
  const amount = amounts?.[resource]
  if (amount === undefined || plain.test(amount)) return
  const quantity = parseQuantity(amount)
  if (quantity === undefined || quantity.nanos % nano === 0n) return
  const path = parent.path(`${field}[${resource}]`)
  const told = JSON.stringify(amount)
  yield `${path}: fractional byte value ${told} is invalid, must be an integer`
}
