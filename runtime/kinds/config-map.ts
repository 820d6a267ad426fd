/** The rules of ConfigMap. */
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { checkFrozen, checkKeys, decodedSize, mostBytes, textSize } from './data.ts'
import { invalid, tooLong } from './findings.ts'
import type { Rule } from './kinds.ts'
import type { Strings } from './shapes.ts'

interface ConfigMap extends ApiObject {
  readonly immutable?: boolean
  readonly data?: Strings
  readonly binaryData?: Strings
}

/** Text and binary entries share one set of keys and one size; a frozen map changes only in its metadata. */
export const configMap: Rule = {
  validate(object, old) {
    const { data, binaryData } = object as ConfigMap
    return [
      ...checkKeys('data', data),
      ...checkShared('data', data, 'binaryData', binaryData),
      ...checkKeys('binaryData', binaryData),
      ...checkShared('binaryData', binaryData, 'data', data),
      ...(textSize(data) + decodedSize(binaryData) > mostBytes ? [tooLong('[]', mostBytes)] : []),
      ...(old === undefined ? [] : checkFrozen(object, old, ['data', 'binaryData'])),
    ]
  },
}

function checkShared(
  path: string,
  data: Strings | undefined,
  other: string,
  others: Strings | undefined,
): readonly Finding[] {
  if (others === undefined) return []
  return Object.keys(data ?? {})
    .filter((key) => Object.hasOwn(others, key))
    .map((key) => invalid(`${path}[${key}]`, key, `duplicate of key present in ${other}`))
}
