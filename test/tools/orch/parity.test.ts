/**
 * Documents that are right or nearly so, of every kind, by all who judge them: ajv over the published JSON Schemas, the reader of the kind, a
 * server, the files of `orch validate`, and the editor. They agree on the verdict and on the place, or the difference is on the list that is
 * published with the schemas.
 */
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { platform } from '../../../generated/platform.ts'
import { scheme } from '../../../generated/scheme.ts'
import { startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { enabledGatesOf } from '../../../runtime/kernel/descriptors/enabled-gates.ts'
import type { AnyKind } from '../../../runtime/kernel/descriptors/kind.ts'
import { type ApiObject, apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import { createReport } from '../../../runtime/kernel/validation/field-error.ts'
import type { JsonObject } from '../../../runtime/kernel/values/json.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import {
  dropDisabledFields,
  isDropped,
} from '../../../runtime/registry/strategy/drop-disabled-fields.ts'
import { type Finding, openValidator } from '../../../runtime/validate/validate.ts'
import { Random, seedOf } from '../../../tools/compare/random.ts'
import { samplesOf as basics } from '../../../tools/compare/samples/basics.ts'
import { samplesOf as policies } from '../../../tools/compare/samples/policies.ts'
import { samplesOf as workloads } from '../../../tools/compare/samples/workloads.ts'
import { loadDaemonFacts, OpenCatalogue } from '../../../tools/orch/lsp/catalogue.ts'
import { Checker } from '../../../tools/orch/lsp/checker.ts'
import { openPlatformFiles } from '../../../tools/orch/lsp/schema-files.ts'
import { checkFiles } from '../../../tools/orch/validate/check-files.ts'
import { daemonConfiguration } from '../../../tools/orch/validate/daemon-configuration.ts'
import { platformsOf } from '../../../tools/orch/validate/platforms.ts'
import { NearMisses, type PublishedRoot } from '../../support/near-misses.ts'
import { until } from '../../support/until.ts'

const test = suite('tools/orch: parity')

/**
 * A longer run: `ORCH_PARITY_DOCUMENTS=20000`, with another `ORCH_PARITY_SEED`. With `ORCH_PARITY_EVERY=1` every field of every kind has each
 * value that may be wrong there, which shows that the list is whole; a short run takes some of them.
 */
const isEvery = process.env.ORCH_PARITY_EVERY === '1'
const count = Number(process.env.ORCH_PARITY_DOCUMENTS ?? 300)
const seed = Number(process.env.ORCH_PARITY_SEED ?? 18)
const maxFileSize = 1024 * 1024

/** A definition whose kind has what definitions can say. */
const definition = {
  apiVersion: `apiextensions.${platform.api}/v1`,
  kind: 'CustomResourceDefinition',
  metadata: { name: 'pipes.example.com' },
  spec: {
    group: 'example.com',
    names: { kind: 'Pipe', plural: 'pipes', singular: 'pipe', listKind: 'PipeList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'integer', minimum: 1, maximum: 9 },
                  note: { type: 'string', nullable: true, maxLength: 5 },
                  mode: { type: 'string', enum: ['Slow', 'Fast'], default: 'Slow' },
                  share: { type: 'number', exclusiveMinimum: true, minimum: 0, multipleOf: 0.5 },
                  when: { type: 'string', format: 'date-time' },
                  code: { type: 'string', pattern: '^[a-z]+$' },
                  tags: {
                    type: 'array',
                    [`x-${platform.extension}-list-type`]: 'set',
                    maxItems: 2,
                    items: { type: 'string' },
                  },
                  parts: {
                    type: 'object',
                    maxProperties: 2,
                    additionalProperties: { type: 'integer' },
                  },
                  port: { [`x-${platform.extension}-int-or-string`]: true },
                  extra: {
                    type: 'object',
                    [`x-${platform.extension}-preserve-unknown-fields`]: true,
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
}

const pipe = {
  apiVersion: 'example.com/v1',
  kind: 'Pipe',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { size: 3, tags: ['a'], parts: { a: 1 }, extra: { b: [1] } },
}

const samples = [
  ...[workloads, policies, basics].flatMap((of) => of(platform.api) as readonly JsonObject[]),
  pipe as JsonObject,
]

/** The kinds of this platform, those of daemons' files, and that of the definition. */
async function openCatalogue(): Promise<OpenCatalogue> {
  const today = '2026-01-01'
  const validator = openValidator({
    platforms: platformsOf('', [], assert.unreachable).slice(0, 1),
    today,
  })
  await validator.learn({ name: 'definition.yaml', text: JSON.stringify(definition) })
  const [known] = await validator.platforms('all')
  const { own } = await openPlatformFiles('', [])
  await validator.close()
  if (known === undefined) throw new Error('there is no platform')
  return new OpenCatalogue([{ known, files: [own] }], await loadDaemonFacts(), own)
}

const catalogue = await openCatalogue()
const ajv = new Ajv({
  strict: false,
  allErrors: true,
  code: { optimize: false },
  inlineRefs: false,
})
const install = addFormats as unknown as (ajv: Ajv) => void
install(ajv)

/** Kinds with a schema and an object to begin with. */
interface Subject {
  readonly apiVersion: string
  readonly kind: string
  readonly samples: readonly JsonObject[]
  readonly isConfiguration: boolean
}

const subjects: readonly Subject[] = catalogue
  .kinds()
  .map(({ apiVersion, kind, isConfiguration }) => {
    const own = samples.filter((one) => one.apiVersion === apiVersion && one.kind === kind)
    return {
      apiVersion,
      kind,
      isConfiguration,
      samples: isConfiguration ? [{ apiVersion, kind }] : own,
    }
  })
  .filter((one) => one.samples.length > 0)

/** A document, and what its published schema says: the places that it refuses. */
interface Case {
  readonly subject: Subject
  readonly name: string
  readonly document: JsonObject
  readonly refused: readonly string[]
  /** The types and fields on the way to a place. */
  readonly typesAt: (path: string) => readonly string[]
}

const steps = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

/** Paths of reports and of ajv in one form: keys of maps have brackets in some reports, and dots of their own. */
const plain = (path: string) => path.replace(/[.[\]]+/g, '.').replace(/^\.|\.$/g, '')

/** What no schema says, as `Type.field`. */
const leftOut = new Set<string>()
/** Objects whose fields no schema says. */
const open = new Set<string>()

/** Fields that had every value in some document. */
const tried = new Set<string>()

function casesOf(subject: Subject, from: number, to: number): readonly Case[] {
  const published = catalogue.published(subject.apiVersion, subject.kind)
  if (published === undefined) throw new Error(`${subject.kind} has no published schema`)
  for (const { type, field, keyword } of published.leftOut) {
    leftOut.add(`${type}.${field}`)
    if (keyword === 'fields') open.add(`${type}.${field}`)
  }
  const validate = ajv.compile(published.schema)
  const made = Array.from({ length: to - from }, (_, index) => {
    const random = new Random(seedOf('parity', seed, from + index))
    const misses = new NearMisses(published.schema as PublishedRoot, random)
    const sample = random.pick(subject.samples)
    return random.chance(0.25) ? misses.plausible(sample) : misses.nearMiss(sample)
  })
  const root = published.schema as PublishedRoot
  const misses = new NearMisses(root, new Random(seedOf('every', seed, from)))
  const every = subject.samples.flatMap((one) => [...misses.everyMiss(one, tried)])
  const share = isEvery ? 1 : Math.ceil(every.length / made.length)
  const some = every.filter((_, index) => (index + seed) % share === 0)
  return [...made, ...some].map((document, index) => {
    validate(document)
    const refused = (validate.errors ?? []).map(({ instancePath, params }) => {
      const { additionalProperty: extra } = params as { additionalProperty?: string }
      return plain([...steps(instancePath), ...(extra === undefined ? [] : [extra])].join('.'))
    })
    const typesAt = (path: string) => misses.typesAt(document, path)
    return {
      subject,
      name: `${subject.apiVersion.replace('/', '-')}-${subject.kind}-${index}.json`,
      document,
      refused: [...new Set(refused)],
      typesAt,
    }
  })
}

const gates = enabledGatesOf(scheme)

/** Some kinds in a short run, all of them in a long one. */
const perKind = Math.max(10, Math.ceil(count / subjects.length))
const chooser = new Random(seed)
const chosen = [...subjects]
  .map((one) => [chooser.next(), one] as const)
  .sort(([a], [b]) => a - b)
  .slice(0, isEvery ? undefined : Math.ceil(count / perKind))
  .map(([, one]) => one)
const cases = chosen.flatMap((one, at) => casesOf(one, at * perKind, (at + 1) * perKind))
const texts = new Map(
  cases.map(({ name, document }) => [name, JSON.stringify(document, undefined, 1)]),
)

const byFile = (findings: readonly Finding[]) => {
  const found = new Map<string, Finding[]>()
  for (const one of findings) found.set(one.file, [...(found.get(one.file) ?? []), one])
  return found
}

const own = () => platformsOf('', [], assert.unreachable).slice(0, 1)
const definitions = 'definition.yaml'
const textOf = (name: string) =>
  name === definitions ? JSON.stringify(definition) : texts.get(name)

const validated = byFile(
  (
    await checkFiles(
      [definitions, ...texts.keys()].map((name) => ({ name, named: true })),
      { platforms: own(), configuration: await daemonConfiguration(), maxFileSize, texts: textOf },
    )
  ).findings,
)

/** What a document is refused for, and where; what files say of each other is no verdict about one. */
function errorsOf(
  name: string,
): readonly { readonly rule: string; readonly message: string; readonly path: string }[] {
  const found = validated.get(name) ?? []
  return found
    .filter(
      ({ rule, severity }) => severity === 'error' && !/^(reference|port|selector)\./.test(rule),
    )
    .map(({ rule, message, path = pathIn(message) }) => ({ rule, message, path: plain(path) }))
}

/** Findings about configuration files begin with the place. */
function pathIn(message: string): string {
  return /^([^\s:]+): /.exec(message)?.[1] ?? ''
}

test('the editor has the findings of orch validate, at the same places', async () => {
  const told = new Map<string, readonly Finding[]>()
  const configuration = await daemonConfiguration()
  await new Promise<void>((resolve, reject) => {
    const checker = new Checker({
      ...{ platforms: own(), configuration, maxFileSize, read: textOf },
      isOpen: () => false,
      checked: ({ name, findings }) => told.set(name, findings),
      learned: () => {},
      settled: () => void checker.close().then(resolve, reject),
      failed: reject,
    })
    checker.change([definitions, ...texts.keys()])
  })
  const shown = (all: readonly Finding[] = []) =>
    all.map(({ rule, at, message }) => `${at?.line}:${at?.column} ${rule} ${message}`)
  for (const { name } of cases)
    assert.equal(shown(told.get(name)), shown(validated.get(name)), name)
})

/** A place without what some checks of the release leave out, indexes of items, and what they say twice. */
const loose = (path: string) =>
  path.replace(/\.\d+(?=\.|$)/g, '').replace(/(^|\.)(\w+)\.\2(?=\.|$)/g, '$1$2')

/** True if one place is the other, or holds it. */
function isNear(one: string, other: string): boolean {
  const [a, b] = [loose(one), loose(other)]
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return short === '' || long === short || long.startsWith(`${short}.`)
}

test('what a published schema refuses orch validate refuses, at that place, but what a server drops', () => {
  const wrong = cases.flatMap(({ subject, name, document, refused }) => {
    const errors = errorsOf(name)
    const dropped = droppedFrom(subject, document)
    const missed = refused
      .filter((path) => !isPassedOver(subject, document, path))
      .filter((path) => !dropped.some((one) => isNear(one, path)))
      .filter((path) => !errors.some((one) => isNear(one.path, path)))
    return missed.length === 0
      ? []
      : [`${missed} of ${JSON.stringify(document)}; told ${errors.map(({ message }) => message)}`]
  })
  assert.equal(wrong, [])
})

/** An empty policy of a class is no value of its type; servers of the release take it all the same, and so do ours. */
function isPassedOver({ kind }: Subject, document: JsonObject, path: string): boolean {
  return kind === 'StorageClass' && path === 'reclaimPolicy' && document.reclaimPolicy === ''
}

/** Fields whose gates are off, and managed fields, which count only if all of them are right. */
function droppedFrom(subject: Subject, document: JsonObject): readonly string[] {
  const kind = kindOf(subject)
  const off = kind && dropDisabledFields(gates, kind, document as unknown as ApiObject)
  return ['metadata.managedFields', ...(off?.dropped ?? []).map(plain)]
}

test('a type or a name that orch validate refuses a published schema refuses', () => {
  const wrong = cases.flatMap(({ name, document, refused, typesAt }) =>
    errorsOf(name)
      .filter(({ rule, message }) => rule === 'field.unknown' || isOfType(rule, message))
      .filter(({ path }) => !refused.some((one) => isNear(one, path)))
      .filter(({ path }) => !typesAt(path).some((one) => open.has(one)))
      .map(({ message }) => `${message} of ${JSON.stringify(document)}`),
  )
  assert.equal(wrong, [])
})

/** Definitions are refused by such words for values of their own schemas, too. */
function isOfType(rule: string, message: string): boolean {
  const isJsonType = /must be of type (object|array|string|integer|number|boolean):/.test(message)
  const isWhole = /^[^:]+: must be /.test(message) || isJsonType
  return rule === 'field.type' && isWhole && !message.startsWith('spec.validation')
}

test('what orch validate alone refuses is on the list of what schemas do not say', () => {
  const wrong = cases.flatMap(({ name, document, refused, typesAt }) =>
    errorsOf(name)
      .filter(({ path }) => !refused.some((one) => isNear(one, path)))
      .filter(({ path }) => !typesAt(path).some((one) => leftOut.has(one)))
      .map(
        ({ rule, message, path }) =>
          `${rule} ${message} (${typesAt(path)}) of ${JSON.stringify(document)}`,
      ),
  )
  assert.equal(wrong, [])
})

test('what the reader of a kind refuses orch validate refuses, but in fields whose gates are off', () => {
  for (const { subject, name, document } of cases) {
    const kind = kindOf(subject)
    if (kind === undefined) continue
    const report = createReport()
    kind.read(document, report)
    const off = dropDisabledFields(gates, kind, document as unknown as ApiObject)
    const errors = report.errors.filter(
      ({ path }) =>
        !isDropped(off, path) &&
        !path.startsWith('metadata.managedFields') &&
        !isPassedOver(subject, document, path),
    )
    const told = errorsOf(name).map(({ path }) => path)
    const missed = report.typeErrors.filter(({ path }) => !told.includes(plain(path)))
    assert.equal(missed, [], `${name} ${JSON.stringify(document)}`)
    // Where a field is refused as a whole, nothing is said of what is in it.
    assert.ok(errors.length === 0 || told.length > 0, `${name} ${JSON.stringify(document)}`)
  }
})

function kindOf({ apiVersion, kind }: Subject): AnyKind | undefined {
  return Object.values(scheme.routes).find(
    (one) => one.kind === kind && apiVersionOf(one) === apiVersion,
  )
}

test('a server refuses what orch validate refuses, and names the same places', async () => {
  const server = await startApiServer({
    scheme,
    storage: { kind: 'memory' },
    clock: systemClock,
    log: silentLog,
    admission: { only: [] },
  })
  const send = async (method: string, path: string, value?: unknown) => {
    const body = value === undefined ? '' : JSON.stringify(value)
    const answered = await server.dispatch({ method, path, body, headers: {} })
    const text = await new Response(ReadableStream.from(answered.body)).text()
    return { ...(text.startsWith('{') && JSON.parse(text)), code: answered.status }
  }
  const wrong: string[] = []
  try {
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } })
    await send('POST', `/apis/${definition.apiVersion}/customresourcedefinitions`, definition)
    await until('the kind is served', async () => (await send('GET', pipes)).code === 200)
    for (const { subject, name, document } of cases) {
      const path = subject.kind === pipe.kind ? pipes : pathOf(kindOf(subject))
      if (path === undefined) continue
      const { namespace = 'shop' } = (document.metadata ?? {}) as { namespace?: unknown }
      // A request says where an object goes, and all go to the same place.
      if (namespace !== 'shop') continue
      const errors = errorsOf(name)
      const answer = await send('POST', `${path}?dryRun=All&fieldValidation=Strict`, document)
      // Versions that are off by default are none of a server's kinds.
      if (answer.code === 404) continue
      // Which address families there are is known of a cluster alone.
      if (answer.message?.includes('not configured on this cluster')) continue
      const difference = differenceOf(answer, errors)
      if (difference !== undefined) {
        const said = `${answer.code} ${answer.message}`
        wrong.push(
          `${difference}: server ${said}; files ${errors.map(({ message }) => message)}; ${JSON.stringify(document)}`,
        )
      }
    }
  } finally {
    await server.stop()
  }
  assert.equal(wrong, [])
})

interface Answer {
  readonly code: number
  readonly message?: string
  readonly details?: {
    readonly causes?: readonly { readonly field?: string; readonly message?: string }[]
  }
}

function differenceOf(
  { code, message = '', details }: Answer,
  errors: ReturnType<typeof errorsOf>,
): string | undefined {
  if (code < 300) return errors.length === 0 ? undefined : 'the server takes it'
  if (errors.length === 0) return 'the server alone refuses it'
  const paths = errors.map(({ path }) => path)
  if (code === 400) return differenceOfTexts(plain(message), errors)
  const causes = details?.causes ?? []
  const missed = causes.filter(
    ({ field = '' }) => !paths.includes(field === '<nil>' ? '' : plain(field)),
  )
  return missed.length === 0 ? undefined : `${missed.map(({ field }) => field)} is not told`
}

/** What a server cannot read it tells in the words of its parser, most of which name no place; unknown fields it names. */
function differenceOfTexts(
  message: string,
  errors: ReturnType<typeof errorsOf>,
): string | undefined {
  if (!message.includes('strict decoding error: ')) {
    return errors.some(({ rule }) => rule === 'field.type') ? undefined : 'it can be read'
  }
  const unknown = errors.filter(({ rule }) => rule === 'field.unknown')
  const isTold =
    unknown.length > 0 &&
    unknown.every(({ path }) => message.includes(JSON.stringify(path).slice(1, -1)))
  return isTold ? undefined : 'the place differs'
}

const pipes = '/apis/example.com/v1/namespaces/shop/pipes'

function pathOf(kind: AnyKind | undefined): string | undefined {
  if (kind?.verbs.includes('create') !== true) return undefined
  const prefix = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  const space = kind.scope === 'Namespaced' ? '/namespaces/shop' : ''
  return `${prefix}${space}/${kind.plural}`
}

test('the documents are of many kinds, some right and some wrong', () => {
  const wrong = cases.filter(({ name }) => errorsOf(name).length > 0).length
  console.log(`${cases.length} documents of ${chosen.length} kinds, ${wrong} wrong`)
  assert.ok(wrong > cases.length / 4 && wrong < cases.length * 0.9)
})

test.run()
