/** The values of number literals. */
import { CelError, Double, intOf, Uint, type Value } from '../values/values.ts'

/** The tokens that are numbers. */
export type NumberKind = 'int' | 'uint' | 'double'

/** The value of a number literal with its sign; undefined if it is out of range. */
export function numberOf(kind: NumberKind, text: string): Value | undefined {
  if (kind === 'double') {
    const value = Number(text)
    return Number.isFinite(value) ? new Double(value) : undefined
  }
  const digits = text.startsWith('-') ? text.slice(1) : text
  const magnitude = BigInt(digits)
  if (kind === 'uint') return magnitude < 2n ** 64n ? new Uint(magnitude) : undefined
  const value = intOf(digits === text ? magnitude : -magnitude)
  return value instanceof CelError ? undefined : value
}
