/** Which fields a request writes beside those that are declared. */

import type { JsonPatch } from '../../client/client.ts'
import { isObject } from '../../kernel/values/json.ts'
import { unescapedStep } from '../../kernel/values/json-pointer.ts'

/** The names and keys that lead to a field. */
export type Steps = readonly string[]

/**
 * The first field that a draft, a configuration or a merge patch names and that is not declared. A list is a field; an empty map that
 * leads to one that is declared is none.
 */
export function undeclaredField(
  value: unknown,
  declared: readonly Steps[],
  at: Steps = [],
): Steps | undefined {
  if (value === undefined || declared.some((one) => isWithin(at, one))) return undefined
  if (!isObject(value)) return at
  const entries = Object.entries(value)
  if (entries.length === 0) return declared.some((one) => isWithin(one, at)) ? undefined : at
  for (const [name, part] of entries) {
    const found = undeclaredField(part, declared, [...at, name])
    if (found !== undefined) return found
  }
  return undefined
}

/** The first field that a JSON patch changes and that is not declared: what stands at a path is replaced as a whole. */
export function undeclaredStep(patch: JsonPatch, declared: readonly Steps[]): Steps | undefined {
  const changed = patch.flatMap((step) => {
    if (step.op === 'test') return []
    return step.op === 'move' ? [step.from, step.path] : [step.path]
  })
  return changed.map(stepsOfPointer).find((field) => !declared.some((one) => isWithin(field, one)))
}

/** True if `field` is `other`, or below it. */
export function isWithin(field: Steps, other: Steps): boolean {
  return other.every((step, at) => field[at] === step)
}

/** A path as `writing` takes it. */
export function printSteps(steps: Steps): string {
  return steps.reduce((path, step) => {
    if (ofNames.has(path) || !/^[\w$-]+$/.test(step)) return `${path}[${step}]`
    return path === '' ? step : `${path}.${step}`
  }, '')
}

/** Maps of every kind. */
const ofNames: ReadonlySet<string> = new Set(['metadata.annotations', 'metadata.labels'])

function stepsOfPointer(pointer: string): Steps {
  const steps = pointer.split('/').slice(1)
  return steps.map(unescapedStep)
}
