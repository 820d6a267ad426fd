/** What is wrong with the kind and the apiVersion that a document states, in the words of the public decoder. */
import { isObject, type Json } from '../../kernel/values/json.ts'

/** Why a document does not say what it is; undefined if it does, or says nothing. */
export function typeMetaProblem(value: Json): string | undefined {
  if (value === null) return undefined
  if (!isObject(value)) return headless(unmarshalProblem(value, `value of type ${typeMeta}`))
  for (const field of ['apiVersion', 'kind'] as const) {
    const given = value[field]
    if (given === undefined || given === null || typeof given === 'string') continue
    return headless(unmarshalProblem(given, `struct field .${field} of type string`))
  }
  const { apiVersion } = value
  const slashes = typeof apiVersion === 'string' ? apiVersion.split('/').length - 1 : 0
  return slashes > 1 ? `unexpected GroupVersion string: ${apiVersion}` : undefined
}

const typeMeta =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

function headless(why: string): string {
  return `couldn't get version/kind; json parse error: ${why}`
}

/** The words for a value that cannot become the target, such as `value of type string`. */
export function unmarshalProblem(value: Json, target: string): string {
  return `json: cannot unmarshal ${jsonType(value)} into Go ${target}`
}

function jsonType(value: Json): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'bigint' ? 'number' : typeof value
}

/** What is said of a kind that is not registered. */
export function unregistered(kind: string, apiVersion: string): string {
  return `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:100"`
}
