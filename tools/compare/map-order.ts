/** The order in which a server tells errors of the entries of a map: in the reference that of a hash table, which is chance. */
import { isObject, type Json, type JsonObject } from '../../runtime/kernel/values/json.ts'
import type { Answer } from './server.ts'

/** Two refusals of which errors of entries beside each other are sorted, those of one entry in their order. */
export function withSortedEntries(ours: Answer, reference: Answer): readonly [Answer, Answer] {
  const [mine, theirs] = [causesOf(ours), causesOf(reference)]
  if (mine === undefined || theirs === undefined) return [ours, reference]
  const maps = mapsIn([...mine, ...theirs])
  return [withCauses(ours, sorted(mine, maps)), withCauses(reference, sorted(theirs, maps))]
}

/** A cause, of which the field and the message are looked at. */
type Cause = JsonObject & { readonly field: string; readonly message: string }

/** The causes of a refusal, if there are several; undefined for any other answer. */
function causesOf({ status, text }: Answer): readonly Cause[] | undefined {
  if (status !== 422) return undefined
  const body = parsed(text)
  const details = isObject(body) ? body.details : undefined
  const causes = isObject(details) ? details.causes : undefined
  if (!Array.isArray(causes) || causes.length < 2 || !causes.every(isCause)) return undefined
  return causes
}

function isCause(value: Json): value is Cause {
  return isObject(value) && typeof value.field === 'string' && typeof value.message === 'string'
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

/** What stands before the last bracket of a field, and in it. */
const entry = /^(.*)\[([^\]]*)\][^[\]]*$/s

/** The paths of maps: some key of theirs is no index. */
function mapsIn(causes: readonly Cause[]): ReadonlySet<string> {
  const keyed = causes.flatMap(({ field }) => {
    const [, map = '', key = ''] = entry.exec(field) ?? []
    return map === '' || /^\d+$/.test(key) ? [] : [map]
  })
  return new Set(keyed)
}

/** What the reference says of requests beside limits while it goes through them. */
const ofResources = /\.resources\.(limits|requests)$/

/** What the reference says of the sources of a metric that are too many, in the order of a hash table of their names. */
const ofOthers = /must populate the given metric source only$/

/** What the reference says of the values of a map of labels: all at the map. */
const ofLabels = /\.matchLabels$/

/** What the reference says of gates that a pod gets, in the order of a hash table of their names. */
const ofGates = /found new scheduling gate '/

/** Sorts each run of causes that are about entries of maps, labels, amounts of resources, or metric sources that are too many. */
function sorted(causes: readonly Cause[], maps: ReadonlySet<string>): readonly Cause[] {
  const result: Cause[] = []
  let run: Cause[] = []
  const flush = (): void => {
    result.push(...run.sort(inOrder))
    run = []
  }
  for (const cause of causes) {
    const [, map = ''] = entry.exec(cause.field) ?? []
    const inMap = maps.has(map) || ofResources.test(cause.field) || ofLabels.test(cause.field)
    if (inMap || ofOthers.test(cause.message) || ofGates.test(cause.message)) run.push(cause)
    else {
      flush()
      result.push(cause)
    }
  }
  flush()
  return result
}

function inOrder(one: Cause, other: Cause): number {
  const byField = compare(one.field, other.field)
  return byField === 0 && ofLabels.test(one.field) ? compare(one.message, other.message) : byField
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** The answer with its causes in this order; its message names them in the other one, and is cut before them. */
function withCauses(answer: Answer, causes: readonly Cause[]): Answer {
  const body = JSON.parse(answer.text) as JsonObject & {
    readonly message?: string
    readonly details: JsonObject
  }
  const message = String(body.message).replace(/ is invalid: \[.*/s, ' is invalid')
  const details = { ...body.details, causes: [...causes] }
  return { ...answer, text: JSON.stringify({ ...body, message, details }) }
}
