import { isObject, type Json, type JsonObject } from '../../runtime/kernel/values/json.ts'
import type { Answer } from './server.ts'

const policy = /^Forbidden: (?:hostProcess containers are )?disallowed by cluster policy$/

/**
 * Two refusals, that of the reference without what it says of privileged containers: it runs without the flag that allows them, and what
 * else is wrong with an object is compared. One that says nothing else stays as it is.
 */
export function withoutPolicy(ours: Answer, reference: Answer): readonly [Answer, Answer] {
  const both = ours.status === 422 && reference.status === 422
  if (!both || !reference.text.includes('disallowed by cluster policy')) return [ours, reference]
  const told = textWithoutPolicy(JSON.parse(reference.text) as JsonObject)
  if (told === undefined) return [ours, reference]
  return [
    { ...ours, text: JSON.stringify(JSON.parse(ours.text)) },
    { ...reference, text: told },
  ]
}

/** The text of a refusal without the policy; undefined if it tells nothing else. */
function textWithoutPolicy(body: JsonObject): string | undefined {
  const { details, message } = body
  if (!isObject(details) || !Array.isArray(details.causes)) return undefined
  const causes = details.causes.filter((cause) => !isPolicy(cause))
  const [head = ''] = /^.*? is invalid: /s.exec(String(message)) ?? []
  if (causes.length === 0 || head === '') return undefined
  const told = [...new Set(causes.map(toldOf))]
  const list = told.length === 1 ? told[0] : `[${told.join(', ')}]`
  return JSON.stringify({ ...body, message: `${head}${list}`, details: { ...details, causes } })
}

function isPolicy(cause: Json): boolean {
  return isObject(cause) && policy.test(String(cause.message))
}

function toldOf(cause: Json): string {
  return isObject(cause) ? `${cause.field}: ${cause.message}` : ''
}
