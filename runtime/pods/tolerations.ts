import type { Taint, TaintEffect } from '../../generated/apis/core/v1/node.ts'
import type { Toleration } from '../../generated/apis/core/v1/scheduling.ts'

/** True for a toleration that a taint does not get past. */
export function tolerates(
  { key = '', operator, value = '', effect }: Toleration,
  taint: Taint,
): boolean {
  if (effect && effect !== taint.effect) return false
  if (key !== '' && key !== taint.key) return false
  return operator === 'Exists' || (key !== '' && value === (taint.value ?? ''))
}

/** True if one of the tolerations is for the taint. */
export function toleratedBy(tolerations: readonly Toleration[] | undefined, taint: Taint): boolean {
  return tolerations?.some((one) => tolerates(one, taint)) === true
}

/** The first taint of these effects that none of the tolerations is for. */
export function untolerated(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly TaintEffect[],
): Taint | undefined {
  return taints?.find((one) => effects.includes(one.effect) && !toleratedBy(tolerations, one))
}
