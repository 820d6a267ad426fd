/** Writes of several managers to one object: apply, update, patches, status, scale and delete, with what each event showed. */

import type { Api } from '../../../codegen/schema/ir.ts'
import { hasSubresource } from '../../../runtime/kernel/descriptors/kind.ts'
import type { Json, JsonObject } from '../../../runtime/kernel/values/json.ts'
import { escapedStep } from '../../../runtime/kernel/values/json-pointer.ts'
import type { Random } from '../random.ts'
import type { Scenario, ScenarioClass, ScenarioContext, Step } from '../scenario.ts'
import { SchemaValues } from '../schema-values.ts'
import { placesOf, type ValuePlace, withValue } from '../value-places.ts'
import { collectionPath, type KindSample, kindSamples } from './kind-samples.ts'
import { forcedAway, oddObject } from './objects.ts'
import { inOwnNamespace } from './own-namespace.ts'

/** Several managers that write one object in turn, by every kind of patch, with what each of them owns after it. */
export const sequences: ScenarioClass = {
  name: 'sequences',
  about: 'apply, update, patches, status, scale and delete of one object by several managers',
  prepare: (context) => {
    const samples = kindSamples(context.api).filter(({ kind }) => writable(kind))
    return (random, name) =>
      inOwnNamespace(context.namespace, name, (namespace) =>
        new Sequence({ ...context, namespace }, random.pick(samples), random, name).scenario(),
      )
  },
}

/** Groups whose objects act on other requests: they are left out. */
const tried = /^(admissionregistration|apiextensions|apiregistration|flowcontrol|internal)/

/** True for a kind that managers can share. */
function writable({ group, kind, verbs }: KindSample['kind']): boolean {
  return verbs.includes('patch') && !tried.test(group) && kind !== 'Namespace'
}

/** The field by which an object acts on those of all namespaces. */
const everywhere = 'globalDefault'

/** Field managers that take turns. */
const managers = ['first', 'second', 'third']

/** The steps of one scenario as they are chosen. */
class Sequence {
  readonly #api: Api
  readonly #kind: KindSample['kind']
  readonly #base: JsonObject
  readonly #random: Random
  readonly #collection: string
  readonly #path: string
  readonly #name: string

  constructor(
    { api, namespace }: ScenarioContext,
    { kind, samples }: KindSample,
    random: Random,
    name: string,
  ) {
    const sample = random.pick(samples)
    const { namespace: _, ...metadata } = sample.metadata as JsonObject
    const { [everywhere]: __, ...own } = sample
    this.#api = api
    this.#kind = kind
    this.#random = random
    this.#base = { ...own, metadata: { ...metadata, name } }
    this.#collection = collectionPath(kind, namespace)
    this.#path = `${this.#collection}/${name}`
    this.#name = name
  }

  scenario(): Scenario {
    const { kind, version, group } = this.#kind
    const writes = Array.from({ length: 2 + this.#random.below(5) }, () => this.#write())
    const steps = [
      this.#start(),
      ...writes,
      { method: 'GET', path: this.#path } as Step,
      this.#end(),
    ]
    return {
      subject: `${kind}.${version}.${group}`,
      oneObject: true,
      steps: [...steps, ...forcedAway(this.#path), this.#events()],
    }
  }

  #start(): Step {
    if (this.#random.chance(0.5)) return this.#apply(this.#base)
    return { method: 'POST', path: this.#collection, query: this.#manager(), body: this.#base }
  }

  #end(): Step {
    const policy = this.#random.pick([undefined, 'Background', 'Orphan', 'Foreground'])
    const query = {
      gracePeriodSeconds: '0',
      ...(policy !== undefined && { propagationPolicy: policy }),
    }
    return { method: 'DELETE', path: this.#path, query }
  }

  /** What a watcher saw of all that, from the first revision on. */
  #events(): Step {
    const fieldSelector = `metadata.name=${this.#name}`
    const query = {
      watch: '1',
      fieldSelector,
      resourceVersion: '$firstRevision',
      timeoutSeconds: '2',
    }
    return { method: 'GET', path: this.#collection, query, until: 'DELETED' }
  }

  #manager(): Readonly<Record<string, string>> {
    return { fieldManager: this.#random.pick(managers) }
  }

  #write(): Step {
    const made = [
      () => this.#apply(this.#variant(this.#base)),
      () => this.#apply(this.#part()),
      () => this.#put(),
      () => this.#patch('application/merge-patch+json', this.#mergePatch()),
      () => this.#patch('application/strategic-merge-patch+json', this.#mergePatch()),
      () => this.#patch('application/json-patch+json', this.#jsonPatch()),
      () => this.#status(),
      () => this.#scale(),
    ]
    return this.#random.pick(made)()
  }

  #apply(object: JsonObject): Step {
    const force = this.#random.chance(0.4) ? { force: 'true' } : {}
    return this.#patch('application/apply-patch+yaml', object, { ...this.#manager(), ...force })
  }

  #patch(type: string, body: Json, query = this.#manager(), path = this.#path): Step {
    return { method: 'PATCH', path, type, query, body }
  }

  #put(): Step {
    const object = this.#variant(this.#base)
    const metadata = object.metadata as JsonObject
    const bound = this.#random.chance(0.5)
      ? { ...metadata, resourceVersion: '$resourceVersion' }
      : metadata
    return {
      method: 'PUT',
      path: this.#path,
      query: this.#manager(),
      body: { ...object, metadata: bound },
    }
  }

  #status(): Step {
    if (!hasSubresource(this.#kind, 'status')) return this.#put()
    const object = oddObject(this.#api, this.#kind, this.#base, this.#random, 'status')
    const path = `${this.#path}/status`
    const { spec: _, ...rest } = object
    return this.#random.pick([
      () =>
        this.#patch(
          'application/apply-patch+yaml',
          rest,
          { ...this.#manager(), force: 'true' },
          path,
        ),
      () =>
        this.#patch('application/merge-patch+json', { status: rest.status ?? {} }, undefined, path),
      () => ({ method: 'PUT', path, query: this.#manager(), body: object }) as Step,
    ])()
  }

  #scale(): Step {
    if (!hasSubresource(this.#kind, 'scale')) return this.#put()
    const body = { spec: { replicas: this.#random.pick<Json>([0, 1, 5, -1, null]) } }
    return this.#patch('application/merge-patch+json', body, this.#manager(), `${this.#path}/scale`)
  }

  /** The object with one or two plausible changes. */
  #variant(object: JsonObject): JsonObject {
    const values = new SchemaValues(this.#api, this.#random)
    let made: Json = object
    for (const place of this.#places(values, object)) {
      const value = this.#random.chance(0.2) ? undefined : values.plausible(place.type)
      made = withValue(made, place.path, value)
    }
    return made as JsonObject
  }

  #places(values: SchemaValues, object: JsonObject): readonly ValuePlace[] {
    const root = values.struct(this.#kind.type)
    if (root === undefined) return []
    const places = placesOf(values, object, root).filter(({ path }) => changeable(path))
    return Array.from({ length: 1 + this.#random.below(2) }, () => this.#random.pick(places))
  }

  /** An applied configuration that says little: the identity and one part of the object. */
  #part(): JsonObject {
    const { apiVersion, kind, metadata, ...rest } = this.#variant(this.#base)
    const { name, labels, annotations } = metadata as JsonObject
    const [key, value] = this.#random.pick([
      ['labels', labels ?? { part: 'x' }],
      ['annotations', annotations ?? { part: 'x' }],
    ] as const)
    const content = this.#random.chance(0.5) ? rest : {}
    return {
      apiVersion: apiVersion as Json,
      kind: kind as Json,
      metadata: { name: name as Json, [key]: value as Json },
      ...content,
    }
  }

  #mergePatch(): JsonObject {
    const values = new SchemaValues(this.#api, this.#random)
    const patches = this.#places(values, this.#base).map(({ path, type }) => {
      const value = this.#random.chance(0.25) ? null : values.plausible(type)
      return path.every((step) => typeof step === 'string') ? nested(path, value) : {}
    })
    return Object.assign({}, ...patches)
  }

  #jsonPatch(): Json {
    const values = new SchemaValues(this.#api, this.#random)
    return this.#places(values, this.#base).map(({ path, type }) => {
      const pointer = `/${path.map((step) => escapedStep(String(step))).join('/')}`
      const op = this.#random.pick(['add', 'replace', 'remove', 'test', 'copy', 'move'])
      if (op === 'remove') return { op, path: pointer }
      if (op === 'copy' || op === 'move') return { op, from: pointer, path: `${pointer}-` }
      return { op, path: pointer, value: values.plausible(type) }
    })
  }
}

/** A value at a path, as a patch says it. */
function nested(path: ValuePlace['path'], value: Json): JsonObject {
  return path.reduceRight<Json>((inner, step) => ({ [step]: inner }), value) as JsonObject
}

/** False for what the server alone writes. */
function changeable(path: ValuePlace['path']): boolean {
  const [first, second] = path
  if (first === 'status' || first === everywhere) return false
  return (
    first !== 'metadata' ||
    second === 'labels' ||
    second === 'annotations' ||
    second === 'finalizers'
  )
}
