/** What volumes and claims have in common. */
import { dnsSubdomainProblems } from '../kernel/names.ts'
import { parseQuantity } from '../kernel/quantity.ts'
import type { Finding } from '../kernel/read.ts'
import { forbidden, invalid, problems, required } from './findings.ts'
import type { List } from './shapes.ts'

/** There are ways of access, and the exclusive one stands alone. */
export function checkAccessModes(path: string, modes: List<string> = []): readonly Finding[] {
  const given = new Set(modes)
  if (given.size === 0) return [required(path, 'at least 1 access mode is required')]
  if (given.size === 1 || !given.has('ReadWriteOncePod')) return []
  return [forbidden(path, 'may not use ReadWriteOncePod with other access modes')]
}

/** A size is more than nothing. */
export function checkSize(path: string, size: string): readonly Finding[] {
  const amount = parseQuantity(size)
  const some = amount === undefined || (!amount.negative && amount.nanos > 0n)
  return some ? [] : [invalid(path, size, 'must be greater than zero')]
}

/** The name of a storage class; the empty one means none. */
export function checkClassName(path: string, name: string | undefined): readonly Finding[] {
  return name ? problems(path, name, dnsSubdomainProblems(name)) : []
}

const none: readonly Finding[] = []

/** A path that does not climb out of its folder. */
export function checkNoBacksteps(path: string, value: string | undefined): readonly Finding[] {
  if (value === undefined || !value.includes('..') || !value.split('/').includes('..')) return none
  return [invalid(path, value, "must not contain '..'")]
}

/** A path below a folder that is given elsewhere. */
export function checkBelow(path: string, value: string): readonly Finding[] {
  if (!value.startsWith('/')) return checkNoBacksteps(path, value)
  return [invalid(path, value, 'must be a relative path'), ...checkNoBacksteps(path, value)]
}

/** A path of a file in a volume, which also keeps clear of the names that are used to swap contents. */
export function checkFilePath(path: string, value: string): readonly Finding[] {
  const reserved = value.startsWith('..') && !value.split('/').includes('..')
  return [
    ...checkBelow(path, value),
    ...(reserved ? [invalid(path, value, "must not start with '..'")] : []),
  ]
}
