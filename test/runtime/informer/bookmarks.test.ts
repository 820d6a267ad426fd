// Bookmarks are a kindness: a server may send none.
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { namespaces } from '../../../generated/apis/core/v1/namespace.ts'
import { createClient, type Transport } from '../../../runtime/client/client.ts'
import { createInformer } from '../../../runtime/informer/informer.ts'
import { startControlPlane, virtualClock } from '../../../runtime/testing/testing.ts'

const test = suite('runtime/informer: bookmarks')

/** A transport whose watches leave bookmarks out, as servers do that have none. */
function withoutBookmarks(real: Transport): Transport & { readonly lists: number } {
  let lists = 0
  return {
    ...real,
    async send(request) {
      const isWatch = request.path.includes('watch=true')
      if (!isWatch) lists++
      const path = request.path.replace(/&?allowWatchBookmarks=true/, '')
      const response = await real.send({ ...request, path })
      if (isWatch) assert.not.match(path, 'Bookmarks')
      return response
    },
    get lists() {
      return lists
    },
  }
}

test('a quiet kind of a server that sends none is listed anew where its revision is forgotten, and nothing is missed', async () => {
  const clock = virtualClock()
  await using plane = await startControlPlane({ clock })
  const maps = plane.client.resource(configMaps)
  const transport = withoutBookmarks(plane.transport)
  const client = createClient(transport, { clock })
  const informer = createInformer(client.resource(configMaps), { clock, random: () => 0 })
  const heard: string[] = []
  informer.on({
    added: ({ metadata }) => heard.push(`added ${metadata.name}`),
    updated: ({ metadata }) => heard.push(`updated ${metadata.name}`),
    deleted: ({ metadata }) => heard.push(`deleted ${metadata.name}`),
  })
  const stop = new AbortController()
  const run = informer.run(stop.signal)
  await informer.synced
  await maps.create({ metadata: { name: 'quiet' } })
  for (let minute = 0; minute < 60; minute++) {
    await plane.client.resource(namespaces).create({ metadata: { name: `busy-${minute}` } })
    await clock.advanceAsync(60_000)
  }
  await maps.mergePatch('quiet', { data: { a: 'b' } })
  await maps.create({ metadata: { name: 'late' } })
  await clock.advanceAsync(60_000)
  assert.equal(heard, ['added quiet', 'updated quiet', 'added late'])
  assert.is(informer.cache.size, 2)
  assert.ok(transport.lists > 1, `${transport.lists} lists`)
  stop.abort()
  await run
})

test.run()
