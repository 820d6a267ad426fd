/** The rules of ConfigMap. */
import type { ApiObject } from '../../../kernel/meta/object.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { invalid, tooLong } from '../../types/field-errors.ts'
import type { Strings } from '../../types/shapes.ts'
import { checkImmutableData, checkKeys, decodedSize, maxDataBytes, textSize } from './keyed-data.ts'

interface ConfigMap extends ApiObject {
  readonly immutable?: boolean
  readonly data?: Strings
  readonly binaryData?: Strings
}

/** Text and binary entries share one set of keys and one size; a frozen map changes only in its metadata. */
export const configMap: Strategy = {
  validate(object, old) {
    const { data, binaryData } = object as ConfigMap
    return [
      ...checkKeys('data', data),
      ...checkShared('data', data, 'binaryData', binaryData),
      ...checkKeys('binaryData', binaryData),
      ...checkShared('binaryData', binaryData, 'data', data),
      ...(textSize(data) + decodedSize(binaryData) > maxDataBytes
        ? [tooLong('[]', maxDataBytes)]
        : []),
      ...(old === undefined ? [] : checkImmutableData(object, old, ['data', 'binaryData'])),
    ]
  },
}

function checkShared(
  path: string,
  data: Strings | undefined,
  other: string,
  others: Strings | undefined,
): readonly FieldError[] {
  if (others === undefined) return []
  return Object.keys(data ?? {})
    .filter((key) => Object.hasOwn(others, key))
    .map((key) => invalid(`${path}[${key}]`, key, `duplicate of key present in ${other}`))
}
