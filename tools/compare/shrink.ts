import { isObject, type Json } from '../../runtime/kernel/values/json.ts'
import type { Scenario, Step } from './scenario.ts'

/** How many smaller scenarios are tried for one difference. */
const mostTries = 80

/**
 * The smallest scenario found that still shows what `shows` looks for: without steps, fields and items that it does not need.
 */
export async function shrunk(
  scenario: Scenario,
  shows: (smaller: Scenario) => Promise<boolean>,
): Promise<Scenario> {
  let smallest = scenario
  let tries = 0
  for (let again = true; again && tries < mostTries; ) {
    again = false
    for (const smaller of smallerScenarios(smallest)) {
      if (tries === mostTries) break
      tries += 1
      if (!(await shows(smaller))) continue
      smallest = smaller
      again = true
      break
    }
  }
  return smallest
}

/** Scenarios with a step less, the last first; then with a part of a body less. */
function* smallerScenarios(scenario: Scenario): Generator<Scenario> {
  const { steps } = scenario
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    const step = steps[index] as Step
    if (steps.length > 1 && !step.silent)
      yield { ...scenario, steps: steps.filter((_, at) => at !== index) }
  }
  for (const [index, step] of steps.entries()) {
    if (step.silent || step.body === undefined) continue
    for (const body of smallerValues(step.body, true)) {
      yield { ...scenario, steps: steps.map((one, at) => (at === index ? { ...step, body } : one)) }
    }
  }
}

/** What names an object stays: a scenario without it would show another difference. */
const identity = new Set(['apiVersion', 'kind', 'name'])

/** Values with one field or item less, large ones first. */
function* smallerValues(value: Json, atRoot = false): Generator<Json> {
  if (Array.isArray(value)) {
    for (const index of value.keys()) yield value.filter((_, at) => at !== index)
    for (const [index, item] of value.entries()) {
      for (const smaller of smallerValues(item)) {
        yield value.map((one, at) => (at === index ? smaller : one))
      }
    }
  }
  if (!isObject(value)) return
  const keys = Object.keys(value).filter(
    (key) => !(atRoot && (identity.has(key) || key === 'metadata')),
  )
  for (const key of keys) {
    if (identity.has(key)) continue
    const { [key]: _, ...rest } = value
    yield rest
  }
  for (const [key, inner] of Object.entries(value)) {
    for (const smaller of smallerValues(inner as Json)) yield { ...value, [key]: smaller }
  }
}
