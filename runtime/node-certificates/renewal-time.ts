import type { Random } from '../kernel/async/clock.ts'

/** When a certificate is renewed: after seven to nine tenths of its time, so that not all nodes come at once. */
export function renewalTime(
  { validFrom, validUntil }: { readonly validFrom: number; readonly validUntil: number },
  random: Random,
): number {
  return validFrom + (validUntil - validFrom) * (0.7 + 0.2 * random())
}
