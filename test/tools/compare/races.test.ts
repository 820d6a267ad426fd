import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Outcome } from '../../../tools/compare/controllers/outcome.ts'
import { judged } from '../../../tools/compare/controllers/races.ts'

const test = suite('tools/compare: what timing explains')

function outcome(facts: {
  readonly events?: readonly string[]
  readonly writes?: Record<string, number>
}): Outcome {
  return {
    objects: [],
    events: facts.events ?? [],
    writes: new Map(Object.entries(facts.writes ?? {})),
  }
}

const isExplained = (
  scenario: string,
  line: string,
  ours: Outcome = outcome({}),
  reference: Outcome = outcome({}),
) => judged(scenario, [line], ours, reference)[0]?.why !== undefined

test('a difference is explained in its scenario only, and only on the side where it was seen', () => {
  const line =
    ' PodDisruptionBudget web : Normal NoPods (controllermanager): No matching pods found'
  assert.ok(isExplained('s-budget', `-${line}`))
  assert.ok(isExplained('s-budget', `+${line}`))
  assert.not.ok(isExplained('s-taint', `-${line}`))
  assert.not.ok(isExplained('s-budget', `-${line.replace(' web ', ' none ')}`))
  const missing = ' CronJob tick : Normal MissingJob (cronjob-controller): Active job went missing'
  const done = outcome({ events: ['CronJob tick : Normal SuccessfulDelete: Deleted job tick-*'] })
  assert.ok(isExplained('s-cron-done', `-${missing}`, done, done))
  assert.not.ok(isExplained('s-cron-done', `+${missing}`, done, done))
})

test('a deletion that is taken back is explained for a pod that was deleted', () => {
  const of = (what: string) =>
    `Pod none : Normal TaintManagerEviction (taint-eviction-controller): ${what} Pod s-taint/none`
  const line = `- ${of('Cancelling deletion of')}`
  const deleted = outcome({ events: [of('Marking for deletion')] })
  assert.ok(isExplained('s-taint', line, deleted, deleted))
  assert.not.ok(isExplained('s-taint', line))
})

test('refusals that only the reference tells together are explained where ours tells them one by one', () => {
  const of = (text: string) =>
    `ReplicaSet web-# : Warning FailedCreate (replicaset-controller): ${text}Error creating: pods "web-#-*" is forbidden`
  const line = `- ${of('(combined from similar events): ')}`
  assert.ok(isExplained('s-deploy-quota', line, outcome({ events: [of('')] })))
  assert.not.ok(isExplained('s-deploy-quota', line))
})

test('more writes of a kind are explained where ours writes no more in all, refused ones where no more is refused', () => {
  const conflict = 'patch replicasets 409 by replicaset-controller'
  const other = 'update deployments/status 409 by deployment-controller'
  const ours = outcome({ writes: { [conflict]: 1, 'update jobs/status': 4, 'create pods': 2 } })
  const more = outcome({ writes: { [other]: 3, 'update jobs/status': 3, 'create pods': 2 } })
  const fewer = outcome({ writes: { 'update jobs/status': 3, 'create pods': 2 } })
  const refused = `+ writes: ${conflict}: 1, of the reference 0`
  const often = '+ writes: update jobs/status: 4, of the reference 3'
  for (const line of [refused, often]) {
    assert.ok(isExplained('s-job-again', line, ours, more))
    assert.not.ok(isExplained('s-job-again', line, ours, fewer))
  }
  for (const line of [
    '+ writes: delete jobs: 1, of the reference 0',
    '+ writes: create pods: 3, of the reference 2',
    '+ writes: create pods 409 by job-controller: 1, of the reference 0',
  ]) {
    assert.not.ok(isExplained('s-job-again', line, ours, more))
  }
})

test('what explains the histories of a world explains them only', () => {
  const revision = '- ControllerRevision db-#:.revision=1'
  const going = { ...outcome({}), objects: ['StatefulSet db:metadata.deletionTimestamp="<time>"'] }
  assert.ok(isExplained('s-stateful-r3-0', revision, going))
  assert.not.ok(isExplained('s-stateful-r3-0', revision))
  assert.not.ok(isExplained('s-stateful-r3-0', revision.replace('-', '+'), going))
  assert.not.ok(isExplained('s-stateful', revision, going))
  const writes = (ours: number) => `+ writes: update jobs/status: ${ours}, of the reference 10`
  assert.ok(isExplained('s-jobs-r2-8', writes(12), outcome({ writes: { x: 1 } })))
  assert.not.ok(isExplained('s-jobs-r2-8', writes(13), outcome({ writes: { x: 1 } })))
})

test.run()
