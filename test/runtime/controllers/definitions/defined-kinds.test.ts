/** What is kept of definitions: one spec of each, however often its status changes; and who has which names. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import {
  type Definition,
  isConditionTrue,
  kindEnvironmentOf,
} from '../../../../runtime/apiextensions/apiextensions.ts'
import { DefinedKinds } from '../../../../runtime/controllers/definitions/defined-kinds.ts'
import { NameClaims } from '../../../../runtime/controllers/definitions/name-claims.ts'
import type { Stored } from '../../../../runtime/kernel/meta/object.ts'
import { createNameTable } from '../../../../runtime/registry/registry.ts'
import { openRegistry } from '../../../support/registry.ts'

const test = suite('runtime/controllers/defined-kinds')

function definition(generation: number, resourceVersion: string): Stored<Definition> {
  return {
    apiVersion: 'apiextensions.orch.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com', uid: 'u', generation, resourceVersion },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
        },
      ],
    },
  } as unknown as Stored<Definition>
}

const kindsOf = (claims?: NameClaims): DefinedKinds =>
  new DefinedKinds({
    platform: scheme.platform,
    environment: kindEnvironmentOf(scheme),
    revision: () => 1,
    serve: () => {},
    ...(claims && { claims }),
  })

test('a definition that comes again with the same spec is kept with the one its kinds were made of', async () => {
  const kinds = kindsOf()
  const first = definition(1, '1')
  assert.is(kinds.shared(first), first, 'nothing is known yet')
  await kinds.set(first, 0)
  const later = kinds.shared(definition(1, '2'))
  assert.is(later.spec, first.spec)
  assert.is(later.metadata.resourceVersion, '2')
  const changed = definition(2, '3')
  assert.is(kinds.shared(changed).spec, changed.spec)
})

/** A definition of a kind `Thing`, with the names that it has already. */
const rival = (plural: string, acceptedNames?: object): Stored<Definition> => {
  const { spec, ...rest } = definition(1, '1')
  const names = { plural, singular: plural, kind: 'Thing', listKind: `${plural}List` }
  const metadata = { ...rest.metadata, name: `${plural}.example.com`, uid: plural }
  const status = acceptedNames && { status: { acceptedNames, conditions: [] } }
  return { ...rest, metadata, spec: { ...spec, names }, ...status } as never
}

const isAccepted = (settled: Stored<Definition>): boolean =>
  isConditionTrue(settled, 'NamesAccepted')

test('a name that a stored definition has is given to no other, in whatever order they are read', async () => {
  const kinds = kindsOf()
  const [first, second] = [rival('a'), rival('z', rival('z').spec.names)]
  kinds.takeNames([first, second])
  assert.not(isAccepted(await kinds.settled(first, 0)))
  assert.ok(isAccepted(await kinds.settled(second, 0)))
})

test('of two servers that know nothing of each other one gives a name, and who has it is gone gives it up', async () => {
  const { store, close } = await openRegistry()
  const stored = new Map([rival('a'), rival('b')].map((one) => [one.metadata.name, one]))
  const table = createNameTable(store)
  const server = () => {
    const find = async (name: string) => stored.get(name)
    return kindsOf(new NameClaims({ table, find }))
  }
  const [one, other] = [server(), server()]
  const [a, b] = [...stored.values()] as [Stored<Definition>, Stored<Definition>]
  const [first, second] = await Promise.all([one.settled(a, 0), other.settled(b, 0)])
  assert.equal([first, second].map(isAccepted).sort(), [false, true])
  assert.is(isAccepted(await other.settled(a, 0)), isAccepted(first))

  // The server that gave the name ends, and its definition is deleted.
  const [winner, loser] = isAccepted(first) ? [a, b] : [b, a]
  stored.delete(winner.metadata.name)
  assert.ok(isAccepted(await server().settled(loser, 0)))
  assert.not(isAccepted(await one.settled(winner, 0)))
  await close()
})

test.run()
