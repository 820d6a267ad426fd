/** What is kept of definitions: kinds and caches hold one spec of each, however often its status changes. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../generated/scheme.ts'
import { type Definition, kindEnvironmentOf } from '../../../runtime/apiextensions/apiextensions.ts'
import { DefinedKinds } from '../../../runtime/controllers/defined-kinds.ts'
import type { Stored } from '../../../runtime/kernel/meta/object.ts'

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

test('a definition that comes again with the same spec is kept with the one its kinds were made of', async () => {
  const kinds = new DefinedKinds({
    platform: scheme.platform,
    environment: kindEnvironmentOf(scheme),
    revision: () => 1,
    serve: () => {},
  })
  const first = definition(1, '1')
  assert.is(kinds.shared(first), first, 'nothing is known yet')
  await kinds.set(first, 0)
  const later = kinds.shared(definition(1, '2'))
  assert.is(later.spec, first.spec)
  assert.is(later.metadata.resourceVersion, '2')
  const changed = definition(2, '3')
  assert.is(kinds.shared(changed).spec, changed.spec)
})

test.run()
