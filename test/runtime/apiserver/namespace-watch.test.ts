/** A watch of one namespace, through the end of the namespace. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CustomServer, startCustom } from '../../support/custom.ts'
import { open } from '../server/harness.ts'
import { type Event, eventsOf, next } from '../server/watch-events.ts'

const test = suite('runtime/apiserver: a watch of a namespace')

let custom: CustomServer
test.before(async () => {
  custom = await startCustom()
})
test.after(() => custom.stop())

test('it sees its namespace only, and every object go with it (V-18)', async () => {
  const maps = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`
  for (const name of ['one', 'two']) {
    await custom.ask('POST', '/api/v1/namespaces', { metadata: { name } })
  }
  const path = `${maps('one')}?watch=true`
  const events = eventsOf(await open(custom.server.url, { path }))
  await custom.ask('POST', maps('two'), { metadata: { name: 'elsewhere' } })
  await custom.ask('POST', maps('one'), { metadata: { name: 'a' } })
  await custom.ask('POST', maps('one'), { metadata: { name: 'b' } })
  const seen = async (count: number) => {
    const got: Event[] = []
    while (got.length < count) got.push(await next(events))
    return got.map(({ type, object }) => `${type} ${(object.metadata as { name: string }).name}`)
  }
  assert.equal(await seen(2), ['ADDED a', 'ADDED b'])
  await custom.ask('DELETE', '/api/v1/namespaces/one')
  assert.equal((await seen(2)).sort(), ['DELETED a', 'DELETED b'])
  await events.return(undefined)
})

test.run()
