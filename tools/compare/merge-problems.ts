import { isObject, type Json } from '../../runtime/kernel/values/json.ts'
import type { Answer } from './server.ts'

/** What the message of a configuration that cannot be merged begins with. */
const head = /^failed to create typed (?:patch|live) object \([^)]*\): (?:errors:\n)?/

const undeclared = ': field not declared in schema'

/**
 * Two refusals of configurations without what is chance in the reference: it looks at the fields of an object in the order of a hash
 * table, and stops at the first that is not declared. So the problems are sorted, and of an object with such a field nothing else counts.
 * Managers with whom there are conflicts are in such an order, too.
 */
export function withoutChance(ours: Answer, reference: Answer): readonly [Answer, Answer] {
  if (ours.status === 409 && reference.status === 409)
    return [withSortedConflicts(ours), withSortedConflicts(reference)]
  const [mine, theirs] = [problemsOf(ours), problemsOf(reference)]
  if (mine === undefined || theirs === undefined) return [ours, reference]
  const cut = [...mine, ...theirs]
    .filter((line) => line.endsWith(undeclared))
    .map(objectOf)
    .sort((one, other) => one.length - other.length)
  return [withProblems(ours, mine, cut), withProblems(reference, theirs, cut)]
}

/** A refusal with its conflicts by manager; those with one manager stay in their order. */
function withSortedConflicts(answer: Answer): Answer {
  const body = bodyOf(answer.text)
  const details = isObject(body) ? body.details : undefined
  const causes = isObject(details) && Array.isArray(details.causes) ? details.causes : []
  const text = (cause: Json | undefined): string => (isObject(cause) ? String(cause.message) : '')
  const conflicts = causes.every((one) => isObject(one) && one.reason === 'FieldManagerConflict')
  if (!isObject(body) || !isObject(details) || causes.length < 2 || !conflicts) return answer
  const sorted = [...causes].sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0))
  return { ...answer, text: JSON.stringify({ ...body, details: { ...details, causes: sorted } }) }
}

/** The problems that a refusal tells; undefined for any other answer. */
function problemsOf({ status, text }: Answer): readonly string[] | undefined {
  if (status !== 500 || !text.includes('failed to create typed')) return undefined
  const message = messageOf(text)
  const match = head.exec(message)
  return match
    ? message
        .slice(match[0].length)
        .split('\n  ')
        .map((line) => line.trim())
    : undefined
}

function messageOf(text: string): string {
  const body = bodyOf(text)
  return isObject(body) ? String(body.message) : ''
}

function bodyOf(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

/** The path of the object that a field stands in which is not declared. */
function objectOf(line: string): string {
  const path = line.slice(0, -undeclared.length)
  return path.slice(0, path.lastIndexOf('.'))
}

function withProblems(answer: Answer, lines: readonly string[], cut: readonly string[]): Answer {
  const kept = lines.map((line) => {
    const object = cut.find((one) => line.startsWith(`${one}.`))
    return object === undefined ? line : `${object}${undeclared}`
  })
  const body = JSON.parse(answer.text) as { message: string }
  const [first = ''] = head.exec(body.message) ?? []
  const message = first.replace('errors:\n', '') + [...new Set(kept)].sort().join('; ')
  return { ...answer, text: JSON.stringify({ ...body, message }) }
}
