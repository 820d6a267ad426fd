/** Amounts of metrics: whole thousandths, as they are compared and written. */
import { parseQuantity, printQuantity } from '../../kernel/values/quantity.ts'

const nanosOfMilli = 1_000_000n

/** A quantity in thousandths, rounded up; none for a text that is no quantity. */
export function milliOf(text: string): number {
  const quantity = parseQuantity(text)
  if (quantity === undefined) return 0
  const milli = Number((quantity.nanos + nanosOfMilli - 1n) / nanosOfMilli)
  return quantity.negative ? -milli : milli
}

/** The quantity of so many thousandths. */
export function printMilli(milli: number): string {
  const nanos = BigInt(Math.abs(milli)) * nanosOfMilli
  return printQuantity({ negative: milli < 0, nanos, family: 'decimal' })
}
