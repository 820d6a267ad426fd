import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readObjectMeta } from '../../../generated/apis/meta/v1/object-meta.read.ts'
import { scheme as generated } from '../../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import type { Scheme } from '../../../runtime/kernel/descriptors/scheme.ts'
import type { ApiObject } from '../../../runtime/kernel/meta/object.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { until } from '../../support/until.ts'
import { factsOf } from '../server/scheme.ts'

const test = suite('runtime/controllers: flow control objects')

const group = 'flowcontrol.apiserver.orch.io'
const base = `/apis/${group}/v1`

function kind(name: string, plural: string) {
  return factsOf({
    group,
    kind: name,
    plural,
    scope: 'Cluster',
    read: (input, report) => {
      const { metadata, spec, status } = input as Readonly<Record<string, unknown>>
      const object = { kind: name, apiVersion: `${group}/v1` }
      return { ...object, metadata: readObjectMeta(metadata, report), spec, status } as ApiObject
    },
    subresources: [
      { name: 'status', kind: name, apiVersion: `${group}/v1`, verbs: ['get', 'patch', 'update'] },
    ],
  })
}

const scheme: Scheme = {
  ...generated,
  groups: [
    ...generated.groups.filter((one) => one.group !== group),
    { group, versions: ['v1'], priority: 1 },
  ],
  routes: {
    ...generated.routes,
    [`apis/${group}/v1/flowschemas`]: kind('FlowSchema', 'flowschemas'),
    [`apis/${group}/v1/prioritylevelconfigurations`]: kind(
      'PriorityLevelConfiguration',
      'prioritylevelconfigurations',
    ),
  },
}

const server: RunningApiServer = await startApiServer({
  scheme,
  storage: { kind: 'memory' },
  clock: systemClock,
  log: silentLog,
  listen: { port: 0 },
})
test.after(() => server.stop())

interface Stored {
  readonly metadata: { readonly name: string; readonly uid: string; readonly annotations?: object }
  readonly spec: Record<string, unknown>
  readonly status?: { readonly conditions?: readonly { readonly status: string }[] }
}

async function ask(path: string, method = 'GET', body?: unknown): Promise<Stored> {
  const response = await fetch(`${server.url}${base}/${path}`, {
    method,
    headers: {
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return (await response.json()) as Stored
}

// K-03, K-04, O-05
test('a fresh server has the objects of the facts', async () => {
  const levels = (await ask('prioritylevelconfigurations')) as unknown as { items: Stored[] }
  assert.equal(
    levels.items.map(({ metadata }) => metadata.name),
    (generated.flowControl?.priorityLevels ?? []).map(({ name }) => name).sort(),
  )
  const schemas = (await ask('flowschemas')) as unknown as { items: Stored[] }
  assert.equal([schemas.items.length, levels.items.length], [13, 8])
  const { metadata, spec } = await ask('flowschemas/catch-all')
  assert.equal(metadata.annotations, { 'apf.orch.io/autoupdate-spec': 'true' })
  assert.is(spec.matchingPrecedence, 10_000)
})

test('answers name the stored objects', async () => {
  const schema = await ask('flowschemas/global-default')
  const level = await ask('prioritylevelconfigurations/global-default')
  const { headers } = await fetch(`${server.url}/version`)
  assert.is(headers.get('x-orch-pf-flowschema-uid'), schema.metadata.uid)
  assert.is(headers.get('x-orch-pf-prioritylevel-uid'), level.metadata.uid)
})

test('a schema that is written is gone by', async () => {
  const schema = await ask('flowschemas', 'POST', {
    metadata: { name: 'versions' },
    spec: {
      matchingPrecedence: 50,
      priorityLevelConfiguration: { name: 'system' },
      rules: [
        {
          subjects: [{ kind: 'Group', group: { name: 'system:unauthenticated' } }],
          nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/version'] }],
        },
      ],
    },
  })
  await until('what was written is in force', async () => {
    const { headers } = await fetch(`${server.url}/version`)
    return headers.get('x-orch-pf-flowschema-uid') === schema.metadata.uid
  })
})

// K-05
test('a mandatory object is repaired when it is changed, and made again when it is deleted', async () => {
  await ask('flowschemas/catch-all', 'PATCH', { spec: { matchingPrecedence: 5 } })
  await until(
    'what was written is in force',
    async () => (await ask('flowschemas/catch-all')).spec.matchingPrecedence === 10_000,
  )
  const { uid } = (await ask('flowschemas/exempt')).metadata
  await ask('flowschemas/exempt', 'DELETE')
  await until(
    'what was written is in force',
    async () => ((await ask('flowschemas/exempt')).metadata?.uid ?? uid) !== uid,
  )
})

// K-05
test('a suggested object is left alone once its annotation is away', async () => {
  const path = 'flowschemas/service-accounts'
  await ask(path, 'PATCH', { spec: { matchingPrecedence: 77 } })
  await until(
    'what was written is in force',
    async () => (await ask(path)).spec.matchingPrecedence === 9000,
  )
  await ask(path, 'PATCH', {
    metadata: { annotations: { 'apf.orch.io/autoupdate-spec': 'false' } },
    spec: { matchingPrecedence: 78 },
  })
  await ask('flowschemas/probes', 'PATCH', { spec: { matchingPrecedence: 3 } })
  await until(
    'what was written is in force',
    async () => (await ask('flowschemas/probes')).spec.matchingPrecedence === 2,
  )
  assert.is((await ask(path)).spec.matchingPrecedence, 78)
})

// K-06
test('a schema without its level says so in its status', async () => {
  const found = await ask('flowschemas/global-default')
  assert.is(found.status?.conditions?.[0]?.status, 'False')
  await ask('flowschemas', 'POST', {
    metadata: { name: 'lost' },
    spec: { priorityLevelConfiguration: { name: 'nowhere' } },
  })
  await until('what was written is in force', async () => {
    const { status } = await ask('flowschemas/lost')
    return status?.conditions?.[0]?.status === 'True'
  })
})

test.run()
