/** Several errors of an object are told in the order in which public servers look at its fields (finding Wire 17). */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fieldTypes } from '../../../../generated/field-types.ts'
import type { FieldTypes } from '../../../../runtime/kernel/descriptors/field-types.ts'
import type { CauseReason } from '../../../../runtime/kernel/validation/field-error.ts'
import { inErrorOrder } from '../../../../runtime/registry/strategy/error-order.ts'

const order = suite('runtime/registry/strategy/error-order')

const types: FieldTypes = {
  structs: {
    'x/v1.Box': {
      size: 'int32',
      parts: '[]x/v1.Part',
      tags: 'map[string]string',
      lid: 'x/v1.Part',
      loose: 'x/v1.Loose',
    },
    'x/v1.Loose': { a: 'string', b: '[]x/v1.Loose' },
    'x/v1.Part': { kind: 'string', name: 'string', words: '[]string' },
  },
  errorOrders: {
    'x/v1.Box': ['lid', 'parts', 'parts.kind Duplicate', 'size'],
    'x/v1.Loose': [],
    'x/v1.Part': ['name', 'words[]', '.', 'words', 'name Duplicate'],
  },
  unions: {},
  kinds: {},
}

/** Paths, each with its reason where that is not Invalid, in any order, and the order they are told in. */
const table: readonly (readonly [
  fact: string,
  given: readonly string[],
  want: readonly string[],
])[] = [
  [
    'fields in the order of their struct',
    ['size', 'parts[0].name', 'lid.name'],
    ['lid.name', 'parts[0].name', 'size'],
  ],
  [
    'what the order does not name last, as it is declared',
    ['lid.kind', 'tags[b]', 'size'],
    ['lid.kind', 'size', 'tags[b]'],
  ],
  [
    'items by their index, the list where it was found',
    ['parts', 'parts[10].name', 'parts[9].name'],
    ['parts', 'parts[9].name', 'parts[10].name'],
  ],
  [
    'items before their list where the order says so',
    ['lid.words', 'lid.words[1]', 'lid.words[0]'],
    ['lid.words[0]', 'lid.words[1]', 'lid.words'],
  ],
  [
    'a struct in its place among its fields',
    ['lid', 'lid.words', 'lid.name'],
    ['lid.name', 'lid', 'lid.words'],
  ],
  ['a struct where it was found without such a place', ['tags', '', 'size'], ['size', 'tags', '']],
  [
    'a reason in a place of its own',
    ['lid.name Duplicate', 'lid.words', 'lid.name'],
    ['lid.name', 'lid.words', 'lid.name Duplicate'],
  ],
  [
    'a longer path before a shorter one',
    ['parts[0].kind Duplicate', 'parts[1].kind'],
    ['parts[1].kind', 'parts[0].kind Duplicate'],
  ],
  [
    'errors of one place as they were found',
    ['size TooLong', 'size', 'size Forbidden'],
    ['size TooLong', 'size', 'size Forbidden'],
  ],
  [
    'below a struct whose order names nothing as they were found, in the place of the struct',
    ['loose.b[1].a', 'loose.a', 'loose', 'loose.b[0]', 'size'],
    ['size', 'loose.b[1].a', 'loose.a', 'loose', 'loose.b[0]'],
  ],
  [
    'paths that the types do not know',
    ['other', '__proto__.x', 'lid[3].name', 'size'],
    ['lid[3].name', 'size', 'other', '__proto__.x'],
  ],
]
for (const [fact, given, want] of table) {
  order(`several errors are told ${fact}`, () => {
    const told = inErrorOrder(types, 'x/v1.Box', given.map(errorOf))
    assert.equal(
      told.map(({ message }) => message),
      want,
    )
  })
}

function errorOf(text: string) {
  const [path = '', reason = 'Invalid'] = text.split(' ')
  return { path, reason: `FieldValue${reason}` as CauseReason, message: text }
}

/** Names that public servers tell of and that are no fields: misspelt ones, and those of their own structs. */
const odd = new Set([
  'JSONPath',
  'additionalPrinterColumns',
  'conversionReviewVersions',
  'subresources',
  'validation',
  'version',
  'webhookClientConfig',
  'LoadBalancerSourceRanges',
  'annotations',
  'count',
  'cephFS',
  'attachedRequired',
  'downwarAPI',
  'firstTimestamp',
  'involvedObject',
  'labels',
  'lastTimestamp',
  'limits',
  'namespace',
  'persistentDisk',
  'reportingController',
  'shareProcessNamespace',
  'source',
  '{topologyKey, whenUnsatisfiable}',
])

order('an order names fields of its struct', () => {
  const wrong = Object.entries(fieldTypes.errorOrders ?? {}).flatMap(([struct, paths]) => {
    const fields = fieldTypes.structs[struct] ?? {}
    return paths
      .map((path) => path.replace(/ [A-Z]\w+$/, '').replace(/(?:\[\]|\..*)$/, ''))
      .filter((name) => name !== '' && !(name in fields) && !odd.has(name))
      .map((name) => `${struct}: ${name}`)
  })
  assert.equal(wrong, [])
})

order.run()
