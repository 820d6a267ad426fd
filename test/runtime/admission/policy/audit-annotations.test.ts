/** What policies note for the audit log (supplement ). */
import '../../../../tools/test/guard.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { bootstrap, createRegistry } from '../../../../runtime/registry/registry.ts'
import { withResourceVersion } from '../../../../runtime/serializer/serializer.ts'
import { createServer } from '../../../../runtime/server/server.ts'
import { openSqliteStore } from '../../../../runtime/store/store.ts'
import { createWatchCache } from '../../../../runtime/watch/watch.ts'
import { binding, configMap, policiesPath, policy, policyGates } from '../../../support/policies.ts'

const test = suite<{ plane: Awaited<ReturnType<typeof startNoting>> }>(
  'runtime/admission/policy: notes',
)

test.before.each(async (context) => {
  context.plane = await startNoting()
})
test.after.each(({ plane }) => plane.stop())

type Notes = Readonly<Record<string, string>>

/** A server that keeps what is noted of each request. */
async function startNoting() {
  const store = await openSqliteStore({ filename: ':memory:', clock: systemClock })
  const cache = await createWatchCache(store, {
    clock: systemClock,
    stampResourceVersion: withResourceVersion,
  })
  const registry = createRegistry({
    store: cache,
    scheme,
    clock: systemClock,
    gates: policyGates,
    admission: {},
  })
  await bootstrap(registry)
  let last: Notes = {}
  const server = createServer({
    registry,
    scheme,
    clock: systemClock,
    onRequestCompleted({ annotations }) {
      last = annotations
    },
  })
  return {
    async send(method: string, path: string, body?: object): Promise<Notes> {
      await server.dispatch({
        method,
        path,
        headers: { 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      return Object.fromEntries(
        Object.entries(last).filter(([key]) => !key.startsWith('authorization.')),
      )
    },
    async stop() {
      await server.stop()
      registry.close()
      await cache.close()
    },
  }
}

const failureKey = 'validation.policy.admission.orch.io/validation_failure'
const configMaps = '/api/v1/namespaces/default/configmaps'
const bindings = policiesPath.replace('policies', 'policybindings')

test('notes go with the request, whether it passes or not', async ({ plane: { send } }) => {
  const auditAnnotations = [
    { key: 'size', valueExpression: 'string(size(object.data))' },
    { key: 'nothing', valueExpression: 'null' },
    { key: 'blank', valueExpression: "' '" },
    { key: 'long', valueExpression: "string(object.data.?long.orValue(''))" },
  ]
  await send('POST', policiesPath, policy('sized', { auditAnnotations }))
  await send('POST', bindings, binding('first', 'sized', { validationActions: ['Audit'] }))
  await send('POST', bindings, binding('second', 'sized', { validationActions: ['Audit'] }))
  assert.equal(await send('POST', configMaps, configMap('a', { x: '1' })), { 'sized/size': '1' })
  const long = await send('POST', configMaps, configMap('b', { long: 'x'.repeat(20_000) }))
  assert.is(long['sized/long']?.length, 10 * 1024)
  const validations = [{ expression: '!has(object.data) || size(object.data) < 2', message: 'no' }]
  await send('POST', policiesPath, policy('few', { validations }))
  await send('POST', bindings, binding('few', 'few'))
  const refused = await send('POST', configMaps, configMap('c', { x: '1', y: '2' }))
  assert.equal(refused, { 'sized/size': '2' })
})

test('what many parameters make of a note is as long as a record can take', async ({
  plane: { send },
}) => {
  for (let index = 0; index < 20; index++) {
    const labels = { long: 'yes' }
    const data = { text: `${index}`.padEnd(9_000, 'x') }
    await send('POST', configMaps, configMap(`long-${index}`, data, { labels }))
  }
  const spec = {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    auditAnnotations: [{ key: 'text', valueExpression: 'string(params.data.text)' }],
  }
  const selector = { matchLabels: { long: 'yes' } }
  await send('POST', policiesPath, policy('p', spec))
  const paramRef = { selector, parameterNotFoundAction: 'Deny' }
  await send('POST', bindings, binding('b', 'p', { paramRef, validationActions: ['Audit'] }))
  const { 'p/text': note = '' } = await send('POST', configMaps, configMap('a'))
  const values = note.split(', ')
  assert.is(values.length, 7)
  assert.ok(values.every((one) => one.length === 9_000))
})

test('the first failure that is to be noted is, with what else was done about it', async ({
  plane: { send },
}) => {
  const validations = [{ expression: 'true' }, { expression: 'false', message: 'no' }]
  await send('POST', policiesPath, policy('p', { validations }))
  await send('POST', bindings, binding('a', 'p', { validationActions: ['Warn', 'Audit'] }))
  await send('POST', bindings, binding('b', 'p', { validationActions: ['Audit'] }))
  const noted = await send('POST', configMaps, configMap('a'))
  assert.equal(Object.keys(noted), [failureKey])
  assert.equal(JSON.parse(noted[failureKey] ?? ''), [
    {
      message: 'no',
      policy: 'p',
      binding: 'a',
      expressionIndex: 1,
      validationActions: ['Warn', 'Audit'],
    },
  ])
  const deleted = await send('DELETE', `${configMaps}/a`)
  assert.equal(Object.keys(deleted), [failureKey])
  assert.equal(await send('GET', `${configMaps}/b`), {})
  await send('POST', configMaps, configMap('c'))
  assert.equal(Object.keys(await send('DELETE', configMaps)), [failureKey])
})

test.run()
