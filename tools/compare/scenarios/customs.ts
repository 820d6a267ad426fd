/** Custom objects that several managers write, in every version and by every kind of write, with the events of that. */
import type { Json, JsonObject } from '../../../runtime/kernel/values/json.ts'
import type { Random } from '../random.ts'
import type { Scenario, ScenarioClass, Step } from '../scenario.ts'
import { type CustomKind, customKinds, customPath, installed, removed } from './custom-kinds.ts'
import { forcedAway } from './objects.ts'
import { inOwnNamespace } from './own-namespace.ts'
import { fittingValue } from './random-schema.ts'

/** Sequences of writes to custom objects: their definitions are installed once, at the start. */
export const customs: ScenarioClass = {
  name: 'customs',
  about: 'custom objects: apply, update, patches, status, scale and delete by several managers',
  before: ({ namespace }) => installed(customKinds(namespace), namespace),
  after: ({ namespace }) => removed(customKinds(namespace)),
  prepare: (context) => {
    const kinds = customKinds(context.namespace)
    return (random, name) =>
      inOwnNamespace(context.namespace, name, (namespace) =>
        new CustomSequence(random.pick(kinds), random, namespace, name).scenario(),
      )
  },
}

const managers = ['first', 'second', 'third']
const accepts = [
  'application/json',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/yaml',
]

/** The steps of one scenario as they are chosen. */
class CustomSequence {
  readonly #kind: CustomKind
  readonly #random: Random
  readonly #namespace: string
  readonly #name: string

  constructor(kind: CustomKind, random: Random, namespace: string, name: string) {
    this.#kind = kind
    this.#random = random
    this.#namespace = namespace
    this.#name = name
  }

  scenario(): Scenario {
    const { kind, parts } = this.#kind
    const writes = Array.from({ length: 2 + this.#random.below(6) }, () => this.#write())
    const path = this.#path()
    const get: Step = {
      method: 'GET',
      path,
      accept: this.#random.pick(accepts),
      ignores: ['description'],
    }
    return {
      subject: `custom ${kind}`,
      anyOrder: true,
      oneObject: true,
      steps: [
        this.#start(),
        ...writes,
        ...(parts && this.#random.chance(0.3)
          ? [{ method: 'GET', path: `${path}/scale` } as Step]
          : []),
        get,
        this.#end(),
        ...forcedAway(path),
        this.#events(),
      ],
    }
  }

  #collection(): string {
    return customPath(this.#kind, this.#version(), this.#namespace)
  }

  #path(): string {
    return `${this.#collection()}/${this.#name}`
  }

  #version(): string {
    return this.#random.pick(this.#kind.versions)
  }

  #start(): Step {
    if (this.#random.chance(0.5)) return this.#apply(this.#path(), this.#object())
    const path = this.#collection()
    return { method: 'POST', path, query: this.#options(), body: this.#typed(path, this.#object()) }
  }

  #write(): Step {
    const path = this.#path()
    const { parts } = this.#kind
    const random = this.#random
    const made: readonly (() => Step)[] = [
      () => this.#apply(path, this.#object()),
      () => this.#apply(path, this.#object()),
      () => this.#put(path, this.#object()),
      () => this.#patch(path, 'merge-patch+json', this.#part()),
      () => this.#patch(path, 'json-patch+json', this.#operations()),
      ...(parts ? [() => this.#status(`${path}/status`), () => this.#scale(`${path}/scale`)] : []),
      ...(random.chance(0.1)
        ? [() => this.#patch(path, 'strategic-merge-patch+json', this.#part())]
        : []),
    ]
    return random.pick(made)()
  }

  #apply(path: string, object: JsonObject): Step {
    const force = this.#random.chance(0.4) ? { force: 'true' } : {}
    const query = { ...this.#options(), ...force }
    return {
      method: 'PATCH',
      path,
      type: 'application/apply-patch+yaml',
      query,
      body: this.#typed(path, object),
    }
  }

  #put(path: string, object: JsonObject): Step {
    const bound = this.#random.chance(0.8) ? { resourceVersion: '$resourceVersion' } : {}
    const { metadata, ...rest } = this.#typed(path, object)
    const body = { ...rest, metadata: { ...(metadata as JsonObject), ...bound } }
    return { method: 'PUT', path, query: this.#options(), body }
  }

  #patch(path: string, type: string, body: Json): Step {
    return { method: 'PATCH', path, type: `application/${type}`, query: this.#options(), body }
  }

  #status(path: string): Step {
    const status = this.#value('status')
    return this.#random.pick([
      () => this.#apply(path, { status }),
      () => this.#patch(path, 'merge-patch+json', { status }),
      () => this.#put(path, { ...this.#object(), status }),
    ])()
  }

  #scale(path: string): Step {
    const spec = { replicas: this.#random.pick<Json>([0, 1, 5, -1, null, 'x']) }
    return this.#random.pick([
      () => this.#patch(path, 'merge-patch+json', { spec }),
      (): Step => ({
        method: 'PUT',
        path,
        query: this.#options(),
        body: { metadata: { name: this.#name }, spec },
      }),
      (): Step => ({
        method: 'PATCH',
        path,
        type: 'application/apply-patch+yaml',
        query: this.#options(),
        body: {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name: this.#name },
          spec,
        },
      }),
    ])()
  }

  #end(): Step {
    const random = this.#random
    const options = random.pick<JsonObject>([
      {},
      {},
      { propagationPolicy: 'Background' },
      { propagationPolicy: 'Foreground' },
      { propagationPolicy: 'Orphan' },
      { preconditions: { uid: '$uid' } },
      { preconditions: { uid: 'x' } },
      { preconditions: { resourceVersion: '$resourceVersion' } },
      { preconditions: { resourceVersion: '$firstRevision' } },
      { orphanDependents: false },
      { dryRun: ['All'] },
    ])
    return { method: 'DELETE', path: this.#path(), body: options }
  }

  #events(): Step {
    const query = {
      watch: '1',
      fieldSelector: `metadata.name=${this.#name}`,
      resourceVersion: '$firstRevision',
      timeoutSeconds: '2',
    }
    return { method: 'GET', path: this.#collection(), query, until: 'DELETED' }
  }

  #options(): Readonly<Record<string, string>> {
    const random = this.#random
    return {
      fieldManager: random.pick(managers),
      ...(random.chance(0.15) && { fieldValidation: random.pick(['Strict', 'Ignore', 'Warn']) }),
      ...(random.chance(0.05) && { dryRun: 'All' }),
    }
  }

  /** A value for one of the object's own fields. */
  #value(field: string): Json {
    const { properties } = this.#kind.schema as { properties: Record<string, JsonObject> }
    return fittingValue(this.#random, properties[field] ?? {})
  }

  /** A part of an object: some of its fields, labels and finalizers. */
  #part(): JsonObject {
    const random = this.#random
    return {
      ...(random.chance(0.8) && { spec: this.#value('spec') }),
      ...(random.chance(0.2) && { status: this.#value('status') }),
      ...(random.chance(0.4) && { metadata: this.#metadata() }),
    }
  }

  #metadata(): JsonObject {
    const random = this.#random
    return {
      ...(random.chance(0.6) && {
        labels: random.pick<Json>([{ a: 'b' }, { a: 'c', b: 'c' }, null]),
      }),
      ...(random.chance(0.3) && { annotations: random.pick<Json>([{ a: 'b' }, {}, { a: null }]) }),
      ...(random.chance(0.15) && { finalizers: random.pick<Json>([['example.com/a'], [], null]) }),
    }
  }

  #object(): JsonObject {
    const { metadata, ...rest } = this.#part()
    return { ...rest, metadata: { ...(metadata as JsonObject | undefined), name: this.#name } }
  }

  #typed(path: string, object: JsonObject): JsonObject {
    const { group, kind } = this.#kind
    const version = path.split('/')[3]
    return {
      ...object,
      metadata: { ...(object.metadata as JsonObject | undefined), name: this.#name },
      apiVersion: `${group}/${version}`,
      kind,
    }
  }

  #operations(): Json {
    const random = this.#random
    return Array.from({ length: 1 + random.below(2) }, (): JsonObject => {
      const path = random.pick([
        '/spec',
        '/spec/replicas',
        '/spec/items',
        '/spec/items/0',
        '/spec/items/-',
        '/spec/tags/-',
        '/spec/byName',
        '/spec/free',
        '/spec/label',
        '/metadata/labels',
        '/metadata/labels/a',
        '/status',
        '/nothing',
      ])
      const op = random.pick(['add', 'replace', 'remove', 'test', 'copy', 'move'])
      if (op === 'remove') return { op, path }
      if (op === 'copy' || op === 'move') return { op, from: '/spec/tags', path }
      return { op, path, value: random.pick<Json>(['a', 1, null, {}, [], { name: 'a' }, ['b']]) }
    })
  }
}
