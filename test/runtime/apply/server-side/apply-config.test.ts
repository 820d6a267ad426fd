/** Server-side apply as scripts over one object: who states what, and what is left. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  describeConflicts,
  printFields,
  recordsOf,
  setOfFields,
  type VersionViews,
  without,
} from '../../../../runtime/apply/apply.ts'
import type { MergeStrategy } from '../../../../runtime/kernel/descriptors/kind.ts'
import type { JsonObject } from '../../../../runtime/kernel/values/json.ts'
import { apply, empty, managed, type Scene, tryApply, viewOf, write } from '../shapes.ts'

const scripts = suite('runtime/apply: server-side')

function conflicts(scene: Scene, manager: string, config: JsonObject) {
  const applied = tryApply(scene, manager, config)
  return 'conflicts' in applied ? describeConflicts(applied.conflicts) : undefined
}

function problems(config: JsonObject): readonly string[] {
  const applied = tryApply(empty, 'ann', config)
  return 'problems' in applied ? applied.problems : []
}

const item = (name: string, more: JsonObject = {}): JsonObject => ({ name, ...more })

scripts('an applier manages what it states, and only that (A4.59, A2.34)', () => {
  const scene = apply(empty, 'ann', { count: 1, items: [item('a', { image: 'i' })] })
  assert.equal(managed(scene), {
    ann: ['.count', '.items[name="a"]', '.items[name="a"].image', '.items[name="a"].name'],
  })
})

scripts('an item or a field that the applier states no longer is removed (A-14, A4.59)', () => {
  const before = apply(empty, 'ann', {
    count: 1,
    items: [item('a'), item('b')],
    labels: { x: 'y' },
  })
  const after = apply(before, 'ann', { items: [item('b')] })
  assert.equal(after.object, { items: [item('b')] })
})

scripts('what another applier states too stays when the first lets go (A4.59, A4.64)', () => {
  const ann = apply(empty, 'ann', { count: 1, items: [item('a', { image: 'i' })] })
  const both = apply(ann, 'bob', { count: 1, items: [item('a')] })
  const left = apply(both, 'ann', {})
  assert.equal(left.object, { count: 1, items: [item('a')] })
  assert.equal(managed(left), { bob: ['.count', '.items[name="a"]', '.items[name="a"].name'] })
})

scripts('two appliers disagree until one forces (A4.61, A7.3)', () => {
  const ann = apply(empty, 'ann', { items: [item('a', { image: 'old' })] })
  const wanted = { items: [item('a', { image: 'new' })] }
  const refused = conflicts(ann, 'bob', wanted)
  assert.is(
    refused?.message,
    'Apply failed with 1 conflict: conflict with "ann": .items[name="a"].image',
  )
  assert.equal(refused?.causes, [
    { field: '.items[name="a"].image', message: 'conflict with "ann"' },
  ])
  const forced = apply(ann, 'bob', wanted, { force: true })
  assert.equal(forced.object, wanted)
  assert.equal(managed(forced).ann, ['.items[name="a"]', '.items[name="a"].name'])
})

scripts('a field that the applier leaves out is no conflict: the claim is given up (A4.61)', () => {
  const ann = apply(empty, 'ann', { count: 1, labels: { a: 'x' } })
  const bob = apply(ann, 'bob', { count: 2, labels: { a: 'x' } }, { force: true })
  const given = apply(bob, 'ann', { labels: { a: 'x' } })
  assert.equal(given.object, { count: 2, labels: { a: 'x' } })
})

scripts('equal values are shared, and then any change by one conflicts (A-13, A4.62)', () => {
  const ann = apply(empty, 'ann', { count: 1 })
  const both = apply(ann, 'bob', { count: 1 })
  assert.equal(managed(both), { ann: ['.count'], bob: ['.count'] })
  assert.match(conflicts(both, 'ann', { count: 2 })?.message ?? '', 'conflict with "bob"')
})

scripts('a field goes over from one manager to another by sharing it (A4.64)', () => {
  const ann = apply(empty, 'ann', { count: 1, labels: { a: 'x' } })
  const shared = apply(ann, 'scaler', { count: 1 })
  const handed = apply(shared, 'ann', { labels: { a: 'x' } })
  const scaled = apply(handed, 'scaler', { count: 5 })
  assert.equal(scaled.object, { count: 5, labels: { a: 'x' } })
  assert.equal(managed(scaled), { scaler: ['.count'], ann: ['.labels.a'] })
})

scripts('a manager that manages nothing any more is forgotten (A4.64)', () => {
  const ann = apply(empty, 'ann', { count: 1 })
  assert.equal(managed(apply(ann, 'bob', { count: 2 }, { force: true })), { bob: ['.count'] })
})

scripts('every manager in conflict is named, with its version and subresource (A-12)', () => {
  let scene = apply(empty, 'ann', { count: 1, labels: { a: '1' } })
  scene = write(scene, 'kubectl-edit', { ...scene.object, selector: { x: 'y' } })
  scene = write(scene, 'agent', { ...scene.object, args: ['z'] }, { subresource: 'status' })
  const refused = conflicts(scene, 'bob', {
    count: 2,
    labels: { a: '2' },
    selector: { x: 'n' },
    args: ['n'],
  })
  assert.is(
    refused?.message,
    [
      'Apply failed with 4 conflicts: conflicts with "agent" with subresource "status" using v1:',
      '- .args',
      'conflicts with "ann":',
      '- .count',
      '- .labels.a',
      'conflicts with "kubectl-edit" using v1:',
      '- .selector',
    ].join('\n'),
  )
  assert.is(refused?.causes.length, 4)
})

scripts(
  'an atomic list, map or struct has one manager for all of it (A-20, A2.37, A2.39, A2.40)',
  () => {
    const ann = apply(empty, 'ann', { selector: { a: '1', b: '2' }, args: ['x', 'y'] })
    assert.equal(managed(ann), { ann: ['.args', '.selector'] })
    assert.match(conflicts(ann, 'bob', { selector: { a: '1' } })?.message ?? '', '.selector')
    assert.match(conflicts(ann, 'bob', { args: ['x'] })?.message ?? '', '.args')
  },
)

scripts('a set has a manager for each element (A2.37)', () => {
  const ann = apply(empty, 'ann', { tags: ['x', 'y'] })
  const bob = apply(ann, 'bob', { tags: ['y', 'z'] })
  assert.equal(bob.object, { tags: ['x', 'y', 'z'] })
  assert.equal(managed(bob), {
    ann: ['.tags[="x"]', '.tags[="y"]'],
    bob: ['.tags[="y"]', '.tags[="z"]'],
  })
  assert.equal(apply(bob, 'ann', {}).object, { tags: ['y', 'z'] })
})

scripts('a patch merge key makes a list a map, a merge strategy alone a set (A2.41)', () => {
  const ann = apply(empty, 'ann', { merged: [{ id: 1, a: 'x' }], names: ['n'] })
  const bob = apply(ann, 'bob', { merged: [{ id: 2 }], names: ['m'] })
  assert.equal(bob.object, { merged: [{ id: 1, a: 'x' }, { id: 2 }], names: ['n', 'm'] })
  assert.equal(managed(bob).bob, ['.merged[id=2]', '.merged[id=2].id', '.names[="m"]'])
})

scripts('a key that has a default is matched with the default filled in (A-19, A2.38)', () => {
  const live = { items: [item('a', { ports: [{ port: 80, protocol: 'TCP', x: 1 }] })] }
  const scene = write(empty, 'bob', live)
  const config = { items: [item('a', { ports: [{ port: 80, y: 2 }] })] }
  const { object, managers } = apply(scene, 'ann', config)
  assert.equal(object, {
    items: [item('a', { ports: [{ port: 80, protocol: 'TCP', x: 1, y: 2 }] })],
  })
  const ann = managers.find(({ manager }) => manager === 'ann')
  assert.ok(printFields(ann!.fields).includes('.items[name="a"].ports[port=80,protocol="TCP"]'))
})

scripts('items that cannot be told apart are a mistake of the configuration (A-02)', () => {
  assert.equal(problems({ items: [item('a'), item('a')] }), [
    '.items: duplicate entries for key [name="a"]',
  ])
  assert.equal(problems({ tags: ['x', 'x'] }), ['.tags: duplicate entries for key [="x"]'])
  assert.match(problems({ items: [{ image: 'i' }] }).join(), 'omits key field "name"')
})

scripts('the configuration says the order of its items, live ones keep their neighbours', () => {
  const order = (live: string, config: string) => {
    const list = (names: string) => ({ items: [...names].map((name) => item(name)) })
    const { object } = apply(write(empty, 'bob', list(live)), 'ann', list(config))
    return (object.items as JsonObject[]).map(({ name }) => name).join('')
  }
  const cases: readonly [live: string, config: string, want: string][] = [
    ['abc', 'cab', 'cab'],
    ['abc', '', 'abc'],
    ['abc', 'x', 'abcx'],
    ['abc', 'bx', 'abcx'],
    ['abcd', 'da', 'bcda'],
    ['ab', 'xay', 'xaby'],
  ]
  for (const [live, config, want] of cases)
    assert.is(order(live, config), want, `${live}+${config}`)
})

scripts(
  'items that repeat in a live list are one field, and replaced by one that is stated',
  () => {
    const live = { items: [item('a', { image: '1' }), item('b'), item('a', { image: '2' })] }
    const scene = write(empty, 'bob', live)
    assert.ok(managed(scene).bob?.includes('.items[name="a"]'))
    assert.not.ok(managed(scene).bob?.includes('.items[name="a"].image'))
    assert.is(apply(scene, 'ann', { count: 1 }).object.items, live.items)
    const { object } = apply(scene, 'ann', { items: [item('a')] }, { force: true })
    assert.equal(object.items, [item('a'), item('b')])
  },
)

scripts('the first apply books what is there to before-first-apply (A-10, D-02)', () => {
  const untracked: Scene = { object: { count: 1, labels: { a: 'x' } }, managers: [] }
  const first = apply(untracked, 'ann', { labels: { b: 'y' } })
  assert.equal(managed(first), {
    'before-first-apply': ['.count', '.labels', '.labels.a'],
    ann: ['.labels.b'],
  })
  assert.match(conflicts(untracked, 'ann', { count: 2 })?.message ?? '', '"before-first-apply"')
})

scripts('a time moves only with the fields or their values (A-11, A2.32)', () => {
  const first = apply(
    empty,
    'ann',
    { count: 1, labels: { a: 'x' } },
    { now: '2024-01-01T00:00:00Z' },
  )
  const timeOf = ({ managers }: Scene) => managers.map(({ time }) => time?.slice(0, 4)).join()
  assert.is(timeOf(apply(first, 'ann', { count: 1, labels: { a: 'x' } }, { now: '2025' })), '2024')
  assert.is(timeOf(apply(first, 'ann', { count: 2, labels: { a: 'x' } }, { now: '2025' })), '2025')
  assert.is(timeOf(apply(first, 'ann', { count: 1 }, { now: '2025' })), '2025')
  assert.is(
    timeOf(write(first, 'bob', { ...first.object, args: [] }, { now: '2025' })),
    '2024,2025',
  )
})

scripts('a writer never conflicts: it takes what it changes (A4.63)', () => {
  const ann = apply(empty, 'ann', { count: 1, labels: { a: 'x' } })
  const scaled = write(ann, 'scaler', { count: 3, labels: { a: 'x' } })
  assert.equal(managed(scaled), { ann: ['.labels.a'], scaler: ['.count'] })
  const same = write(ann, 'scaler', { count: 1, labels: { a: 'x' } })
  assert.is(same.managers, ann.managers)
  const gone = write(scaled, 'bob', { count: 3 })
  assert.equal(managed(gone), { scaler: ['.count'] })
})

scripts(
  'an applier and a writer of one name are two, a writer is another one in each version (A-04)',
  () => {
    const both: VersionViews = () => viewOf({})
    const options = { views: both, now: '2024' }
    let scene = apply(empty, 'ann', { a: 1 }, { ...options, version: 'v1' })
    scene = write(scene, 'ann', { a: 1, b: 1 }, { ...options, version: 'v1' })
    scene = write(scene, 'ann', { a: 1, b: 1, c: 1 }, { ...options, version: 'v2' })
    scene = write(
      scene,
      'ann',
      { a: 1, b: 1, c: 1, d: 1 },
      { ...options, version: 'v2', subresource: 's' },
    )
    scene = apply(scene, 'ann', { a: 1, e: 1 }, { ...options, version: 'v2' })
    const names = scene.managers.map(({ operation, apiVersion, subresource = '' }) =>
      [operation, apiVersion, subresource].join(' ').trim(),
    )
    assert.equal(names.sort(), ['Apply v2', 'Update v1', 'Update v2', 'Update v2 s'])
  },
)

scripts(
  'managers are compared in their own version; those of a version that is gone are dropped (A-21)',
  () => {
    const renamed: VersionViews = (version) => {
      if (version === 'v1') return viewOf({})
      if (version !== 'v2') return undefined
      return { ...viewOf({}), convert: ({ size, ...rest }) => ({ ...rest, replicas: size }) }
    }
    let scene = write(
      { object: {}, managers: [] },
      'old',
      { size: 1 },
      { views: renamed, version: 'v2' },
    )
    assert.equal(managed(scene), { old: ['.replicas'] })
    scene = { ...scene, managers: [...scene.managers, { ...scene.managers[0]!, apiVersion: 'v0' }] }
    const applied = tryApply(scene, 'ann', { size: 2 }, { views: renamed })
    const found = 'conflicts' in applied ? describeConflicts(applied.conflicts).causes : []
    assert.equal(found, [{ field: '.replicas', message: 'conflict with "old" using v2' }])
    assert.equal(managed(apply(scene, 'ann', { size: 1 }, { views: renamed })), {
      old: ['.replicas'],
      ann: ['.size'],
    })
  },
)

scripts('what the path does not write is neither managed nor in conflict (A-16)', () => {
  const main: VersionViews = () => viewOf({}, (fields) => without(fields, setOfFields(['status'])))
  const scene = write(empty, 'agent', { status: { ready: 1 }, count: 1 }, { views: main })
  assert.equal(managed(scene), { agent: ['.count'] })
  const { managers } = apply(scene, 'ann', { count: 1, status: { ready: 2 } }, { views: main })
  assert.equal(managed({ object: {}, managers }).ann, ['.count'])
})

scripts('entries of a map of objects are fields of their own', () => {
  const scene = apply(empty, 'ann', { nested: { a: { x: 1 }, b: {} } })
  assert.equal(managed(scene), { ann: ['.nested.a', '.nested.b', '.nested.a.x'] })
})

scripts('an entry that its applier drops goes, whatever a writer has below it', () => {
  const ann = apply(empty, 'ann', { nested: { a: { x: 1 }, b: {} } })
  const both = write(ann, 'bob', { nested: { a: { x: 1, y: 2 }, b: {} } })
  const left = apply(both, 'ann', { nested: { b: {} } })
  assert.equal(left.object, { nested: { b: {} } })
  assert.equal(managed(left), { ann: ['.nested.b'] })
})

scripts('who states nothing but empty lists manages nothing', () => {
  assert.equal(managed(apply(empty, 'ann', { items: [] })), {})
  assert.equal(managed(apply(empty, 'ann', { labels: {} })), { ann: ['.labels'] })
})

scripts(
  'an applier that changes no value has no time, and stands before those that have one',
  () => {
    const ann = apply(empty, 'ann', { count: 1 })
    const both = apply(ann, 'bob', { count: 1 })
    assert.is(both.managers.find(({ manager }) => manager === 'bob')?.time, undefined)
    assert.equal(
      recordsOf(both.managers).map(({ manager }) => manager),
      ['bob', 'ann'],
    )
    assert.equal(apply(both, 'bob', { count: 1 }), both)
  },
)

scripts('a name out of any prototype is an ordinary field', () => {
  const config = JSON.parse('{"labels":{"__proto__":"x","constructor":"y"}}') as JsonObject
  const scene = apply(write(empty, 'bob', { labels: { a: 'z' } }), 'ann', config)
  assert.is(JSON.stringify(scene.object), '{"labels":{"a":"z","__proto__":"x","constructor":"y"}}')
  assert.equal(managed(scene).ann, ['.labels.__proto__', '.labels.constructor'])
  assert.is(JSON.stringify(apply(scene, 'ann', { count: 1 }).object.labels), '{"a":"z"}')
})

scripts('the types of a set may change under it (A2.42)', () => {
  const merge: MergeStrategy = { fields: { list: { list: 'map', keys: ['name'] } } }
  const granular: VersionViews = () => viewOf(merge)
  const atomic: VersionViews = () => viewOf({ fields: { list: { list: 'atomic' } } })
  const whole = apply(empty, 'ann', { list: [item('a')] }, { views: atomic })
  const later = tryApply(whole, 'bob', { list: [item('b')] }, { views: granular })
  assert.ok('object' in later, 'from atomic to granular nothing conflicts')
})

scripts.run()
