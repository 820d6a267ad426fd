import { isObject, type Json } from '../../runtime/kernel/values/json.ts'
import type { Answer } from './server.ts'

/** What is said of a change that is refused, before the change is shown. */
const refusedChange =
  /^(Forbidden: (?:pod updates may not change|spec(?:\.\w+)? is immutable after)[^\n]*)\n.*$/s

/**
 * An error without the changes that it shows: each program shows them in words of its own (decision 109), and what it says of other
 * fields is still to be compared.
 */
export function withoutChanges(answer: Answer): Answer {
  if (answer.status !== 422) return answer
  const body = JSON.parse(answer.text) as Json
  const details = isObject(body) ? body.details : undefined
  if (!isObject(body) || !isObject(details) || !Array.isArray(details.causes)) return answer
  let shown = false
  const causes = details.causes.map((cause: Json) => {
    if (!isObject(cause) || !refusedChange.test(String(cause.message))) return cause
    shown = true
    return { ...cause, message: String(cause.message).replace(refusedChange, '$1') }
  })
  if (!shown) return answer
  const message = String(body.message).replace(/ is invalid: .*/s, ' is invalid')
  return { ...answer, text: JSON.stringify({ ...body, message, details: { ...details, causes } }) }
}
