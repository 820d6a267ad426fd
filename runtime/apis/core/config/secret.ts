import type { Secret } from '../../../../generated/apis/core/v1/secret.ts'
import { change } from '../../../kernel/values/change.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { keyPairProblem } from './key-pair.ts'
import { checkImmutableData, dataSize, maxDataBytes } from './keyed-data.ts'

/**
 * Plain text is merged into the data and never stored; the type is fixed and says which keys there
 * must be.
 * An entry of stringData wins over one of data with the same key. Errors in the order keys, size,
 * type, immutability; that the type stays the same the schema says.
 */
export const secret: Strategy<Secret> = {
  defaults(object) {
    if (object.stringData === undefined) return object
    const texts = Object.entries(object.stringData)
    const encoded = texts.map(([key, text]) => [key, Buffer.from(text).toString('base64')])
    const data = { ...object.data, ...Object.fromEntries(encoded) }
    return change(object, { data, stringData: undefined })
  },
  warn({ type, data = {} }, _, { platform }) {
    if (type !== `${platform.domain}/tls`) return []
    const problem = keyPairProblem(textOf(data['tls.crt']), textOf(data['tls.key']))
    return problem === undefined ? [] : [problem]
  },
  check(object, { platform }) {
    object.visit('data')
    if (dataSize(object.value.data, 'base64') > maxDataBytes) object.tooLong('data', maxDataBytes)
    checkType(object, platform.domain)
    checkImmutableData(object, ['data'])
  },
}

function textOf(bytes = ''): string {
  return Buffer.from(bytes, 'base64').toString('latin1')
}

/**
 * Types that are not listed want nothing, those of clients among them. Basic authentication wants
 * either key, and if both are missing, both are reported (supplement I-09).
 */
function checkType(object: Field<Secret>, domain: string) {
  const { type, data = {} } = object.value
  switch (type) {
    case `${domain}/service-account-token`: {
      const { annotations = {} } = object.value.metadata ?? {}
      const key = `${domain}/service-account.name`
      if (Object.hasOwn(annotations, key) && annotations[key] !== '') return
      return object.required(`metadata.annotations[${key}]`)
    }
    case `${domain}/dockercfg`:
      return checkJson(object, '.dockercfg')
    case `${domain}/dockerconfigjson`:
      return checkJson(object, '.dockerconfigjson')
    case `${domain}/basic-auth`:
      if (Object.hasOwn(data, 'username') || Object.hasOwn(data, 'password')) return
      return checkPresent(object, ['username', 'password'])
    case `${domain}/ssh-auth`:
      return checkPresent(object, ['ssh-privatekey'])
    case `${domain}/tls`:
      return checkPresent(object, ['tls.crt', 'tls.key'])
  }
}

function checkPresent(object: Field<Secret>, keys: readonly string[]) {
  for (const key of keys) {
    if (!Object.hasOwn(object.value.data ?? {}, key)) object.required(`data[${key}]`)
  }
}

/** The error says that the text is no JSON, never what it is. */
function checkJson(object: Field<Secret>, key: string) {
  const { data = {} } = object.value
  if (!Object.hasOwn(data, key)) return object.required(`data[${key}]`)
  try {
    JSON.parse(Buffer.from(data[key] ?? '', 'base64').toString())
  } catch {
    object.invalid(`data[${key}]`, 'must be JSON', '<secret contents redacted>')
  }
}
