/** What ConfigMap and Secret share: keyed data of bounded size that can be frozen. */

import { configKeyProblems } from '../../../kernel/meta/names.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import { forbidden, invalidAll } from '../../types/field-errors.ts'
import type { Strings } from '../../types/shapes.ts'

/** The most bytes that the values of one object may have together. */
export const maxDataBytes = 1024 * 1024

/** Findings for the keys of `data`, which become file names. */
export function checkKeys(path: string, data: Strings | undefined): readonly FieldError[] {
  return Object.keys(data ?? {}).flatMap((key) =>
    invalidAll(`${path}[${key}]`, key, configKeyProblems(key)),
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
export function checkImmutableData(
  object: object,
  old: object,
  fields: readonly string[],
): readonly FieldError[] {
  const [now, before] = [object as Frozen, old as Frozen]
  if (before.immutable !== true) return []
  const changed = fields.filter((field) => !deepEqual(now[field], before[field]))
  const thawed = now.immutable === true ? [] : ['immutable']
  return [...thawed, ...changed].map((field) =>
    forbidden(field, 'field is immutable when `immutable` is set'),
  )
}
