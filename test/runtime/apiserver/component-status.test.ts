import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import { type RunningApiServer, startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import { componentHealth } from '../../../runtime/apiserver/component-status.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'

const test = suite<{ server: RunningApiServer }>('runtime/apiserver: health of components')

test.before(async (context) => {
  const storage = { kind: 'memory' } as const
  context.server = await startApiServer({ scheme, storage, clock: systemClock, log: silentLog })
})

test.after(({ server }) => server.stop())

// I-28
test('a component that fails says why, and the others are not touched by it', async () => {
  let looked = 0
  const compute = componentHealth([
    { name: 'one', check: () => void looked++ },
    {
      name: 'two',
      check() {
        throw new Error('the disk is gone')
      },
    },
  ])
  const [one, two] = await compute()
  assert.equal(one?.conditions, [{ type: 'Healthy', status: 'True', message: 'ok' }])
  assert.equal(two?.conditions, [{ type: 'Healthy', status: 'False', error: 'the disk is gone' }])
  await compute()
  assert.is(looked, 2)
})

// I-28
test('the server reads them anew, without a version, and stores none', async ({ server }) => {
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const { status, headers: sent, body } = await server.dispatch({ method: 'GET', path, headers })
    const pieces: Uint8Array[] = []
    for await (const piece of body) pieces.push(piece)
    return { status, warning: sent.warning, text: Buffer.concat(pieces).toString() }
  }
  const list = await read('/api/v1/componentstatuses')
  assert.equal(JSON.parse(list.text), {
    kind: 'ComponentStatusList',
    apiVersion: 'v1',
    metadata: {},
    items: [
      {
        metadata: { name: 'etcd-0', creationTimestamp: null },
        conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }],
      },
    ],
  })
  assert.equal([list.warning].flat(), ['299 - "v1 ComponentStatus is deprecated in v1.19+"'])
  const protobuf = { accept: 'application/vnd.orch.protobuf' }
  const one = await read('/api/v1/componentstatuses/etcd-0', protobuf)
  assert.is(one.status, 200)
  assert.match(one.text, 'etcd-0')
  assert.is((await read('/api/v1/componentstatuses/other')).status, 404)
  assert.is((await read('/api/v1/componentstatuses?watch=true')).status, 405)
  assert.is((await read('/api/v1/componentstatuses?fieldSelector=a=b')).status, 400)
})

test.run()
