/** Servers of two releases on one database: one knows a kind that the other does not. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import { type CustomServer, startCustom } from '../../../support/custom.ts'
import { noPostgres, postgresPrograms, sharedPostgres } from '../../../support/postgres.ts'

const releases = suite('runtime/apiserver: servers of two releases')
const test: typeof releases =
  postgresPrograms === undefined
    ? (((name: string) => console.log(`SKIP ${name}: ${noPostgres}`)) as never)
    : releases

const templates = '/api/v1/namespaces/default/podtemplates'
const maps = '/api/v1/namespaces/default/configmaps'

/** A release in which there are no pod templates. */
const earlier = {
  ...scheme,
  routes: Object.fromEntries(
    Object.entries(scheme.routes).filter(([path]) => !path.endsWith('/podtemplates')),
  ),
}

async function startRelease(schema: string, served: typeof scheme): Promise<CustomServer> {
  const { url } = await sharedPostgres()
  return startCustom({ scheme: served, storage: { kind: 'postgres', url: url(schema) } })
}

test('the earlier one serves what it knows, and leaves what it does not know as it is', async () => {
  const [before, after] = [
    await startRelease('kinds', earlier),
    await startRelease('kinds', scheme),
  ]
  const spec = { containers: [{ name: 'a', image: 'a' }] }
  const template = {
    metadata: { name: 'a' },
    template: { metadata: { labels: { a: 'b' } }, spec },
  }
  const made = await after.ask('POST', templates, template)
  assert.is(made.status, 201)
  assert.is((await before.ask('GET', templates)).status, 404)
  const written = await before.ask('POST', maps, { metadata: { name: 'a' } })
  assert.is(written.status, 201)
  assert.equal((await after.ask('GET', `${maps}/a`)).json, written.json)
  assert.is((await before.ask('GET', '/readyz')).status, 200)
  await before.stop()
  const again = await startRelease('kinds', earlier)
  assert.is((await again.ask('GET', '/readyz')).status, 200)
  assert.equal((await after.ask('GET', `${templates}/a`)).json, made.json)
  await again.stop()
  await after.stop()
})

test('where a later release has changed the tables, a server that runs goes on, and is not started anew', async () => {
  const running = await startRelease('tables', earlier)
  const { sql } = await sharedPostgres()
  await sql(
    "INSERT INTO tables.migrations (name, batch, migration_time) VALUES ('9-later', 2, now())",
  )
  assert.is((await running.ask('POST', maps, { metadata: { name: 'a' } })).status, 201)
  const refused = await startRelease('tables', earlier).then(
    () => assert.unreachable('it started'),
    (error: Error) => error.message,
  )
  assert.match(String(refused), /later/)
  assert.is((await running.ask('GET', '/readyz')).status, 200)
  await running.stop()
})

releases.after(async () => {
  if (postgresPrograms !== undefined) await (await sharedPostgres()).stop()
})

releases.run()
