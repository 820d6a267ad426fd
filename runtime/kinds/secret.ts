/** The rules of Secret. */
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { change } from './change.ts'
import { checkFrozen, checkKeys, decodedSize, mostBytes } from './data.ts'
import { invalid, required, tooLong } from './findings.ts'
import type { Rule } from './kinds.ts'
import type { Strings } from './shapes.ts'

interface Secret extends ApiObject {
  readonly immutable?: boolean
  readonly data?: Strings
  readonly stringData?: Strings
  readonly type?: string
}

/** Plain text is merged into the data and never stored; the type is fixed and says which keys there must be. */
export const secret: Rule = {
  defaults: (object) => mergeText(object as Secret),
  validate(object, old, { platform }) {
    const given = object as Secret
    return [
      ...checkKeys('data', given.data),
      ...(decodedSize(given.data) > mostBytes ? [tooLong('data', mostBytes)] : []),
      ...checkType(given, platform.domain),
      ...(old === undefined ? [] : checkFrozen(given, old, ['data'])),
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

function checkType(object: Secret, domain: string): readonly Finding[] {
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

function checkAccount({ metadata }: Secret, annotation: string): readonly Finding[] {
  const { annotations = {} } = metadata
  const named = Object.hasOwn(annotations, annotation) && annotations[annotation] !== ''
  return named ? [] : [required(`metadata.annotations[${annotation}]`)]
}

function checkPresent(object: Secret, keys: readonly string[]): readonly Finding[] {
  return keys.filter((key) => !has(object, key)).map((key) => required(`data[${key}]`))
}

function has({ data }: Secret, key: string): boolean {
  return data !== undefined && Object.hasOwn(data, key)
}

/** Says that the text is no JSON, never what it is. */
function checkJson(object: Secret, key: string): readonly Finding[] {
  const missing = checkPresent(object, [key])
  if (missing.length > 0) return missing
  try {
    JSON.parse(Buffer.from(object.data?.[key] ?? '', 'base64').toString())
    return []
  } catch {
    return [invalid(`data[${key}]`, '<secret contents redacted>', 'must be JSON')]
  }
}
