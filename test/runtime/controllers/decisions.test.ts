/** What the controllers of the server decide, as pure functions of what they observe. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import { decideAllocations } from '../../../runtime/controllers/allocations.ts'
import { decideCleanup } from '../../../runtime/controllers/definitions/definition-cleanup.ts'
import { lastWrite } from '../../../runtime/controllers/expiration.ts'
import { decideFlowControl } from '../../../runtime/controllers/flow-control.ts'
import { decideServers } from '../../../runtime/controllers/identity/server-presence.ts'
import { wantedObjects } from '../../../runtime/controllers/identity/server-service.ts'
import { decideNamespace } from '../../../runtime/controllers/namespaces.ts'
import { decidePolicyStatus } from '../../../runtime/controllers/policy-status.ts'
import {
  decideApiServices,
  wantedApiServices,
} from '../../../runtime/controllers/remote/api-services.ts'
import type { FlowControlFacts } from '../../../runtime/kernel/descriptors/flow-control-facts.ts'

const test = suite('runtime/controllers: decisions')
const second = 1000

/** An object as a server gives it; only what a decision looks at. */
// biome-ignore lint/suspicious/noExplicitAny: each decision has a type of its own for what it looks at
function object(metadata: object, more: object = {}): any {
  return { apiVersion: 'v1', kind: 'Any', metadata: { name: 'x', uid: 'u', ...metadata }, ...more }
}

const empty = {
  objects: new Map<string, number>(),
  finalizers: new Map(),
  failures: [],
  unknown: [],
}
const deletionTimestamp = '1970-01-01T00:00:10Z'

test('an empty namespace loses the finalizer of the platform and no other (X-16)', () => {
  const spec = { finalizers: ['orch', 'example.com/own'] }
  const namespace = object({ deletionTimestamp }, { spec })
  const { finalizers } = decideNamespace(
    { namespace, remaining: empty },
    10 * second,
    scheme.platform,
  )
  assert.equal(finalizers, ['example.com/own'])
})

test('a namespace that holds something is looked at again, the later the longer it goes (X-17)', () => {
  const namespace = object({ deletionTimestamp }, { spec: { finalizers: ['orch'] } })
  const remaining = { ...empty, objects: new Map([['pods', 2]]) }
  const plans = [10, 11, 14, 1000].map((at) =>
    decideNamespace({ namespace, remaining }, at * second, scheme.platform),
  )
  assert.equal(
    plans.map(({ retryMs }) => retryMs),
    [100, 500, 2000, 5000],
  )
  assert.ok(plans.every(({ finalizers }) => finalizers === undefined))
})

test('a definition that goes keeps its finalizer until no object is left (X-20)', () => {
  const definition = object({ deletionTimestamp, finalizers: ['own', 'cleanup'] })
  const left = decideCleanup({ definition, left: 3 }, 10 * second, 'cleanup')
  assert.is(left.finalizers, undefined)
  assert.is(left.conditions[0]?.reason, 'InstanceDeletionInProgress')
  const refused = decideCleanup({ definition, left: 1, failure: 'no' }, 10 * second, 'cleanup')
  assert.is(refused.finalizers, undefined)
  assert.equal(
    [refused.conditions[0]?.reason, refused.conditions[0]?.message],
    ['InstanceDeletionFailed', 'no'],
  )
  const gone = decideCleanup({ definition, left: 0 }, 10 * second, 'cleanup')
  assert.equal(gone.finalizers, ['own'])
  assert.equal(
    [gone.conditions[0]?.status, gone.conditions[0]?.reason],
    ['False', 'InstanceDeletionCompleted'],
  )
})

test('an object seen for the first time was written when its records say, later when it is seen (U-08)', () => {
  const managedFields = [{ time: '1970-01-01T00:00:07Z' }]
  const creationTimestamp = '1970-01-01T00:00:05Z'
  const first = lastWrite(
    object({ resourceVersion: '1', creationTimestamp, managedFields }),
    undefined,
    60 * second,
  )
  assert.is(first.at, 7 * second)
  const same = lastWrite(object({ resourceVersion: '1' }), first, 70 * second)
  assert.is(same, first)
  const changed = lastWrite(object({ resourceVersion: '2', managedFields }), first, 80 * second)
  assert.is(changed.at, 80 * second)
})

test('an allocation without a holder is released when it was suspected before (I-07)', () => {
  const allocated = [
    { key: 'held', revision: 1, uid: 'u' },
    { key: 'loose', revision: 2, uid: 'gone' },
  ]
  const value = { pool: 'p', value: 'v' }
  const held = ['held', 'missing'].map((key) => ({
    key,
    kind: {} as never,
    value,
    object: object({}),
  }))
  const first = decideAllocations({ held, allocated }, new Set())
  assert.equal([first.release, [...first.suspects]], [[], ['loose@2']])
  assert.equal(
    first.allocate.map(({ key }) => key),
    ['missing'],
  )
  const next = decideAllocations({ held, allocated }, first.suspects)
  assert.equal(
    next.release.map(({ key }) => key),
    ['loose'],
  )
  const again = [{ key: 'loose', revision: 9, uid: 'other' }]
  assert.equal(decideAllocations({ held: [], allocated: again }, first.suspects).release, [])
})

test('a value that two objects hold stays with the first and is a conflict of the second', () => {
  const allocated = [{ key: 'k', revision: 1, uid: 'first' }]
  const value = { pool: 'p', value: 'v' }
  const held = ['first', 'second'].map((uid) => ({
    key: 'k',
    kind: {} as never,
    value,
    object: object({ uid }),
  }))
  const plan = decideAllocations({ held, allocated }, new Set())
  assert.equal(
    plan.conflicts.map(({ object }) => object.metadata.uid),
    ['second'],
  )
  assert.equal([plan.allocate, plan.release, [...plan.suspects]], [[], [], []])
})

test('group versions get an object each; those of other authors are left alone (B-01)', () => {
  const wanted = wantedApiServices(scheme)
  const names = [...wanted.keys()]
  assert.equal(
    decideApiServices([], scheme).create.map(({ metadata }) => metadata.name),
    names,
  )
  const [one] = [...wanted.values()]
  const stored = [
    object({ ...one?.metadata }, { spec: { ...one?.spec, versionPriority: 77 } }),
    object({ name: 'v1.gone', labels: one?.metadata.labels }),
    object({ name: 'v1.other.example.com' }, { spec: {} }),
  ]
  const plan = decideApiServices(stored, scheme)
  assert.is(plan.create.length, names.length - 1)
  assert.equal(plan.update[0]?.spec, one?.spec)
  assert.equal(
    plan.delete.map(({ metadata }) => metadata.name),
    ['v1.gone'],
  )
})

test('a flow schema whose level is missing is to say so, one that says so already is not (K-06)', () => {
  const facts: FlowControlFacts = { annotation: 'a', priorityLevels: [], flowSchemas: [] }
  const schemaOf = (name: string, level: string, status?: string) =>
    object(
      { name },
      {
        spec: { priorityLevelConfiguration: { name: level } },
        ...(status && { status: { conditions: [{ type: 'Dangling', status }] } }),
      },
    )
  const schemas = [
    schemaOf('new', 'nowhere'),
    schemaOf('known', 'nowhere', 'True'),
    schemaOf('found', 'level', 'True'),
    schemaOf('right', 'level', 'False'),
  ]
  const { danglingChanged, config } = decideFlowControl(
    { levels: [object({ name: 'level' }, { spec: { type: 'Exempt' } })], schemas },
    facts,
  )
  assert.equal(
    danglingChanged.map(({ schema, isDangling }) => [schema.metadata.name, isDangling]),
    [
      ['new', true],
      ['found', false],
    ],
  )
  assert.equal(
    config.priorityLevels.map(({ name, mandatory }) => [name, mandatory]),
    [['level', false]],
  )
})

test('a policy without warnings is observed and nothing more (Q-11)', () => {
  const policy = object({ generation: 3 })
  assert.equal(decidePolicyStatus(policy, []), { observedGeneration: 3, typeChecking: {} })
})

test('a server that is not reached over a network has a service without endpoints (O-02)', () => {
  const [service, endpoints, slice] = wantedObjects({ scheme, clusterIP: '10.0.0.1' }, [])
  assert.ok(JSON.stringify(service?.fields).includes('"clusterIP":"10.0.0.1"'))
  assert.equal(endpoints?.fields, {})
  assert.equal(slice?.fields, { addressType: 'IPv4', endpoints: [], ports: [] })
})

test('servers are those whose entries change, by the clock of who looks (O-02)', () => {
  const entry = (port: number, revision: number) => {
    const endpoint = { address: '192.0.2.1', port }
    return { key: `/servers/192.0.2.1/${port}`, revision, endpoint }
  }
  const portsOf = (endpoints: readonly { port: number }[]) => endpoints.map(({ port }) => port)
  const first = decideServers([entry(1, 5), entry(2, 6)], new Map(), 1000)
  assert.equal([portsOf(first.present), first.gone.length], [[1, 2], 0])
  const renewed = [entry(1, 9), entry(2, 6)]
  const later = decideServers(renewed, first.seen, 30_999)
  assert.equal(portsOf(later.present), [1, 2])
  const last = decideServers(renewed, later.seen, 31_000)
  assert.equal(portsOf(last.present), [1])
  assert.equal(portsOf(last.gone.map(({ endpoint }) => endpoint)), [2])
})

test('the endpoints of the API are grouped by port, in an order that all servers find (O-02)', () => {
  const at = (address: string, port: number) => ({ address, port })
  const servers = [at('192.0.2.9', 6443), at('192.0.2.1', 6443), at('192.0.2.5', 7000)]
  const options = { scheme, clusterIP: '10.0.0.1' }
  const [, endpoints, slice] = wantedObjects(options, servers)
  const port = (number: number) => [{ name: 'https', protocol: 'TCP', port: number }]
  assert.equal(endpoints?.fields, {
    subsets: [
      { addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.9' }], ports: port(6443) },
      { addresses: [{ ip: '192.0.2.5' }], ports: port(7000) },
    ],
  })
  assert.equal(slice?.fields, {
    addressType: 'IPv4',
    endpoints: ['192.0.2.1', '192.0.2.9'].map((one) => ({
      addresses: [one],
      conditions: { ready: true },
    })),
    ports: port(6443),
  })
  assert.equal(wantedObjects(options, servers.toReversed())[1]?.fields, endpoints?.fields)
})

test.run()
