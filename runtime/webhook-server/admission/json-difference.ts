import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { escapedStep } from '../../kernel/values/json-pointer.ts'

/** An operation of a JSON Patch (RFC 6902). */
export interface DifferenceOperation {
  readonly op: 'add' | 'remove' | 'replace'
  readonly path: string
  readonly value?: Json
}

/**
 * The JSON Patch that makes `after` of `before`. Of a list that got longer or shorter, what both begin and end with stays; the
 * items between are compared place by place.
 */
export function jsonDifference(
  before: JsonObject,
  after: JsonObject,
): readonly DifferenceOperation[] {
  const operations: DifferenceOperation[] = []
  compare(before, after, '', operations)
  return operations.length <= mostOperations ? operations : wholeFields(before, after)
}

/** Servers take 10,000. */
const mostOperations = 1000

/** Each field of the object that differs, whole. */
function wholeFields(before: JsonObject, after: JsonObject): readonly DifferenceOperation[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name): readonly DifferenceOperation[] => {
    const [was, is] = [ownValue(before, name), ownValue(after, name)]
    if (deepEqual(was, is)) return []
    const path = `/${escapedStep(name)}`
    if (is === undefined) return [{ op: 'remove', path }]
    return [{ op: was === undefined ? 'add' : 'replace', path, value: is }]
  })
}

function compare(before: Json, after: Json, path: string, to: DifferenceOperation[]): void {
  if (isObject(before) && isObject(after)) {
    for (const [name, was] of Object.entries(before)) {
      const at = `${path}/${escapedStep(name)}`
      const is = ownValue(after, name)
      if (is === undefined) to.push({ op: 'remove', path: at })
      else compare(was as Json, is, at, to)
    }
    for (const [name, value] of Object.entries(after)) {
      const isNew = value !== undefined && !Object.hasOwn(before, name)
      if (isNew) to.push({ op: 'add', path: `${path}/${escapedStep(name)}`, value })
    }
  } else if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, path, to)
  else if (!deepEqual(before, after)) to.push({ op: 'replace', path, value: after })
}

function compareLists(
  before: readonly Json[],
  after: readonly Json[],
  path: string,
  to: DifferenceOperation[],
): void {
  const shorter = Math.min(before.length, after.length)
  const same = (a: number, b: number) => deepEqual(before[a], after[b])
  let start = 0
  let end = 0
  if (before.length !== after.length) {
    while (start < shorter && same(start, start)) start++
    while (end < shorter - start && same(before.length - 1 - end, after.length - 1 - end)) end++
  }
  const [was, is] = [before.length - end, after.length - end]
  for (let at = start; at < Math.min(was, is); at++) {
    compare(before[at] as Json, after[at] as Json, `${path}/${at}`, to)
  }
  for (let at = was - 1; at >= is; at--) to.push({ op: 'remove', path: `${path}/${at}` })
  for (let at = was; at < is; at++) {
    to.push({ op: 'add', path: `${path}/${at}`, value: after[at] as Json })
  }
}

function ownValue(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}
