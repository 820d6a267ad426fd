/** Quotas that two servers of one database charge at the same time. */
import '../../../../tools/test/guard.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { CustomServer } from '../../../support/custom.ts'
import { noSeveralServers, startServers } from '../../../support/several-servers.ts'
import { until } from '../../../support/until.ts'

const servers = suite('runtime/apiserver: quotas at two servers')
const test =
  noSeveralServers === undefined
    ? servers
    : (((name: string) => console.log(`SKIP ${name}: ${noSeveralServers}`)) as never)

const core = '/api/v1/namespaces/default'

const config = (name: string): object => ({ metadata: { name } })

test('what is created through two servers at the same time never exceeds a quota, and what was deleted can be used again', async () => {
  const admission = { enable: ['ResourceQuota'] }
  const pair = await startServers(2, 'quotas', { admission })
  const [one, other] = pair as [CustomServer, CustomServer]
  const limit = 20
  const quota = {
    metadata: { name: 'few' },
    spec: { hard: { 'count/configmaps': String(limit) } },
  }
  assert.is((await one.ask('POST', `${core}/resourcequotas`, quota)).status, 201)
  await until('counted', async () => {
    const { json } = await other.ask('GET', `${core}/resourcequotas/few`)
    return json.status?.hard?.['count/configmaps'] === String(limit)
  })
  for (let round = 0; round < 4; round++) {
    const made = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        pair[index % 2]!.ask('POST', `${core}/configmaps`, config(`c-${round}-${index}`)),
      ),
    )
    const stored = (await one.ask('GET', `${core}/configmaps`)).json.items
    assert.is(stored.length, made.filter(({ status }) => status === 201).length)
    assert.ok(stored.length <= limit, `${stored.length} of ${limit}`)
    const refused = made.filter(({ status }) => status !== 201)
    assert.ok(
      refused.every(({ status, text }) => status === 403 && text.includes('exceeded quota')),
    )

    // What was refused because it might have been too much is not lost for good.
    for (let more = stored.length; more < limit; more++) {
      const made = await other.ask('POST', `${core}/configmaps`, config(`m-${round}-${more}`))
      assert.is(made.status, 201, made.text)
    }
    assert.is((await one.ask('POST', `${core}/configmaps`, config('more'))).status, 403)
    const { json } = await other.ask('GET', `${core}/resourcequotas/few`)
    assert.is(json.status.used['count/configmaps'], String(limit))
    const { items } = (await one.ask('GET', `${core}/configmaps`)).json
    await Promise.all(
      items.map(({ metadata }: { metadata: { name: string } }, index: number) =>
        pair[index % 2]!.ask('DELETE', `${core}/configmaps/${metadata.name}`),
      ),
    )
  }
  await Promise.all(pair.map(({ stop }) => stop()))
})

servers.run()
