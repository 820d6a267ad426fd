import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Deployment } from '../../../../generated/apis/apps/v1/deployment.ts'
import type { ReplicaSet } from '../../../../generated/apis/apps/v1/replica-set.ts'
import { decideDeployment } from '../../../../runtime/controller-manager/workloads/deployment/decide-deployment.ts'
import { writtenSet } from '../../../../runtime/controller-manager/workloads/deployment/planned-sets.ts'
import {
  annotationsOfDeployment,
  publishedRevision,
  revisionKeys,
  rollbackKey,
  withRevision,
} from '../../../../runtime/controller-manager/workloads/deployment/revisions.ts'
import { decideRollback } from '../../../../runtime/controller-manager/workloads/deployment/rollback.ts'
import {
  isSameTemplate,
  templateHash,
} from '../../../../runtime/controller-manager/workloads/deployment/template-hash.ts'
import type { Stored } from '../../../../runtime/kernel/meta/object.ts'
import { seededRandom } from '../../../../runtime/testing/seeded-random.ts'

const test = suite('runtime/controller-manager: deployments (T-01)')

const at = '2030-01-01T00:00:00Z'
const start = Date.parse(at)
const keys = revisionKeys({ domain: 'orch.io' })

interface Wanted {
  readonly replicas: number
  readonly surge?: number | string
  readonly unavailable?: number | string
  readonly type?: 'RollingUpdate' | 'Recreate'
  readonly image?: string
  readonly paused?: boolean
  readonly limit?: number
}

function templateOf(image: string) {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } }
}

function deployment({
  replicas,
  surge = '25%',
  unavailable = '25%',
  type = 'RollingUpdate',
  image = 'a',
  paused = false,
  limit = 10,
}: Wanted) {
  const rollingUpdate = { maxSurge: surge, maxUnavailable: unavailable }
  return {
    ...{ kind: 'Deployment', apiVersion: 'apps/v1' },
    metadata: { name: 'web', namespace: 'x', uid: 'd', generation: 1 },
    spec: {
      ...{ replicas, paused, progressDeadlineSeconds: 600, revisionHistoryLimit: limit },
      strategy: { type, ...(type === 'RollingUpdate' && { rollingUpdate }) },
      ...{ selector: { matchLabels: { app: 'web' } }, template: templateOf(image) },
    },
  } as unknown as Stored<Deployment>
}

interface SetFacts {
  readonly replicas: number
  readonly available?: number
  readonly actual?: number
  readonly revision?: number
  readonly sizes?: readonly [desired: number, max: number]
}

function set(image: string, facts: SetFacts, age = 0) {
  const { replicas, actual = replicas, available = actual, revision = 1, sizes } = facts
  const annotations = {
    [keys.revision]: `${revision}`,
    ...(sizes && { [keys.desired]: `${sizes[0]}`, [keys.max]: `${sizes[1]}` }),
  }
  const creationTimestamp = new Date(start + age * 1000).toISOString()
  return {
    metadata: {
      ...{ name: image, namespace: 'x', uid: image, generation: 1, resourceVersion: '1' },
      ...{ annotations, creationTimestamp },
    },
    spec: { replicas, template: templateOf(image) },
    status: {
      ...{ replicas: actual, readyReplicas: available, availableReplicas: available },
      observedGeneration: 1,
    },
  } as unknown as Stored<ReplicaSet>
}

/** A set whose size was changed just now. */
function unseen(one: Stored<ReplicaSet>): Stored<ReplicaSet> {
  return { ...one, metadata: { ...one.metadata, generation: 2 } }
}

function sizes(wanted: Wanted, ...sets: readonly Stored<ReplicaSet>[]) {
  const observed = { deployment: deployment(wanted), sets, hasPods: () => false, keys }
  const { writes, deletions } = decideDeployment(observed, start)
  return {
    ...Object.fromEntries(
      writes.map((one) => [one.stored === undefined ? 'new' : one.name, one.replicas]),
    ),
    ...Object.fromEntries(deletions.map(({ metadata }) => [metadata.name, 'gone'])),
  }
}

const all = (replicas: number, max = replicas) => ({ sizes: [replicas, max] as const })

const steps: readonly (readonly [
  name: string,
  wanted: Wanted,
  sets: readonly Stored<ReplicaSet>[],
  want: object,
])[] = [
  ['the first set gets all pods', { replicas: 3 }, [], { new: 3 }],
  [
    'a new set gets what may be beside the old one, which loses what may be missing',
    { replicas: 10, image: 'b' },
    [set('a', { replicas: 10, ...all(10, 13) })],
    { new: 3, a: 8 },
  ],
  [
    'no new pod comes while an old set has one more than it is to have',
    { replicas: 4, surge: 1, unavailable: 0, image: 'b' },
    [
      set('a', { replicas: 3, actual: 4, available: 4, ...all(4, 5) }),
      set('b', { replicas: 1, available: 1, revision: 2, ...all(4, 5) }, 1),
    ],
    {},
  ],
  [
    'nor while a set has not seen its size yet',
    { replicas: 4, surge: 1, unavailable: 0, image: 'b' },
    [
      unseen(set('a', { replicas: 3, available: 3, ...all(4, 5) })),
      set('b', { replicas: 1, available: 1, revision: 2, ...all(4, 5) }, 1),
    ],
    {},
  ],
  [
    'it comes once the other one is gone',
    { replicas: 4, surge: 1, unavailable: 0, image: 'b' },
    [
      set('a', { replicas: 3, available: 3, ...all(4, 5) }),
      set('b', { replicas: 1, available: 1, revision: 2, ...all(4, 5) }, 1),
    ],
    { b: 2 },
  ],
  [
    'old pods go when new ones are available',
    { replicas: 10, image: 'b' },
    [
      set('a', { replicas: 8, ...all(10, 13) }),
      set('b', { replicas: 5, available: 5, revision: 2, ...all(10, 13) }, 1),
    ],
    { a: 3 },
  ],
  [
    'old pods that are not available go first',
    { replicas: 4, surge: 0, unavailable: 1, image: 'c' },
    [
      set('a', { replicas: 2, available: 2, ...all(4) }),
      set('b', { replicas: 2, available: 1, revision: 2, ...all(4) }, 1),
      set('c', { replicas: 0, revision: 3, ...all(4) }, 2),
    ],
    { b: 1 },
  ],
  [
    'without a surge old pods make room first',
    { replicas: 4, surge: 0, unavailable: 1, image: 'b' },
    [set('a', { replicas: 4, ...all(4) })],
    { new: 0, a: 3 },
  ],
  [
    'limits that round to none leave one pod missing',
    { replicas: 2, surge: 0, unavailable: '1%', image: 'b' },
    [set('a', { replicas: 2, ...all(2) })],
    { new: 0, a: 1 },
  ],
  [
    'a paused one is scaled, and not rolled out',
    { replicas: 6, paused: true, image: 'b' },
    [set('a', { replicas: 4, ...all(4, 5) })],
    { a: 6 },
  ],
  [
    'sets grow in proportion',
    { replicas: 20, surge: 5, unavailable: 2, image: 'b' },
    [
      set('a', { replicas: 8, ...all(10, 15) }),
      set('b', { replicas: 5, available: 0, revision: 2, ...all(10, 15) }, 1),
    ],
    { a: 17, b: 8 },
  ],
  [
    'and shrink in proportion',
    { replicas: 5, surge: 3, unavailable: 2, image: 'b' },
    [
      set('a', { replicas: 8, ...all(10, 13) }),
      set('b', { replicas: 5, available: 0, revision: 2, ...all(10, 13) }, 1),
    ],
    { a: 5, b: 3 },
  ],
  [
    'pods that are to be made anew end first',
    { replicas: 2, type: 'Recreate', image: 'b' },
    [set('a', { replicas: 2, ...all(2) })],
    { a: 0 },
  ],
  [
    'while old pods are there no new ones are made',
    { replicas: 2, type: 'Recreate', image: 'b' },
    [set('a', { replicas: 0, actual: 1, ...all(2) })],
    {},
  ],
  [
    'when none is left the new ones are made',
    { replicas: 2, type: 'Recreate', image: 'b' },
    [set('a', { replicas: 0, ...all(2) })],
    { new: 2 },
  ],
]

for (const [name, wanted, sets, want] of steps) {
  test(name, () => assert.equal(sizes(wanted, ...sets), want))
}

/** The conditions that a plan tells, each as status, reason and the time of its update, in seconds after the start. */
function told(
  wanted: Wanted,
  sets: readonly Stored<ReplicaSet>[],
  { status, seconds = 0 }: { readonly status?: object | undefined; readonly seconds?: number } = {},
) {
  const observed = {
    deployment: { ...deployment(wanted), status } as Stored<Deployment>,
    ...{ sets, hasPods: () => false, keys },
  }
  const plan = decideDeployment(observed, start + seconds * 1000)
  const conditions = (plan.status.conditions ?? []).map((one) => [
    one.type,
    `${one.status} ${one.reason} ${(Date.parse(one.lastUpdateTime ?? '') - start) / 1000}`,
  ])
  return Object.fromEntries(conditions) as Readonly<Record<string, string>>
}

const condition = (type: string, reason: string, status = 'True') => ({
  ...{ type, status, reason, message: '', lastUpdateTime: at, lastTransitionTime: at },
})
const saying = (reason: string, more: object = {}) => ({
  ...{ conditions: [condition('Progressing', reason)], observedGeneration: 1, ...more },
})
const two = { replicas: 2 }
const reasons: readonly (readonly [
  name: string,
  wanted: Wanted,
  sets: readonly Stored<ReplicaSet>[],
  status: object | undefined,
  want: string | undefined,
])[] = [
  ['a new set', two, [], undefined, 'True NewReplicaSetCreated 9'],
  [
    'a set of that template that is there already',
    two,
    [set('a', { ...two, available: 0, ...all(2, 3) })],
    { replicas: 2, updatedReplicas: 2 },
    'True FoundNewReplicaSet 9',
  ],
  [
    'more pods than before, whose time moves',
    two,
    [set('a', { ...two, available: 1, ...all(2, 3) })],
    saying('ReplicaSetUpdated', { replicas: 2, updatedReplicas: 2 }),
    'True ReplicaSetUpdated 9',
  ],
  [
    'no more pods than before, whose time does not',
    two,
    [set('a', { ...two, available: 1, ...all(2, 3) })],
    saying('ReplicaSetUpdated', {
      ...{ replicas: 2, updatedReplicas: 2, readyReplicas: 1, availableReplicas: 1 },
    }),
    'True ReplicaSetUpdated 0',
  ],
  [
    'the end of a rollout',
    two,
    [set('a', { ...two, ...all(2, 3) })],
    saying('ReplicaSetUpdated'),
    'True NewReplicaSetAvailable 9',
  ],
  [
    'a pause',
    { ...two, paused: true },
    [set('a', { ...two, ...all(2, 3) })],
    saying('NewReplicaSetAvailable'),
    'Unknown DeploymentPaused 9',
  ],
  [
    'the end of a pause',
    two,
    [set('a', { ...two, available: 1, ...all(2, 3) })],
    saying('DeploymentPaused', {
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 1,
      availableReplicas: 1,
    }),
    'Unknown DeploymentResumed 9',
  ],
]
for (const [name, wanted, sets, status, want] of reasons) {
  test(`a condition tells of ${name} (T-23)`, () =>
    assert.is(told(wanted, sets, { status, seconds: 9 }).Progressing, want))
}

test('a condition tells whether enough pods are available, and when that changed (T-23)', () => {
  const few = [set('a', { replicas: 4, available: 2, ...all(4, 5) })]
  const enough = [set('a', { replicas: 4, available: 3, ...all(4, 5) })]
  const before = { conditions: [condition('Available', 'MinimumReplicasUnavailable', 'False')] }
  const observed = (sets: readonly Stored<ReplicaSet>[]) =>
    told({ replicas: 4 }, sets, { status: before, seconds: 9 }).Available
  assert.is(observed(few), 'False MinimumReplicasUnavailable 0')
  assert.is(observed(enough), 'True MinimumReplicasAvailable 9')
})

test('the failure of a set is that of its deployment, until the set has none', () => {
  const failure = condition('ReplicaFailure', 'FailedCreate')
  const failing = set('a', { replicas: 2, available: 0, ...all(2, 3) })
  const sets = [{ ...failing, status: { ...failing.status, conditions: [failure] } }]
  const before = told(two, sets as never)
  assert.is(before.ReplicaFailure, 'True FailedCreate 0')
  const after = told(two, [failing], { status: { conditions: [failure] } })
  assert.is(after.ReplicaFailure, undefined)
})

test('the oldest sets beyond the limit go when a rollout is complete', () => {
  const sets = ['a', 'b', 'c'].map((image, index) =>
    set(image, { replicas: image === 'c' ? 1 : 0, revision: index + 1, ...all(1) }, index),
  )
  const done = deployment({ replicas: 1, image: 'c', limit: 1 })
  const status = { replicas: 1, updatedReplicas: 1, availableReplicas: 1, observedGeneration: 1 }
  const observed = { deployment: { ...done, status }, sets, hasPods: () => false, keys }
  const plan = decideDeployment(observed, start)
  assert.equal(
    plan.deletions.map(({ metadata }) => metadata.name),
    ['a'],
  )
})

test('a set that is rolled back to gets the next revision and keeps its past', () => {
  const { revision, history } = keys
  const before = { [revision]: '1', [history]: '0' }
  assert.equal(withRevision(before, { [revision]: '2', cause: 'x' }, 3, keys), {
    ...{ [revision]: '3', [history]: '0,1', cause: 'x' },
  })
  assert.is(withRevision({ [revision]: 'x' }, { cause: 'x' }, 3, keys).cause, undefined)
  const long = { [revision]: '999', [history]: Array(500).fill('100').join(',') }
  const next = withRevision(long, {}, 1000, keys)[history] ?? ''
  assert.ok(next.length <= 2000 && next.endsWith(',100,999'))
})

test('a revision stands where public clients look for it, too, and what they took over from a set goes', () => {
  const both = revisionKeys({ domain: 'orch.io', publicDomain: 'example.org' })
  const own = 'deployment.orch.io/revision'
  const published = 'deployment.example.org/revision'
  assert.equal(withRevision({}, {}, 1, both), { [own]: '1', [published]: '1' })
  assert.equal(withRevision({ [own]: '2' }, {}, 1, both), { [own]: '2', [published]: '2' })
  assert.equal(withRevision({}, { [published]: '7', a: 'b' }, 1, both)[published], '1')
  const takenOver = { [own]: '1', [published]: '3', [both.desired]: '2', [both.max]: '3', a: 'b' }
  assert.equal(annotationsOfDeployment(takenOver, { [own]: '4' }, both), {
    ...{ [own]: '4', [published]: '4', a: 'b' },
  })
  const old = { [own]: '2', [both.history]: '1' }
  assert.equal(publishedRevision(old, both), { ...old, [published]: '2' })
  assert.equal(publishedRevision({ a: 'b' }, both), { a: 'b' })
  const same = revisionKeys({ domain: 'orch.io', publicDomain: 'orch.io' })
  assert.equal(withRevision({}, {}, 1, same), { [own]: '1' })
})

test('a hash tells templates and collisions apart, and does not count as a difference', () => {
  const [a, b] = [templateOf('a'), templateOf('b')]
  assert.match(templateHash(a, undefined), /^[b-df-hj-np-tv-xz2456789]{1,10}$/)
  const hashes = [templateHash(a, undefined), templateHash(b, undefined), templateHash(a, 1)]
  assert.is(new Set(hashes).size, 3)
  const { metadata, ...rest } = a
  assert.is(templateHash({ spec: rest.spec, metadata }, undefined), hashes[0])
  const labels = { ...metadata.labels, 'pod-template-hash': 'x' }
  assert.is(isSameTemplate(a, { ...a, metadata: { labels } }), true)
  assert.is(isSameTemplate(a, b), false)
})

/** What a deployment and its sets have come to, without a server: sets get their pods, and pods become available, when it is their turn. */
class World {
  deployment: Stored<Deployment>
  readonly sets = new Map<string, Stored<ReplicaSet>>()
  readonly random: () => number
  now = start
  made = 0

  constructor(wanted: Wanted, random: () => number) {
    this.deployment = deployment(wanted)
    this.random = random
  }

  /** Carries out the next plan, or the first writes of it: then the controller was stopped. Gives whether there was anything to do. */
  decide(isStopped: boolean): boolean {
    const observed = {
      deployment: this.deployment,
      sets: [...this.sets.values()],
      hasPods: ({ status }: Stored<ReplicaSet>) => (status?.replicas ?? 0) > 0,
      keys,
    }
    const plan = decideDeployment(observed, this.now)
    const count = isStopped ? Math.floor(this.random() * plan.writes.length) : plan.writes.length
    for (const each of plan.writes.slice(0, count)) {
      const stored = each.stored ?? this.#created(each.object as Stored<ReplicaSet>)
      this.sets.set(each.name, writtenSet(stored, each))
    }
    if (isStopped) return true
    for (const { metadata } of plan.deletions) this.sets.delete(metadata.name)
    const metadata = { ...this.deployment.metadata, annotations: plan.annotations }
    this.deployment = { ...this.deployment, metadata, status: plan.status }
    return plan.isChanged || plan.writes.length > 0 || plan.deletions.length > 0
  }

  #created(object: Stored<ReplicaSet>): Stored<ReplicaSet> {
    this.made += 1
    const creationTimestamp = new Date(this.now + this.made * 1000).toISOString()
    const facts = { uid: object.metadata.name, generation: 1, creationTimestamp }
    const status = { replicas: 0, availableReplicas: 0, observedGeneration: 1 }
    return { ...object, metadata: { ...object.metadata, ...facts }, status } as Stored<ReplicaSet>
  }

  /** A set makes or deletes pods, the unavailable ones first, or one of its pods becomes available. */
  work(): boolean {
    let worked = false
    for (const [name, each] of this.sets) {
      if (this.random() < 0.5) continue
      const { replicas = 0 } = each.spec ?? {}
      const { replicas: has = 0, availableReplicas: available = 0 } = each.status ?? {}
      const next =
        has !== replicas
          ? { replicas, availableReplicas: Math.min(available, replicas) }
          : { replicas, availableReplicas: Math.min(replicas, available + 1) }
      worked ||= next.replicas !== has || next.availableReplicas !== available
      this.sets.set(name, { ...each, status: { ...each.status, ...next } })
    }
    return worked
  }

  sum(count: (set: Stored<ReplicaSet>) => number | undefined): number {
    return [...this.sets.values()].reduce((total, each) => total + (count(each) ?? 0), 0)
  }
}

function settle(world: World, check: () => void): void {
  for (let quiet = 0, rounds = 0; quiet < 12; rounds++) {
    assert.ok(rounds < 3000, 'the rollout comes to an end')
    world.now += 1000
    const isStopped = world.random() < 0.2
    const [worked, decided] = [world.work(), world.decide(isStopped)]
    quiet = worked || decided ? 0 : quiet + 1
    check()
  }
}

test('whatever happens between, no rollout has too many pods or too few, and all end alike', () => {
  for (let seed = 1; seed <= 150; seed++) {
    const random = seededRandom(seed)
    const pick = (most: number) => Math.floor(random() * (most + 1))
    const replicas = 1 + pick(12)
    const [surge, unavailable] = [pick(4), pick(Math.min(4, replicas))]
    const wanted = { replicas, surge, unavailable }
    const world = new World(wanted, random)
    settle(world, () => {})
    assert.is(
      world.sum(({ status }) => status?.availableReplicas),
      replicas,
    )
    const missing = surge === 0 && unavailable === 0 ? 1 : unavailable
    for (const image of ['b', 'c', 'a']) {
      world.deployment = { ...world.deployment, spec: deployment({ ...wanted, image }).spec! }
      const steps = pick(9)
      let count = 0
      const hold = () => {
        const pods = world.sum(({ spec }) => spec?.replicas)
        assert.ok(pods <= replicas + surge, `seed ${seed}: ${pods} pods of ${replicas}+${surge}`)
        const available = world.sum(({ spec, status }) =>
          Math.min(spec?.replicas ?? 0, status?.availableReplicas ?? 0),
        )
        const least = replicas - missing
        assert.ok(available >= least, `seed ${seed}: ${available} of ${least} available`)
        count += 1
      }
      while (count < steps) {
        world.now += 1000
        world.work()
        world.decide(world.random() < 0.3)
        hold()
      }
      if (image === 'a') settle(world, hold)
    }
    const { status } = world.deployment
    const { updatedReplicas = 0, unavailableReplicas = 0 } = status ?? {}
    assert.equal([status?.replicas, updatedReplicas, unavailableReplicas], [replicas, replicas, 0])
    const reasons = status?.conditions?.map(({ reason }) => reason)
    assert.equal(reasons?.sort(), ['MinimumReplicasAvailable', 'NewReplicaSetAvailable'])
  }
})

const oldSets = [
  set('a', { replicas: 0, revision: 1 }),
  set('b', { replicas: 0, revision: 4 }),
  set('c', { replicas: 3, revision: 5 }),
]
const notFound = 'DeploymentRollbackRevisionNotFound'
const rollbacks: readonly (readonly [
  asked: string,
  image: string,
  sets: readonly Stored<ReplicaSet>[],
  became: string | undefined,
  told: string,
])[] = [
  ['0', 'c', oldSets, 'b', 'DeploymentRollback: Rolled back deployment "web" to revision 4'],
  ['1', 'c', oldSets, 'a', 'DeploymentRollback: Rolled back deployment "web" to revision 1'],
  [
    ...(['5', 'c', oldSets, undefined] as const),
    'DeploymentRollbackTemplateUnchanged: The rollback revision contains the same template as current deployment "web"',
  ],
  ['2', 'c', oldSets, undefined, `${notFound}: Unable to find the revision to rollback to.`],
  ['0', 'c', oldSets.slice(2), undefined, `${notFound}: Unable to find last revision.`],
  ['0', 'new', oldSets, 'c', 'DeploymentRollback: Rolled back deployment "web" to revision 5'],
  ['0', 'a', oldSets, 'c', 'DeploymentRollback: Rolled back deployment "web" to revision 5'],
]

for (const [asked, image, sets, became, told] of rollbacks) {
  test(`asked to go back to revision ${asked} from ${image}: ${told}`, () => {
    const own = { [rollbackKey]: asked, [keys.revision]: '5' }
    const { metadata, ...rest } = deployment({ replicas: 3, image })
    const one = { ...rest, metadata: { ...metadata, annotations: { ...own, cause: 'edit' } } }
    const annotated = sets.map((each) => ({
      ...each,
      metadata: {
        ...each.metadata,
        annotations: { ...each.metadata.annotations, cause: each.metadata.name },
      },
    }))
    const back = decideRollback({ deployment: one, sets: annotated, keys })
    assert.is(`${back?.event.reason}: ${back?.event.message}`, told)
    assert.is(back?.deployment.spec?.template.spec?.containers[0]?.image, became ?? image)
    const annotations = { [keys.revision]: '5', cause: became ?? 'edit' }
    assert.equal(back?.deployment.metadata.annotations, annotations)
  })
}

test('a deployment goes back when it is asked for a number, is not paused and stays', () => {
  const asked = (annotation: string, more: object = {}, paused = false) => {
    const { metadata, ...rest } = deployment({ replicas: 3, image: 'c', paused })
    const annotations = { [rollbackKey]: annotation }
    const one = { ...rest, metadata: { ...metadata, annotations, ...more } }
    return decideRollback({ deployment: one, sets: oldSets, keys }) !== undefined
  }
  assert.equal(
    [asked('1'), asked('1', {}, true), asked('1', { deletionTimestamp: at })],
    [true, false, false],
  )
  for (const text of ['', 'x', '1.5', ' 1', '99999999999999999999']) assert.not(asked(text), text)
})

test('a rollout that does not progress is looked at when its deadline has certainly passed', () => {
  const progressAt = '2030-01-01T00:00:10Z'
  const told = { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' }
  const stuck = {
    ...deployment({ replicas: 3 }),
    metadata: { ...deployment({ replicas: 3 }).metadata, annotations: { [keys.revision]: '1' } },
    status: { replicas: 3, updatedReplicas: 3, unavailableReplicas: 3, observedGeneration: 1 },
  } as unknown as Stored<Deployment>
  const sets = [set('a', { replicas: 3, available: 0, ...all(3, 4) })]
  const decided = (status: object, now: number) =>
    decideDeployment({ deployment: { ...stuck, status }, sets, hasPods: () => true, keys }, now)
  const { status } = decided({ ...stuck.status, conditions: [] }, Date.parse(progressAt))
  const conditions = status.conditions?.map((one) =>
    one.type === 'Progressing' ? { ...one, ...told, lastUpdateTime: progressAt } : one,
  )
  for (const passed of [0, 10, 250, 999, 1000, 5250, 599_999]) {
    const now = Date.parse(progressAt) + passed
    const { checkMs = Number.NaN } = decided({ ...status, conditions }, now)
    assert.is(passed + checkMs, Math.min(passed, 999) + 600_001, `${passed}`)
    const late = decided({ ...status, conditions }, now + checkMs)
    const reasons = late.status.conditions?.map(({ reason }) => reason)
    assert.ok(reasons?.includes('ProgressDeadlineExceeded'), `${passed}: ${reasons}`)
  }
})

test.run()
