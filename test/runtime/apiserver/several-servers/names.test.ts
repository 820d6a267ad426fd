/** Names of custom kinds, given by two servers of one database at the same time. */
import '../../../../tools/test/guard.ts'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  type CustomServer,
  definition,
  definitionsPath,
  established,
} from '../../../support/custom.ts'
import { noSeveralServers, startServers } from '../../../support/several-servers.ts'
import { until } from '../../../support/until.ts'

const servers = suite('runtime/apiserver: names of kinds at two servers')
const test =
  noSeveralServers === undefined
    ? servers
    : (((name: string) => console.log(`SKIP ${name}: ${noSeveralServers}`)) as never)

const schema = { type: 'object', properties: { spec: { type: 'object' } } }

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
}

/** The condition NamesAccepted, once there is one. */
const acceptance = ({ ask }: CustomServer, name: string): Promise<Condition> =>
  until(`${name} has been judged`, async () => {
    const { json } = await ask('GET', `${definitionsPath}/${name}`)
    const conditions: readonly Condition[] = json.status?.conditions ?? []
    return conditions.find(({ type }) => type === 'NamesAccepted')
  })

/** Two definitions that want one kind. */
const rival = (word: string, own: string, names: object = {}) =>
  definition(`${word}${own}`, schema, {
    names: {
      kind: word,
      listKind: `${word}${own}List`,
      singular: `${word}${own}`.toLowerCase(),
      ...names,
    },
  })

test('of two definitions that want one kind or short name at the same time one gets it, and all servers say the same', async () => {
  const pair = await startServers(2, 'names')
  const [one, other] = pair as [CustomServer, CustomServer]
  await one.define(definition('First', schema))
  await established(other.ask, 'firsts.example.com')
  for (let round = 0; round < 12; round++) {
    const word = `Rival${String.fromCharCode(97 + round)}`
    const names = round % 2 === 0 ? {} : { kind: undefined, shortNames: [word.toLowerCase()] }
    const bodies = ['x', 'y'].map((own) => {
      const body = rival(word, own, names)
      return round % 2 === 0
        ? body
        : rival(word, own, { ...names, kind: `${word}${own.toUpperCase()}` })
    })
    const made = await Promise.all(
      bodies.map((body, at) => pair[at]!.ask('POST', definitionsPath, body)),
    )
    assert.equal(
      made.map(({ status }) => status),
      [201, 201],
    )
    const ids = bodies.map(({ metadata }) => metadata.name)
    const told = await Promise.all(ids.map((id) => acceptance(one, id)))
    assert.equal(told.map(({ status }) => status).sort(), ['False', 'True'], JSON.stringify(told))
    const again = await Promise.all(ids.map((id) => acceptance(other, id)))
    assert.equal(again, told)
    const winner = told.findIndex(({ status }) => status === 'True')
    await one.ask('DELETE', `${definitionsPath}/${ids[winner]}`)
    await established(other.ask, ids[1 - winner]!)
    assert.is((await acceptance(other, ids[1 - winner]!)).status, 'True')
  }
  await Promise.all(pair.map(({ stop }) => stop()))
})

test('names that were given up are free at every server, and a start gives nobody a name that another one has', async () => {
  const short = { names: { shortNames: ['thing'] } }
  const [one, other] = (await startServers(2, 'kept')) as [CustomServer, CustomServer]
  await one.define(definition('Zebra', schema, short))
  const late = await other.ask('POST', definitionsPath, definition('Apple', schema, short))
  assert.is(late.status, 201)
  assert.is((await acceptance(other, 'apples.example.com')).reason, 'ShortNamesConflict')
  await Promise.all([one.stop(), other.stop()])

  const [again] = (await startServers(1, 'kept')) as [CustomServer]
  assert.is((await acceptance(again, 'apples.example.com')).reason, 'ShortNamesConflict')
  const path = (plural: string): string => `/apis/example.com/v1/namespaces/default/${plural}`
  assert.is((await again.ask('GET', path('zebras'))).status, 200)
  assert.is((await again.ask('GET', path('apples'))).status, 404)

  const [second] = (await startServers(1, 'kept')) as [CustomServer]
  const { json } = await again.ask('GET', `${definitionsPath}/zebras.example.com`)
  const renamed = { ...json, spec: { ...json.spec, names: { ...json.spec.names, shortNames: [] } } }
  assert.is((await second.ask('PUT', `${definitionsPath}/zebras.example.com`, renamed)).status, 200)
  await established(again.ask, 'apples.example.com')
  await until('served', async () => (await second.ask('GET', path('apples'))).status === 200)
  await Promise.all([again.stop(), second.stop()])
})

servers.run()
