import { parse } from 'yaml'
import { isObject, type Json, type JsonObject } from '../../runtime/kernel/values/json.ts'
import { withoutPolicy } from './cluster-policy.ts'
import { withSortedEntries } from './map-order.ts'
import { withoutChance } from './merge-problems.ts'
import { normalizedAnswers } from './normalize.ts'
import { firstInObject, showsAnother, withSortedManagers } from './one-object.ts'
import type { Scenario, Step } from './scenario.ts'
import type { Answer } from './server.ts'
import { withoutChanges } from './shown-changes.ts'
import { withoutStructs } from './shown-values.ts'

/** One place where two servers answered differently. */
export interface Difference {
  /** The index of the step. */
  readonly step: number
  /** `status`, `header allow`, `bytes`, or the path of a value in the body. */
  readonly at: string
  readonly ours: string
  readonly reference: string
  /** Equal for differences that most likely have one cause: without names, numbers and quoted values. */
  readonly signature: string
}

/**
 * What the two servers answered differently to a scenario, in the order of steps: of an error its first difference alone, nothing
 * after a step whose statuses differ, and what an earlier step differed in only once. Where all steps are about one object, its
 * first difference alone is told.
 */
export function differencesOf(
  { subject, steps, anyOrder, oneObject }: Scenario,
  ours: readonly Answer[],
  reference: readonly Answer[],
  now = Date.now(),
): readonly Difference[] {
  const normal = (answers: readonly Answer[]): readonly Answer[] => {
    const compared = answers.map((answer, index) =>
      steps[index]?.silent ? { ...answer, headers: {}, text: '' } : answer,
    )
    const all = normalizedAnswers(compared, now)
    return oneObject ? all.map(withSortedManagers) : all
  }
  const [mine, theirs] = [normal(ours), normal(reference)]
  const pair = (index: number): readonly [Answer, Answer] => {
    const told = withoutPolicy(mine[index] as Answer, theirs[index] as Answer)
    const [one, other] = told.map(withoutChanges) as [Answer, Answer]
    return withoutStructs(...withSortedEntries(...withoutChance(one, other)))
  }
  const found: Difference[] = []
  const told = new Set<string>()
  for (const [index, step] of steps.entries()) {
    if (step.silent) continue
    const every = answerDifferences(...pair(index), step.ignores, anyOrder)
    const all = oneObject ? firstInObject(every) : every
    for (const { brief, ...rest } of all) {
      const shape = `${template(rest.at)} ${rest.ours} ${rest.reference}`
      if (told.has(shape)) continue
      told.add(shape)
      found.push({
        step: index,
        ...rest,
        signature: signatureOf(subject, step, { brief, ...rest }),
      })
    }
    if (all[0]?.at === 'status' || (oneObject && showsAnother(pair(index)[0], all))) break
  }
  return found
}

/** A difference before it is known in which step it was found. */
interface Found extends Omit<Difference, 'step' | 'signature'> {
  /** What the signature says in place of `ours` and `reference`. */
  readonly brief?: readonly [string, string] | undefined
}

/** Most differences of one answer: a document that is wholly different is not told line by line. */
const mostDifferences = 5000

/** With another status nothing else is compared; of a failure the first difference is told. */
function answerDifferences(
  ours: Answer,
  reference: Answer,
  ignores: readonly string[] = [],
  anyOrder = false,
): readonly Found[] {
  if (ours.status !== reference.status) {
    return [
      {
        at: 'status',
        ours: `${ours.status} ${shortened(messageOf(ours))}`,
        reference: `${reference.status} ${shortened(messageOf(reference))}`,
        brief: [
          `${ours.status} ${firstCause(ours)}`,
          `${reference.status} ${firstCause(reference)}`,
        ],
      },
    ]
  }
  const found = [...headerDifferences(ours, reference)]
  if (anyOrder && ours.status === 422) return [...found, ...causeDifferences(ours, reference)]
  bodyDifferences(ours.text, reference.text, ignores, found)
  return ours.status < 400 ? found : found.slice(0, 1)
}

/** The causes that only one of two errors has, those of one field beside each other. */
function causeDifferences(ours: Answer, reference: Answer): readonly Found[] {
  const theirs = causesOf(reference)
  const mine = causesOf(ours).filter((cause) => !takeFrom(theirs, (one) => one === cause))
  const pairs = mine.map((cause): readonly [string, string] => {
    const field = fieldOf(cause)
    return [cause, takeFrom(theirs, (one) => fieldOf(one) === field) ?? 'absent']
  })
  const others = theirs.map((cause): readonly [string, string] => ['absent', cause])
  return [...pairs, ...others].map(([one, other]) => ({
    at: 'causes',
    ours: shortened(one),
    reference: shortened(other),
    brief: [one, other],
  }))
}

/** The causes of an error as texts, sorted; the message where it has none. */
function causesOf(answer: Answer): string[] {
  const body = parsed(answer.text)
  const details = isObject(body) ? body.details : undefined
  if (!isObject(details) || !Array.isArray(details.causes)) return [messageOf(answer)]
  return details.causes
    .filter(isObject)
    .map(({ field, reason, message }) => `${field}: ${reason}: ${message}`)
    .sort()
}

/** The field that a cause is about. */
function fieldOf(cause: string): string {
  return cause.slice(0, cause.indexOf(': '))
}

/** Takes the first item that fits out of a list. */
function takeFrom(list: string[], fits: (item: string) => boolean): string | undefined {
  const at = list.findIndex(fits)
  return at < 0 ? undefined : list.splice(at, 1)[0]
}

/** Headers by name; one that is absent is empty. */
function headerDifferences(ours: Answer, reference: Answer): readonly Found[] {
  const names = new Set([...Object.keys(ours.headers), ...Object.keys(reference.headers)])
  return [...names].flatMap((name) => {
    const [mine = '', theirs = ''] = [ours.headers[name], reference.headers[name]]
    return mine === theirs ? [] : [{ at: `header ${name}`, ours: mine, reference: theirs }]
  })
}

/** Bodies as values; where these are equal, as bytes. */
function bodyDifferences(
  ours: string,
  reference: string,
  ignores: readonly string[],
  found: Found[],
): void {
  if (ours.trim() === reference.trim()) return
  const before = found.length
  const compared = (text: string): Json => without(withOwnParameters(parsed(text)), ignores)
  const [mine, theirs] = withAlikeBookmarks(compared(ours), compared(reference))
  valueDifferences(mine, theirs, '', found)
  const bytes = ignores.length === 0 && !/"type":"BOOKMARK"/.test(ours + reference)
  if (found.length === before && bytes)
    found.push({ at: 'bytes', ...aroundDifference(ours, reference) })
}

/**
 * A version 2 schema document whose operations say their parameters themselves: the names of shared ones are made of their
 * descriptions, and those are in words of our own.
 */
function withOwnParameters(document: Json): Json {
  const shared = isObject(document) && document.swagger === '2.0' ? document.parameters : undefined
  if (!isObject(document) || !isObject(shared)) return document
  const { parameters: _, ...rest } = document
  const prefix = '#/parameters/'
  const own = (key: string, value: unknown): unknown =>
    key === 'parameters' && Array.isArray(value)
      ? value.map(({ $ref, ...one }) => ($ref ? shared[$ref.slice(prefix.length)] : one))
      : value
  return JSON.parse(JSON.stringify(rest, own))
}

/** A value without the scalars of some keys, at any depth. */
function without(value: Json, keys: readonly string[]): Json {
  if (keys.length === 0) return value
  const skip = (key: string, inner: unknown): unknown =>
    typeof inner !== 'object' && keys.includes(key) ? undefined : inner
  return JSON.parse(JSON.stringify(value, skip))
}

/** JSON, the events of a stream as a list, or the text itself. */
function parsed(text: string): Json {
  try {
    const value = JSON.parse(text)
    return isEvent(value) ? [value] : value
  } catch {
    const lines = text.split('\n').filter((line) => line !== '')
    try {
      return lines.map((line) => JSON.parse(line))
    } catch {
      return yamlObject(text) ?? text
    }
  }
}

/** True for an event of a watch. */
function isEvent(value: Json): value is JsonObject & { readonly object: JsonObject } {
  return isObject(value) && typeof value.type === 'string' && isObject(value.object)
}

/**
 * Whether, when and how often bookmarks come is a matter of time (decision 156): where two streams have some, the type and the
 * version of the last ones are compared.
 */
function withAlikeBookmarks(ours: Json, reference: Json): readonly [Json, Json] {
  if (!Array.isArray(ours) || !Array.isArray(reference)) return [ours, reference]
  const last = [ours, reference].map(lastBookmark)
  const [mine, theirs] = [ours, reference].map((events, at): readonly Json[] => {
    const others = events.filter((event) => !isBookmark(event))
    return last.includes(undefined) ? others : [...others, last[at] as Json]
  })
  return [mine as Json, theirs as Json]
}

/** What every bookmark has, of the last one. */
function lastBookmark(events: readonly Json[]): Json | undefined {
  const last = events.findLast(isBookmark)
  if (last === undefined) return undefined
  const { kind, apiVersion, metadata } = last.object
  const { resourceVersion = null } = isObject(metadata) ? metadata : {}
  return { bookmark: { kind, apiVersion, resourceVersion } as JsonObject }
}

function isBookmark(event: Json): event is JsonObject & { readonly object: JsonObject } {
  return isEvent(event) && event.type === 'BOOKMARK'
}

/** An object or an error that was asked for as YAML; undefined for any other text. */
function yamlObject(text: string): Json | undefined {
  return /^apiVersion: \S+\n\w+:/.test(text) ? (parse(text) as Json) : undefined
}

/** The places where two values differ, in the order of the reference's keys, with the text of errors last. */
function valueDifferences(
  ours: Json | undefined,
  reference: Json | undefined,
  at: string,
  found: Found[],
): void {
  if (ours === reference || found.length >= mostDifferences) return
  if (Array.isArray(ours) && Array.isArray(reference)) {
    const named = ours.length === reference.length ? undefined : [byName(ours), byName(reference)]
    if (named?.[0] && named[1]) {
      valueDifferences(named[0], named[1], at, found)
      return
    }
    for (let index = 0; index < Math.max(ours.length, reference.length); index += 1)
      valueDifferences(ours[index], reference[index], `${at}[${index}]`, found)
    return
  }
  if (isObject(ours) && isObject(reference)) {
    const keys = new Set([...Object.keys(reference), ...Object.keys(ours)])
    const ordered = keys.delete('message') ? [...keys, 'message'] : keys
    for (const key of ordered)
      valueDifferences(ours[key], reference[key], at === '' ? key : `${at}.${key}`, found)
    return
  }
  const texts =
    typeof ours === 'string' &&
    typeof reference === 'string' &&
    /(^|[.])(message|field|reason|kind|causes\[\d+\])$/.test(at)
  const brief = texts ? ([ours, reference] as const) : revisionsIn(ours, reference)
  found.push({
    at,
    ours: printed(ours),
    reference: printed(reference),
    ...(brief && { brief }),
  })
}

/** Which of two revisions comes first in its scenario: who wrote what the other did not is told apart. */
function revisionsIn(
  ours: Json | undefined,
  reference: Json | undefined,
): readonly [string, string] | undefined {
  const [mine, theirs] = [ours, reference].map(
    (value) => /^<revision (\d+)>$/.exec(String(value))?.[1],
  )
  if (mine === undefined || theirs === undefined) return undefined
  const words = ['an earlier revision', 'a later revision'] as const
  return Number(mine) < Number(theirs) ? words : [words[1], words[0]]
}

/** Items by their names, so that one that is missing does not move all others; undefined if they have none of their own. */
function byName(items: readonly Json[]): JsonObject | undefined {
  const names = items.map((item) => (isObject(item) ? (item.name ?? item.subresource) : undefined))
  if (names.some((name) => typeof name !== 'string') || new Set(names).size < items.length)
    return undefined
  return Object.fromEntries(items.map((item, at) => [`[${names[at]}]`, item]))
}

/** A value as a person reads it in a report. */
function printed(value: Json | undefined): string {
  return value === undefined ? 'absent' : shortened(JSON.stringify(value))
}

/** Both texts from a little before the first character that differs. */
function aroundDifference(ours: string, reference: string): { ours: string; reference: string } {
  let index = 0
  while (ours[index] === reference[index]) index += 1
  const from = Math.max(0, index - 30)
  return { ours: ours.slice(from, index + 60), reference: reference.slice(from, index + 60) }
}

/** The message of a Status; of another body its text, unless that is JSON. */
function messageOf({ text }: Answer): string {
  const body = parsed(text)
  if (isObject(body) && body.kind === 'Status') return String(body.message ?? body.status)
  return typeof body === 'string' ? body : ''
}

/** The first thing that an error complains of: an error of many causes has as many signatures as causes, not all sets of them. */
function firstCause(answer: Answer): string {
  const body = parsed(answer.text)
  const details = isObject(body) ? body.details : undefined
  const causes = isObject(details) && Array.isArray(details.causes) ? details.causes : []
  const [cause] = causes
  return isObject(cause) && 'field' in cause
    ? `${cause.field}: ${cause.message}`
    : messageOf(answer)
}

/** Most characters of a value that are shown. */
const mostShown = 600

/** The beginning of a long text. */
function shortened(text: string): string {
  return text.length <= mostShown ? text : `${text.slice(0, mostShown)}...`
}

/** What differences of one cause have in common: what was asked of what, and where the answers part. */
function signatureOf(subject: string, step: Step, found: Found): string {
  const { method, path, query = {}, type = '' } = step
  const route = path.includes('/status') ? ' status' : path.includes('/scale') ? ' scale' : ''
  const format = /apply-patch|merge-patch|json-patch|strategic/.exec(type)?.[0] ?? ''
  const watch = method === 'GET' && (/[?&]watch=/.test(path) || 'watch' in query) ? 'watch' : ''
  const verb = [method, watch, format].filter((word) => word !== '').join(' ')
  return [
    subject,
    `${verb}${route}`,
    template(found.at),
    `ours ${template(found.brief?.[0] ?? found.ours)}`,
    `reference ${template(found.brief?.[1] ?? found.reference)}`,
  ].join(' | ')
}

/** A text without what differs between two cases of one cause. */
function template(text: string): string {
  return text
    .replace(/\\?"(?:[^"\\]|\\.)*\\?"/g, (quoted) =>
      /^"(Field|Required|Invalid|Not|Dupl|Forb|Too|Internal|(array|boolean|integer|null|number|object|string)"$)/.test(
        quoted,
      )
        ? quoted
        : '".."',
    )
    .replace(/\[[^\]]*\]/g, '[*]')
    .replace(/\b\d+(\.\d+)?\b/g, 'N')
    .slice(0, 260)
}
