/** Versions of one kind: what the steps of a conversion may say, and what would be lost. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ReadResult, readApi } from '../../../../codegen/schema/read.ts'
import { type Conversion, convert } from '../../../../runtime/kernel/descriptors/conversion.ts'
import { valuesOf } from '../../../support/arbitrary.ts'
import { sourcesWith } from '../../../support/definitions.ts'

const test = suite('codegen/schema: conversions')

const group = 'demo.example.com'
const metadata = "metadata: { $ref: 'orch:meta/v1/object-meta.yaml#/definitions/ObjectMeta' }"

/** One version of a kind Site: further keywords of its block, and the fields of its spec in flow style. */
function version(name: string, block: readonly string[], spec: string): string {
  const lines = block.map((line) => `      ${line}`).join('\n')
  return `group: ${group}
version: ${name}
definitions:
  Site:
    type: object
    x-orch-kind:
      plural: sites
${lines}
    properties:
      ${metadata}
      spec: { $ref: '#/definitions/SiteSpec' }
  SiteSpec:
    type: object
    properties: { ${spec} }
`
}

interface Versions {
  readonly older: string
  readonly newer: string
  readonly steps: readonly string[]
  /** Further definitions of the newer version. */
  readonly more?: string
}

function read({ older, newer, steps, more = '' }: Versions): ReadResult {
  const listed = steps.map((step) => `    - ${step}`)
  const conversion = [
    'conversion:',
    `  from: ${group}/v1beta1`,
    steps.length === 0 ? '  steps: []' : '  steps:',
    ...listed,
  ]
  const first = version('v1beta1', [`storedAs: ${group}/v1`], older)
  const sources = new Map(sourcesWith(first, 'demo/v1beta1.yaml'))
  sources.set('demo/v1.yaml', version('v1', conversion, newer) + more)
  return readApi(sources, () => 'orch')
}

function messages(versions: Versions): readonly string[] {
  return read(versions).findings.map(({ at, code, message }) => `${at.line} ${code}: ${message}`)
}

const text = '{ type: string }'
const number = '{ type: integer, format: int32 }'

/** What the lint says: the line in the newer version's file, the code and the message. */
const refusals: readonly (readonly [name: string, versions: Versions, want: readonly string[]])[] =
  [
    [
      'a field that only the older version has is lost',
      { older: `host: ${text}, note: ${text}`, newer: `host: ${text}`, steps: [] },
      [
        '9 conversion-loss: "spec.note" of demo.example.com/v1beta1 has no place in demo.example.com/v1; rename, move or split it, or keep it in an annotation with the step { drop: spec.note, annotation: NAME }',
      ],
    ],
    [
      'a field that only the newer version has is lost',
      { older: `host: ${text}`, newer: `host: ${text}, note: ${text}`, steps: [] },
      [
        '9 conversion-loss: "spec.note" of demo.example.com/v1 has no place in demo.example.com/v1beta1; rename, move or split it, or keep it in an annotation with the step { drop: spec.note, of: newer, annotation: NAME }',
      ],
    ],
    [
      'a field of another type is no place for a value',
      { older: `port: ${text}`, newer: `port: ${number}`, steps: [] },
      ['9 conversion-type: "spec.port" is of different types in the two versions'],
    ],
    [
      'a step drops a field of the older version, unless it says which',
      {
        older: `host: ${text}`,
        newer: `host: ${text}, note: ${text}`,
        steps: ['{ drop: spec.note, annotation: note }'],
      },
      [
        '11 unknown-path: Site of demo.example.com/v1beta1 has no "spec.note", the newer version has; add "of: newer"',
      ],
    ],
    [
      'what is dropped is kept in an annotation',
      {
        older: `host: ${text}, note: ${text}`,
        newer: `host: ${text}`,
        steps: ['{ drop: spec.note }'],
      },
      ['11 conversion-loss: "spec.note" would be lost; name the "annotation" that keeps it'],
    ],
    [
      'a step names fields that there are',
      {
        older: `host: ${text}`,
        newer: `name: ${text}`,
        steps: ['{ rename: spec.hots, to: spec.name }'],
      },
      ['11 unknown-path: Site of demo.example.com/v1beta1 has no "spec.hots"'],
    ],
    [
      'a renamed field keeps its type',
      {
        older: `host: ${text}`,
        newer: `port: ${number}`,
        steps: ['{ rename: spec.host, to: spec.port }'],
      },
      ['11 conversion-type: "host" and "port" are of different types'],
    ],
    [
      'an absent value must not come back as one that is not its default',
      {
        older: `host: ${text}`,
        newer: `host: ${text}`,
        steps: ['{ default: spec.host, value: here }'],
      },
      [
        '11 conversion-loss: an absent "spec.host" would come back as "here", which is not its default in demo.example.com/v1beta1',
      ],
    ],
    [
      'two steps do not move two fields to one place',
      {
        older: `host: ${text}, name: ${text}`,
        newer: `title: ${text}`,
        steps: ['{ rename: spec.host, to: spec.title }', '{ rename: spec.name, to: spec.title }'],
      },
      [
        '12 conversion-conflict: the step in line 11 says what becomes of "spec.title" of demo.example.com/v1 already',
      ],
    ],
    [
      'a field is not moved and dropped',
      {
        older: `host: ${text}`,
        newer: `title: ${text}`,
        steps: [
          '{ rename: spec.host, to: spec.title }',
          '{ drop: spec.host, annotation: example.com/host }',
        ],
      },
      [
        '12 conversion-conflict: the step in line 11 says what becomes of "spec.host" of demo.example.com/v1beta1 already',
      ],
    ],
    [
      'a step is one that there is',
      {
        older: `host: ${text}`,
        newer: `host: ${text}`,
        steps: ['{ renam: spec.host, to: spec.name }'],
      },
      [
        '11 missing-keyword: a step of a conversion has one of "rename", "move", "split", "default", "drop", "call"',
      ],
    ],
  ]

for (const [name, versions, want] of refusals) {
  test(name, () => assert.equal(messages(versions), want))
}

/** Steps of a removed version, and what the lint says of them. */
const migrations: readonly (readonly [
  name: string,
  steps: readonly string[],
  want: readonly string[],
])[] = [
  [
    'steps to fields that there are',
    [
      '{ rename: spec.backend, to: spec.target }',
      '{ move: spec.backend.port, to: spec.backend.service.port, kind: Site }',
      "{ default: 'spec.rules[*].path', value: / }",
      '{ refuse: spec.old, when: present, why: it is gone }',
    ],
    [],
  ],
  [
    'a step to a field that the newer version does not have',
    ['{ rename: spec.backend, to: spec.zone }', "{ default: 'spec.rules[*].pat', value: / }"],
    [
      'unknown-path: Site of demo.example.com/v1 has no "spec.rules[*].pat"',
      'unknown-path: Site of demo.example.com/v1 has no "spec.zone"',
    ],
  ],
  [
    'two steps that write one field',
    ['{ rename: spec.backend, to: spec.target }', '{ rename: spec.other, to: spec.target }'],
    ['migration-conflict: two steps write "spec.target"'],
  ],
  [
    'a field that is moved and refused',
    [
      '{ rename: spec.backend, to: spec.target }',
      '{ refuse: spec.backend, when: present, why: it is gone }',
    ],
    ['migration-conflict: two steps say what becomes of "spec.backend"'],
  ],
  [
    'a step of a kind that is not removed',
    ['{ rename: spec.backend, to: spec.target, kind: Sites }'],
    ['unknown-kind: a step is of "Sites", which is none of the "resources"'],
  ],
]

for (const [name, steps, want] of migrations) {
  test(`of a removed version: ${name}`, () => {
    const types =
      "target: { $ref: '#/definitions/Target' }, rules: { type: array, items: { $ref: '#/definitions/Rule' } }"
    const more = `  Target:
    type: object
    properties: { service: { $ref: '#/definitions/Service' } }
  Service:
    type: object
    properties: { port: ${number} }
  Rule:
    type: object
    properties: { path: ${text} }
`
    const sources = new Map(sourcesWith(version('v1', [], types) + more, 'demo/v1.yaml'))
    const row = `group: ${group}, version: v1beta1, removed: '1.30', resources: { sites: Site }, replacement: ${group}/v1`
    sources.set('removals.yaml', `removals:\n  - { ${row}, steps: [${steps.join(', ')}] }\n`)
    const { findings } = readApi(sources, () => 'orch')
    assert.equal(
      findings.map(({ code, message }) => `${code}: ${message}`),
      want,
    )
  })
}

test('a version that does not exist is not stored, and one without a conversion neither', () => {
  const alone = version('v1beta1', [`storedAs: ${group}/v2`], `host: ${text}`)
  const { findings } = readApi(sourcesWith(alone, 'demo/v1beta1.yaml'), () => 'orch')
  assert.equal(
    findings.map(({ code }) => code),
    ['unknown-version'],
  )
  const sources = new Map(sourcesWith(alone.replace('/v2', '/v1'), 'demo/v1beta1.yaml'))
  sources.set('demo/v1.yaml', version('v1', [], `host: ${text}`))
  assert.equal(
    readApi(sources, () => 'orch').findings.map(({ code }) => code),
    ['missing-conversion'],
  )
})

const backend = `
  Backend:
    type: object
    properties: { service: { $ref: '#/definitions/Service' } }
  Service:
    type: object
    properties: { name: ${text}, port: { $ref: '#/definitions/Port' } }
  Port:
    type: object
    properties: { name: ${text}, number: ${number} }
`

/** Cases of A9's notable changes, and how they are said. */
const lossless: readonly (readonly [name: string, versions: Versions])[] = [
  [
    'a rename',
    {
      older: `backend: ${text}`,
      newer: `defaultBackend: ${text}`,
      steps: ['{ rename: spec.backend, to: spec.defaultBackend }'],
    },
  ],
  [
    'a move and a split by type',
    {
      older: `serviceName: ${text}, servicePort: { x-orch-int-or-string: true }`,
      newer: "backend: { $ref: '#/definitions/Backend' }",
      more: backend.slice(1),
      steps: [
        '{ move: spec.serviceName, to: spec.backend.service.name }',
        '{ split: spec.servicePort, to: { integer: spec.backend.service.port.number, string: spec.backend.service.port.name } }',
      ],
    },
  ],
  [
    'a drop that an annotation keeps, on either side',
    {
      older: `topology: { type: object, additionalProperties: ${text} }`,
      newer: `zone: ${text}`,
      steps: [
        '{ drop: spec.topology, annotation: example.com/topology }',
        '{ drop: spec.zone, of: newer, annotation: example.com/zone }',
      ],
    },
  ],
  [
    'another default',
    {
      older: `policy: { type: string, default: Ignore }`,
      newer: `policy: { type: string, default: Fail }`,
      steps: ['{ default: spec.policy, value: Ignore }'],
    },
  ],
]

for (const [name, versions] of lossless) {
  test(`${name} loses nothing`, () => {
    const { api, findings } = read(versions)
    assert.equal(findings, [])
    const steps: Conversion =
      api?.kinds.find(({ version: v }) => v === 'v1')?.conversion?.steps ?? []
    const values = valuesOf(api!, 'demo/v1beta1.SiteSpec').map((spec) => ({
      metadata: { name: 'a' },
      ...(Object.keys(spec as object).length > 0 && { spec: settled(spec as object) }),
    }))
    fc.assert(
      fc.property(values, (object) => {
        assert.equal(convert(steps, convert(steps, object, 'newer'), 'older'), object)
      }),
    )
  })
}

/** The object as its version's reader leaves it, with the default that one of the cases has. */
function settled(spec: object): object {
  return 'policy' in spec || Object.keys(spec).length > 0 ? spec : { policy: 'Ignore' }
}

test('members of a union are told apart by their JSON types', () => {
  const union = `group: ${group}
version: v1
definitions:
  Size:
    oneOf:
      - { type: integer, format: int32 }
      - { type: number }
`
  const { findings } = readApi(sourcesWith(union, 'demo/v1.yaml'), () => 'orch')
  assert.equal(
    findings.map(({ code, message }) => `${code}: ${message}`),
    [
      'unclear-union: two members of "Size" are of the JSON type number, so nothing tells them apart',
    ],
  )
})

test.run()
