/** What volumes and claims have in common. */
import type { PersistentVolumeSpec } from '../../../../generated/apis/core/v1/persistent-volume.ts'
import type { PersistentVolumeClaimSpec } from '../../../../generated/apis/core/v1/volume.ts'
import { parseQuantity } from '../../../kernel/values/quantity.ts'
import type { Field } from '../../../kernel/walker/field.ts'

type Spec = Field<Pick<PersistentVolumeSpec | PersistentVolumeClaimSpec, 'accessModes'>>

/** There are ways of access, and the exclusive one stands alone; what is no way of access counts as none. */
export function checkAccessModes(spec: Spec, missing?: string): void {
  const modes = new Set(spec.value.accessModes)
  if (modes.size === 0) spec.required('accessModes', missing)
  const others = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'].some((mode) => modes.has(mode))
  if (!modes.has('ReadWriteOncePod') || !others) return
  spec.forbidden('accessModes', 'may not use ReadWriteOncePod with other access modes')
}

/** What is wrong with a size: it is more than nothing. */
export function sizeProblems(size: string): readonly string[] {
  const amount = parseQuantity(size)
  const some = amount === undefined || (!amount.negative && amount.nanos > 0n)
  return some ? [] : ['must be greater than zero']
}

/** An amount as a number, away from zero: as messages show it. */
export function wholeNumber(amount: string): number {
  const nanos = parseQuantity(amount)?.nanos ?? 0n
  return -Number((nanos + billion - 1n) / billion)
}

const billion = 10n ** 9n
