/** What volumes and claims have in common. */
import { dnsSubdomainProblems } from '../../../kernel/meta/names.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { parseQuantity } from '../../../kernel/values/quantity.ts'
import { forbidden, invalid, invalidAll, required } from '../../types/field-errors.ts'
import type { List } from '../../types/shapes.ts'

/** There are ways of access, and the exclusive one stands alone. */
export function checkAccessModes(path: string, modes: List<string> = []): readonly FieldError[] {
  const given = new Set(modes)
  if (given.size === 0) return [required(path, 'at least 1 access mode is required')]
  if (given.size === 1 || !given.has('ReadWriteOncePod')) return []
  return [forbidden(path, 'may not use ReadWriteOncePod with other access modes')]
}

/** A size is more than nothing. */
export function checkSize(path: string, size: string): readonly FieldError[] {
  const amount = parseQuantity(size)
  const some = amount === undefined || (!amount.negative && amount.nanos > 0n)
  return some ? [] : [invalid(path, size, 'must be greater than zero')]
}

/** The name of a storage class; the empty one means none. */
export function checkClassName(path: string, name: string | undefined): readonly FieldError[] {
  return name ? invalidAll(path, name, dnsSubdomainProblems(name)) : []
}

const none: readonly FieldError[] = []

/** A path that does not climb out of its folder. */
export function checkNoBacksteps(path: string, value: string | undefined): readonly FieldError[] {
  if (value === undefined || !value.includes('..') || !value.split('/').includes('..')) return none
  return [invalid(path, value, "must not contain '..'")]
}

/** A path below a folder that is given elsewhere. */
export function checkBelow(path: string, value: string): readonly FieldError[] {
  if (!value.startsWith('/')) return checkNoBacksteps(path, value)
  return [invalid(path, value, 'must be a relative path'), ...checkNoBacksteps(path, value)]
}

/** A path of a file in a volume, which also keeps clear of the names that are used to swap contents. */
export function checkFilePath(path: string, value: string): readonly FieldError[] {
  const reserved = value.startsWith('..') && !value.split('/').includes('..')
  return [
    ...checkBelow(path, value),
    ...(reserved ? [invalid(path, value, "must not start with '..'")] : []),
  ]
}
