/** Which names are taken in a group, as each definition sees it (C-03). */
import '../../../../tools/test/guard.ts'
import * as fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Definition } from '../../../../runtime/apiextensions/definition/definition.ts'
import { NamesInUse } from '../../../../runtime/apiextensions/definition/names-in-use.ts'
import type { Stored } from '../../../../runtime/kernel/meta/object.ts'

const test = suite('runtime/apiextensions: names in use')

const word: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'c', 'd')
const definitions = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('one', 'two', 'three', 'four'),
    group: fc.constantFrom('x.io', 'y.io'),
    plural: word,
    singular: word,
    shortNames: fc.array(word, { maxLength: 2 }),
    kind: word,
    listKind: word,
    goes: fc.boolean(),
  }),
  { selector: ({ name }) => name },
)
type Given = typeof definitions extends fc.Arbitrary<readonly (infer One)[]> ? One : never

function definition({ name, group, goes: _, ...acceptedNames }: Given): Stored<Definition> {
  return {
    metadata: { name },
    spec: { group },
    status: { acceptedNames },
  } as unknown as Stored<Definition>
}

test('a name is taken by the others of a group that have it, while they are there', () => {
  fc.assert(
    fc.property(definitions, (given) => {
      const names = new NamesInUse()
      for (const one of given) names.add(definition(one))
      for (const one of given) if (one.goes) names.remove(definition(one))
      for (const own of given) {
        const { resources, kinds } = names.for(definition(own))
        const others = given.filter(
          ({ name, group, goes }) => !goes && name !== own.name && group === own.group,
        )
        for (const name of ['a', 'b', 'c', 'd']) {
          const asResource = others.some(({ plural, singular, shortNames }) =>
            [plural, singular, ...shortNames].includes(name),
          )
          const asKind = others.some(({ kind, listKind }) => [kind, listKind].includes(name))
          assert.is(resources.has(name), asResource)
          assert.is(kinds.has(name), asKind)
        }
      }
    }),
  )
})

test.run()
