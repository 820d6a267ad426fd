import type { ConfigMap } from '../../../../generated/apis/core/v1/config-map.ts'
import { tooLong } from '../../../kernel/validation/field-errors.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { checkImmutableData, dataSize, maxDataBytes } from './keyed-data.ts'

/**
 * Text and binary entries share one set of keys and one size; an immutable map changes only in its
 * metadata.
 * Form of a key, and of one for texts its presence among the binary ones; then size, then immutability (supplement I-10). The size counts values as bytes, binary ones decoded, and keys
 * not at all.
 */
export const configMap: Strategy<ConfigMap> = {
  check(object) {
    const { data, binaryData } = object.value
    object.visit('data')
    checkShared(object)
    object.visit('binaryData')
    if (dataSize(data, 'utf8') + dataSize(binaryData, 'base64') > maxDataBytes) {
      object.report(tooLong('[]', maxDataBytes))
    }
    checkImmutableData(object, ['data', 'binaryData'])
  },
}

/** A shared key has one error, at the text. */
function checkShared(object: Field<ConfigMap>): void {
  const { binaryData } = object.value
  if (binaryData === undefined) return
  object.each('data', (entry, _, name) => {
    if (!Object.hasOwn(binaryData, name)) return
    entry.invalid('', 'duplicate of key present in binaryData', name)
  })
}
