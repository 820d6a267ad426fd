import type { ConfigMap } from '../../../../generated/apis/core/v1/config-map.ts'
import { tooLong } from '../../../kernel/validation/field-errors.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { checkImmutableData, dataSize, maxDataBytes } from './keyed-data.ts'

/** Text and binary entries share one set of keys and one size; an immutable map changes only in its metadata. */
export const configMap: Strategy<ConfigMap> = {
  check(object) {
    const { data, binaryData } = object.value
    object.visit('data')
    checkShared(object, 'data', 'binaryData')
    object.visit('binaryData')
    checkShared(object, 'binaryData', 'data')
    if (dataSize(data, 'utf8') + dataSize(binaryData, 'base64') > maxDataBytes) {
      object.report(tooLong('[]', maxDataBytes))
    }
    checkImmutableData(object, ['data', 'binaryData'])
  },
}

type Key = 'data' | 'binaryData'

function checkShared(object: Field<ConfigMap>, key: Key, other: Key): void {
  const others = object.value[other]
  if (others === undefined) return
  object.each(key, (entry, _, name) => {
    if (!Object.hasOwn(others, name)) return
    entry.invalid('', `duplicate of key present in ${other}`, name)
  })
}
