/** The rules of Secret. */
import type { ApiObject } from '../../../kernel/meta/object.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { change } from '../../strategy/change.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { invalid, required, tooLong } from '../../types/field-errors.ts'
import type { Strings } from '../../types/shapes.ts'
import { checkImmutableData, checkKeys, decodedSize, maxDataBytes } from './keyed-data.ts'

interface Secret extends ApiObject {
  readonly immutable?: boolean
  readonly data?: Strings
  readonly stringData?: Strings
  readonly type?: string
}

/** Plain text is merged into the data and never stored; the type is fixed and says which keys there must be. */
export const secret: Strategy = {
  defaults: (object) => mergeText(object as Secret),
  validate(object, old, { platform }) {
    const given = object as Secret
    return [
      ...checkKeys('data', given.data),
      ...(decodedSize(given.data) > maxDataBytes ? [tooLong('data', maxDataBytes)] : []),
      ...checkType(given, platform.domain),
      ...(old === undefined ? [] : checkImmutableData(given, old, ['data'])),
    ]
  },
}

function mergeText(object: Secret): Secret {
  if (object.stringData === undefined) return object
  const texts = Object.entries(object.stringData)
  const encoded = texts.map(([key, text]) => [key, Buffer.from(text).toString('base64')])
  const data = { ...object.data, ...Object.fromEntries(encoded) }
  return change(object, { data, stringData: undefined })
}

function checkType(object: Secret, domain: string): readonly FieldError[] {
  switch (object.type) {
    case `${domain}/service-account-token`:
      return checkAccount(object, `${domain}/service-account.name`)
    case `${domain}/dockercfg`:
      return checkJson(object, '.dockercfg')
    case `${domain}/dockerconfigjson`:
      return checkJson(object, '.dockerconfigjson')
    case `${domain}/basic-auth`:
      return ['username', 'password'].some((key) => has(object, key))
        ? []
        : checkPresent(object, ['username', 'password'])
    case `${domain}/ssh-auth`:
      return checkPresent(object, ['ssh-privatekey'])
    case `${domain}/tls`:
      return checkPresent(object, ['tls.crt', 'tls.key'])
    default:
      return []
  }
}

function checkAccount({ metadata }: Secret, annotation: string): readonly FieldError[] {
  const { annotations = {} } = metadata
  const named = Object.hasOwn(annotations, annotation) && annotations[annotation] !== ''
  return named ? [] : [required(`metadata.annotations[${annotation}]`)]
}

function checkPresent(object: Secret, keys: readonly string[]): readonly FieldError[] {
  return keys.filter((key) => !has(object, key)).map((key) => required(`data[${key}]`))
}

function has({ data }: Secret, key: string): boolean {
  return data !== undefined && Object.hasOwn(data, key)
}

/** Says that the text is no JSON, never what it is. */
function checkJson(object: Secret, key: string): readonly FieldError[] {
  const missing = checkPresent(object, [key])
  if (missing.length > 0) return missing
  try {
    JSON.parse(Buffer.from(object.data?.[key] ?? '', 'base64').toString())
    return []
  } catch {
    return [invalid(`data[${key}]`, '<secret contents redacted>', 'must be JSON')]
  }
}
