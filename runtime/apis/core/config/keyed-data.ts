/** What ConfigMap and Secret share: keyed data of bounded size that can be made immutable. */
import type { ConfigMap } from '../../../../generated/apis/core/v1/config-map.ts'
import type { Secret } from '../../../../generated/apis/core/v1/secret.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import type { Field } from '../../../kernel/walker/field.ts'

type Data = Readonly<Record<string, string>>

/** The most bytes that the values of one object may have together. */
export const maxDataBytes = 1024 * 1024

/** Bytes of the values, which are text in that encoding. */
export function dataSize(data: Data | undefined, encoding: 'utf8' | 'base64'): number {
  const values = Object.values(data ?? {})
  return values.reduce((total, value) => total + Buffer.byteLength(value, encoding), 0)
}

/** Once `immutable` is true, neither it nor the named fields change. */
export function checkImmutableData<T extends ConfigMap | Secret>(
  object: Field<T>,
  keys: readonly ('data' | 'binaryData')[],
): void {
  const [now, old] = [object.value, object.old] as readonly (Partial<ConfigMap> | undefined)[]
  if (old?.immutable !== true) return
  const changed = keys.filter((key) => !deepEqual(now?.[key], old[key]))
  const fields = now?.immutable === true ? changed : ['immutable', ...changed]
  for (const key of fields) {
    object.forbidden(key as never, 'field is immutable when `immutable` is set')
  }
}
