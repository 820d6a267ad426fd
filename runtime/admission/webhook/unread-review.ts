/** Responses that are no AdmissionReview, in the words of the public decoder. */
import { groupNames, type Platform } from '../../kernel/descriptors/platform.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { unmarshalProblem, unregistered } from '../../serializer/serializer.ts'

/** The versions of AdmissionReview that the server knows. */
export const knownVersions = ['v1', 'v1beta1']

/** Why a response cannot be read as an AdmissionReview of a version; undefined if it can, or says nothing of the sort. */
export function unreadProblem(
  platform: Platform,
  version: string,
  review: Json,
): string | undefined {
  if (!isObject(review)) return undefined
  const { response = null } = review
  const problem = kindProblem(platform, version, review)
  if (problem !== undefined || response === null) return problem
  return isObject(response)
    ? fieldProblem(response, version)
    : unmarshal(response, 'AdmissionReview.response', `${version}.AdmissionResponse`)
}

/** What leaves its kind or its version out is taken for what was asked for. */
function kindProblem(
  platform: Platform,
  version: string,
  { apiVersion, kind }: JsonObject,
): string | undefined {
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !apiVersion || !kind) {
    return undefined
  }
  const groups = groupNames('admission', platform)
  const said = knownVersions.find((one) => groups.some((group) => apiVersion === `${group}/${one}`))
  if (kind !== 'AdmissionReview' || said === undefined) return unregistered(kind, apiVersion)
  if (said === version) return undefined
  return `converting (${said}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`
}

/** The fields of a response, what each is in JSON, and what its type is called. */
const fields: readonly (readonly [string, (value: Json) => boolean, string])[] = [
  ['uid', isText, 'types.UID'],
  ['allowed', (value) => typeof value === 'boolean', 'bool'],
  ['status', isObject, 'v1.Status'],
  ['patch', isText, '[]uint8'],
  ['patchType', isText, 'PatchType'],
  ['auditAnnotations', isObject, 'map[string]string'],
  ['warnings', Array.isArray, '[]string'],
]

function isText(value: Json): value is string {
  return typeof value === 'string'
}

function fieldProblem(response: JsonObject, version: string): string | undefined {
  for (const [name, is, type] of fields) {
    const { [name]: value = null } = response
    if (value === null) continue
    const place = `AdmissionResponse.response.${name}`
    const typeName = type === 'PatchType' ? `${version}.${type}` : type
    if (!is(value)) return unmarshal(value, place, typeName)
    const items = name === 'warnings' || name === 'auditAnnotations' ? Object.values(value) : []
    const odd = items.find((item: Json) => item !== null && !isText(item))
    if (odd !== undefined) return unmarshal(odd, place, 'string')
  }
  return isText(response.patch ?? null) ? base64Problem(String(response.patch)) : undefined
}

function base64Problem(text: string): string | undefined {
  const at = text.search(/[^A-Za-z0-9+/=\r\n]/)
  return at < 0 ? undefined : `illegal base64 data at input byte ${at}`
}

function unmarshal(value: Json, field: string, type: string): string {
  return unmarshalProblem(value, `struct field ${field} of type ${type}`)
}
