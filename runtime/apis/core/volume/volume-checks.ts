/** What volumes and claims have in common. */
import type { PersistentVolumeSpec } from '../../../../generated/apis/core/v1/persistent-volume.ts'
import type { PersistentVolumeClaimSpec } from '../../../../generated/apis/core/v1/volume.ts'
import { parseQuantity } from '../../../kernel/values/quantity.ts'
import type { Field } from '../../../kernel/walker/field.ts'

type Spec = Field<Pick<PersistentVolumeSpec | PersistentVolumeClaimSpec, 'accessModes'>>

/** There are ways of access, and the exclusive one stands alone; `why` is what is said of a value without any. */
export function checkAccessModes(spec: Spec, why?: string): void {
  const modes = new Set(spec.value.accessModes)
  if (modes.size === 0) spec.required('accessModes', why)
  else if (modes.size > 1 && modes.has('ReadWriteOncePod')) {
    spec.forbidden('accessModes', 'may not use ReadWriteOncePod with other access modes')
  }
}

/** What is wrong with a size: it is more than nothing. */
export function sizeProblems(size: string): readonly string[] {
  const amount = parseQuantity(size)
  const some = amount === undefined || (!amount.negative && amount.nanos > 0n)
  return some ? [] : ['must be greater than zero']
}
