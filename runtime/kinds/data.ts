/** What ConfigMap and Secret share: keyed data of bounded size that can be frozen. */
import { equal } from '../kernel/equal.ts'
import { configKeyProblems } from '../kernel/names.ts'
import type { Finding } from '../kernel/read.ts'
import { forbidden, problems } from './findings.ts'
import type { Strings } from './shapes.ts'

/** The most bytes that the values of one object may have together. */
export const mostBytes = 1024 * 1024

/** Findings for the keys of `data`, which become file names. */
export function checkKeys(path: string, data: Strings | undefined): readonly Finding[] {
  return Object.keys(data ?? {}).flatMap((key) =>
    problems(`${path}[${key}]`, key, configKeyProblems(key)),
  )
}

/** Bytes that base64 values stand for. */
export function decodedSize(data: Strings | undefined): number {
  return sum(data, (value) => Buffer.byteLength(value, 'base64'))
}

/** Bytes of values that are text. */
export function textSize(data: Strings | undefined): number {
  return sum(data, (value) => Buffer.byteLength(value))
}

function sum(data: Strings | undefined, size: (value: string) => number): number {
  return Object.values(data ?? {}).reduce((total, value) => total + size(value), 0)
}

type Frozen = Readonly<Record<string, unknown>>

/** Once `immutable` is true, neither it nor the named fields change. */
export function checkFrozen(
  object: object,
  old: object,
  fields: readonly string[],
): readonly Finding[] {
  const [now, before] = [object as Frozen, old as Frozen]
  if (before.immutable !== true) return []
  const changed = fields.filter((field) => !equal(now[field], before[field]))
  const thawed = now.immutable === true ? [] : ['immutable']
  return [...thawed, ...changed].map((field) =>
    forbidden(field, 'field is immutable when `immutable` is set'),
  )
}
