/** Work on long lists, cut into steps so that other requests are served in between. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { applySteps, noFields, trackSteps } from '../../../runtime/apply/apply.ts'
import { type Steps, wholeSlice } from '../../../runtime/kernel/async/slices.ts'
import type { MergeStrategy } from '../../../runtime/kernel/descriptors/kind.ts'
import type { JsonObject } from '../../../runtime/kernel/values/json.ts'

const tests = suite('runtime/apply: long lists')

const count = 5000
const merge: MergeStrategy = {
  fields: { env: { list: 'map', keys: ['name'], items: { fields: {} } } },
}
const view = { merge, restrict: (fields: object) => fields as never, convert: (o: JsonObject) => o }
const writer = { manager: 'a', apiVersion: 'v1' }
const listOf = (value: string): JsonObject => ({
  env: Array.from({ length: count }, (_, at) => ({ name: `v${at}`, value })),
})

/** Small parts share a step of about that much work. */
const smallStep = 300

/** The most work that is done without a pause, and all of it. */
function measured<T>(steps: Steps<T>) {
  let [most, all] = [0, 0]
  for (;;) {
    const step = steps.next()
    if (step.done) return { most, all, result: step.value }
    if (step.value === wholeSlice) continue
    most = Math.max(most, step.value)
    all += step.value
  }
}

function assertInSteps({ most, all }: { readonly most: number; readonly all: number }) {
  assert.ok(most < 2 * count + smallStep, `${most} at once`)
  assert.ok(all > 4 * count - smallStep, `${all} in all`)
}

tests('a write of a long list finds its changes in steps', () => {
  const write = { writer, views: () => view, now: '', large: true }
  const made = measured(trackSteps([], { ...write, before: {}, after: listOf('a') }))
  assertInSteps(made)
  const [before, after] = [listOf('a'), listOf('b')]
  const changed = measured(trackSteps(made.result, { ...write, before, after }))
  assertInSteps(changed)
  assert.is(Object.keys(changed.result[0]?.fields['f:env'] ?? {}).length, count + 1)
})

tests('an apply of a long list is merged, pruned and compared in steps', () => {
  const request = { writer, views: () => view, now: '', empty: {}, force: false }
  const [live, config] = [{}, listOf('a')]
  const first = measured(applySteps({ ...request, live, managers: [], config }, true))
  assertInSteps(first)
  assert.ok('object' in first.result)
  if (!('object' in first.result)) return
  const { object, managers } = first.result
  const fewer = { env: (listOf('b').env as readonly JsonObject[]).slice(1) }
  const next = { ...request, live: object, managers, config: fewer, forcedFields: noFields }
  const second = measured(applySteps(next, true))
  assertInSteps(second)
  assert.ok('object' in second.result)
  if ('object' in second.result) assert.equal(second.result.object, fewer)
})

tests.run()
