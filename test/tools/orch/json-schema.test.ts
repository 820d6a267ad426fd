/** The catalogue of JSON Schemas: a strict validator that shares no code with ours compiles each, and tells near misses from what is right. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse, parseAllDocuments } from 'yaml'
import { packageRoot } from '../../../codegen/main.ts'
import { runJsonSchema } from '../../../tools/orch/json-schema.ts'
import { runHere } from '../../support/orch.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('tools: orch json-schema')

const root = tempDirectory()
const out = join(root, 'schemas')
const definitions = join(root, 'definitions.yaml')
writeFileSync(
  definitions,
  `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pipes.example.com}
spec:
  group: example.com
  names: {kind: Pipe, plural: pipes, singular: pipe, listKind: PipeList}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              required: [size]
              properties:
                size: {type: integer, minimum: 1, maximum: 9}
                note: {type: string, nullable: true}
                port: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}
                extra: {type: object, x-kubernetes-preserve-unknown-fields: true}
                tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
`,
)

/** Runs the command: its exit code and what it prints. */
const run = (...args: readonly string[]) => runHere(runJsonSchema, args)

const url = 'https://schemas.example.com/orch'
const first = await run('--out', out, '--url', `${url}/`, definitions)
const paths = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.json') && path !== 'catalogue.json',
)
const read = (path: string) => JSON.parse(readFileSync(join(out, path), 'utf8'))
// Unions of types are what null is written with; everything else that strict mode warns of is an error.
const ajv = new Ajv({
  strict: true,
  allErrors: true,
  allowUnionTypes: true,
  code: { optimize: false },
  inlineRefs: false,
})
const install = addFormats as unknown as (ajv: Ajv) => void
install(ajv)
for (const path of paths) ajv.addSchema(read(path))
const any = ajv.getSchema(`${url}/all.json`)

/** The paths and keywords by which a document is refused. */
function refusals(document: unknown): readonly string[] {
  any?.(document)
  const own = (any?.errors ?? []).filter(({ keyword }) => keyword !== 'if')
  return own.map(({ instancePath, keyword, params }) => {
    const extra = (params as { additionalProperty?: string }).additionalProperty
    return `${instancePath}${extra === undefined ? '' : `/${extra}`} ${keyword}`
  })
}

test('there is a schema for every kind of both platforms, of definitions, and of daemons, and each compiles strictly', () => {
  assert.is(first.code, 0, first.text)
  for (const path of paths) assert.type(ajv.getSchema(`${url}/${path}`), 'function', path)
  for (const path of [
    'core/pod_v1.json',
    'coordination.orch.io/lease_v1.json',
    'coordination.k8s.io/lease_v1.json',
    'orchlet.config.orch.io/orchletconfiguration_v1beta1.json',
    'example.com/pipe_v1.json',
  ]) {
    assert.ok(paths.includes(path), path)
  }
})

test('the catalogue names each schema, and the one for any document with the files that it is for', () => {
  const { schemas } = read('catalogue.json')
  const named = schemas.map((row: { url: string }) => row.url.slice(url.length + 1))
  assert.equal([...named].sort(), [...paths].sort())
  assert.equal(schemas[0].fileMatch, ['*.yaml', '*.yml'])
})

const pipe = (spec: string) =>
  `{apiVersion: example.com/v1, kind: Pipe, metadata: {name: p}, spec: ${spec}}`
const pod = (spec: string) => `{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: ${spec}}`
const deployment = (spec: string) =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, labels:}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}}, ${spec}}}`
const lease = (spec: string) => `{apiVersion: coordination.k8s.io/v1, kind: Lease, spec: ${spec}}`
const autoscaler = (behavior: string) =>
  `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}, maxReplicas: 2, behavior: ${behavior}}}`
const agent = (more: string) =>
  `{apiVersion: orchlet.config.orch.io/v1beta1, kind: OrchletConfiguration, ${more}}`

const right: readonly (readonly [fact: string, document: string])[] = [
  [
    'an object of a definition',
    pipe('{size: 9, note: null, port: http, extra: {a: [1]}, tags: [a]}'),
  ],
  ['null for what may be absent', deployment('replicas: null, strategy:')],
  [
    'amounts as texts and numbers',
    pod('{containers: [{name: a, resources: {limits: {cpu: 1, memory: 1Gi}}}]}'),
  ],
  [
    'ports by name and number',
    pod(
      '{containers: [{name: a, livenessProbe: {httpGet: {port: http}}, readinessProbe: {tcpSocket: {port: 80}}}]}',
    ),
  ],
  [
    'values of an open set',
    pod('{containers: [{name: a}], volumes: [{name: v, hostPath: {path: /a}}]}'),
  ],
  [
    'an empty text for a default',
    pod('{restartPolicy: "", containers: [{name: a, imagePullPolicy: ""}]}'),
  ],
  [
    'a list that may be absent and not be empty, absent',
    autoscaler('{scaleUp: {}, scaleDown: {}}'),
  ],
  ['a file of a daemon', agent('maxPods: 50')],
  ['a kind that nobody knows', '{apiVersion: other.example.com/v1, kind: Other, a: 1}'],
]

for (const [fact, document] of right) {
  test(`${fact} is right`, () => {
    assert.equal(refusals(parse(document)), [])
  })
}

const wrong: readonly (readonly [fact: string, document: string, want: string])[] = [
  ['a field with a slip', deployment('replica: 1'), '/spec/replica additionalProperties'],
  ['a text for a number', deployment('replicas: "1"'), '/spec/replicas type'],
  [
    'a value of no closed set',
    pod('{restartPolicy: Often, containers: [{name: a}]}'),
    '/spec/restartPolicy enum',
  ],
  ['a container without a name', pod('{containers: [{image: a}]}'), '/spec/containers/0 required'],
  [
    'a number below its minimum',
    lease('{leaseDurationSeconds: 0}'),
    '/spec/leaseDurationSeconds minimum',
  ],
  ['a date that is none', lease('{renewTime: yesterday}'), '/spec/renewTime pattern'],
  ['a bound of a definition', pipe('{size: 10}'), '/spec/size maximum'],
  ['a required field of a definition', pipe('{}'), '/spec required'],
  ['null in an object of a definition', pipe('{size: null}'), '/spec/size type'],
  [
    'an unknown field of a definition',
    pipe('{size: 1, length: 1}'),
    '/spec/length additionalProperties',
  ],
  ['an item that is there twice', pipe('{size: 1, tags: [a, a]}'), '/spec/tags uniqueItems'],
  [
    'metadata of an object of a definition',
    pipe('{size: 1}').replace('name: p', 'labels: [a]'),
    '/metadata/labels type',
  ],
  [
    'a list that may be absent and not be empty, empty',
    autoscaler('{scaleUp: {policies: []}}'),
    '/spec/behavior/scaleUp/policies minItems',
  ],
  ['a field of a daemon with a slip', agent('maxPod: 50'), '/maxPod additionalProperties'],
]

for (const [fact, document, want] of wrong) {
  test(`${fact} is refused at its place`, () => {
    assert.ok(refusals(parse(document)).includes(want), `${want}: ${refusals(parse(document))}`)
  })
}

test('what orch validate refuses for an unknown field is refused at the same place, in every broken file', () => {
  const golden = readFileSync(join(packageRoot, 'test/golden/validate/broken.txt'), 'utf8')
  const cases = golden.split(/^### /m).filter((one) => /^[\w-]+ \| field\.unknown\n/.test(one))
  const known = new Set(read('catalogue.json').schemas.map((row: { name: string }) => row.name))
  let compared = 0
  for (const one of cases) {
    const text = one.slice(one.indexOf('\n') + 1)
    const [, key = ''] = /§"?([-\w.]+)/.exec(text) ?? []
    const documents = parseAllDocuments(text.replaceAll('§', '')).map((each) => each.toJSON())
    // Others are of definitions that stand in another file.
    if (!documents.every((each) => known.has(`${each.apiVersion} ${each.kind}`))) continue
    const told = documents.flatMap(refusals)
    compared++
    const isTold = told.some((line) => line.endsWith(`/${key} additionalProperties`))
    assert.ok(isTold, `${one.slice(0, 40)}: ${told}`)
  }
  assert.ok(compared > 10)
})

test('what no schema says is listed', () => {
  const page = readFileSync(join(out, 'left-out.md'), 'utf8')
  assert.match(page, '| Container.name | a form or a rule that the server has a program for |')
  assert.match(page, '| APIServiceStatus.conditions | no two items have the same keys |')
})

test('a check tells files that are out of date, and a run mends them and removes what is gone', async () => {
  const args = [
    '--out',
    out,
    '--url',
    url,
    '--platform',
    join(packageRoot, 'schemas/platform/kubernetes.yaml'),
  ]
  const page = join(out, 'core/pod_v1.json')
  const text = readFileSync(page, 'utf8')
  writeFileSync(page, text.replace('Pod', 'Pot'))
  writeFileSync(join(out, 'own.json'), '{}')
  const { code, text: printed } = await run(...args, '--check')
  assert.is(code, 1)
  assert.match(printed, page)
  assert.is((await run(...args)).code, 0)
  assert.is(readFileSync(page, 'utf8'), text)
  assert.not(existsSync(join(out, 'example.com/pipe_v1.json')))
  assert.ok(existsSync(join(out, 'own.json')))
})

for (const [fact, args, want] of [
  ['a folder is asked for', [], /--out is needed/],
  ['an address is one', ['--out', out, '--url', 'schemas'], /--url schemas: write an address/],
  ['a path that leads nowhere is named', ['--out', out, join(root, 'nothing')], /nothing/],
] as const) {
  test(fact, async () => {
    const { code, text } = await run(...args)
    assert.is(code, 2)
    assert.match(text, want)
  })
}

test.run()
