/** Objects of every kind: samples with some of their fields absent, null, empty, at a bound, of a wrong type or set beside others. */

import type { Api, KindFacts } from '../../../codegen/schema/ir.ts'
import { hasSubresource } from '../../../runtime/kernel/descriptors/kind.ts'
import type { Json, JsonObject } from '../../../runtime/kernel/values/json.ts'
import type { Random } from '../random.ts'
import type { Scenario, ScenarioClass, ScenarioContext, Step } from '../scenario.ts'
import { SchemaValues } from '../schema-values.ts'
import { placesOf, withValue } from '../value-places.ts'
import { collectionPath, type KindSample, kindSamples } from './kind-samples.ts'
import { creation, inOwnNamespace, removal } from './own-namespace.ts'

/** One object of a kind, changed a little from a sample: created, read, replaced and deleted. */
export const objects: ScenarioClass = {
  name: 'objects',
  about: 'objects of every kind with odd fields: create, read, replace, status, delete',
  before: ({ namespace }) => withLimits(limitedIn(namespace)),
  after: ({ namespace }) => removal(limitedIn(namespace)),
  prepare: (context) => {
    const samples = kindSamples(context.api)
    return (random, name, index) => {
      const sample = random.pick(samples)
      const made = (namespace: string) => scenario({ ...context, namespace }, sample, random, name)
      if (actsOnOthers.test(sample.kind.kind)) return inOwnNamespace(context.namespace, name, made)
      return made(index % 8 === 0 ? limitedIn(context.namespace) : context.namespace)
    }
  },
}

/** Kinds whose objects change what becomes of others in their namespace. */
const actsOnOthers = /^(ResourceQuota|LimitRange)$/

/** The field by which an object acts on those of all namespaces. */
const everywhere = 'globalDefault'

/** The namespace whose objects are limited. */
function limitedIn(namespace: string): string {
  return `${namespace}-limited`
}

/** A namespace with limits for what is made there. */
function withLimits(namespace: string): readonly Step[] {
  const of = (type: string, limits: JsonObject): JsonObject => ({ type, ...limits })
  const limits = [
    of('Container', {
      default: { cpu: '1', memory: '1Gi' },
      defaultRequest: { cpu: '100m' },
      min: { cpu: '1m' },
      max: { cpu: '2', memory: '4Gi' },
      maxLimitRequestRatio: { cpu: '20' },
    }),
    of('Pod', { max: { cpu: '3', 'ephemeral-storage': '10Gi' } }),
    of('PersistentVolumeClaim', { min: { storage: '1Gi' }, max: { storage: '20Gi' } }),
  ]
  const body = {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'limits' },
    spec: { limits },
  }
  const path = `/api/v1/namespaces/${namespace}/limitranges`
  return [creation(namespace), { method: 'POST', path, body }]
}

/** Objects of these groups change what a server does for others: they are only tried. */
const tried = /^(admissionregistration|apiextensions|apiregistration|flowcontrol)/

/** The steps of one object. */
function scenario(
  { api, namespace }: ScenarioContext,
  { kind, samples }: KindSample,
  random: Random,
  name: string,
): Scenario {
  const subject = `${kind.kind}.${kind.version}.${kind.group}`
  const collection = collectionPath(kind, namespace)
  const object = oddObject(api, kind, named(random.pick(samples), name), random)
  const dry = tried.test(kind.group) || kind.kind === 'Namespace' || random.chance(0.7)
  const query = { ...validation(random), ...(dry && { dryRun: 'All' }) }
  const create: Step = { method: 'POST', path: collection, query, body: kept(object, dry) }
  if (dry || !kind.verbs.includes('update')) return { subject, steps: [create] }
  return {
    subject,
    steps: [create, ...afterwards(api, kind, `${collection}/${name}`, object, random)],
  }
}

/** What is asked once the object is there. */
function afterwards(
  api: Api,
  kind: KindFacts,
  path: string,
  object: JsonObject,
  random: Random,
): readonly Step[] {
  const replace: Step = { method: 'PUT', path, body: kept(oddObject(api, kind, object, random)) }
  const status: Step = {
    method: 'PUT',
    path: `${path}/status`,
    body: oddObject(api, kind, object, random, 'status'),
  }
  const hasStatus = hasSubresource(kind, 'status')
  return [
    { method: 'GET', path },
    replace,
    ...(hasStatus ? [status] : []),
    { method: 'DELETE', path, query: { gracePeriodSeconds: '0' } },
    ...forcedAway(path),
  ]
}

/** An object as it is stored: what one stores may not act on what others are answered. */
function kept(object: JsonObject, dry = false): JsonObject {
  if (dry || object[everywhere] === undefined) return object
  const { [everywhere]: _, ...rest } = object
  return rest
}

/** Takes away an object that finalizers hold. */
export function forcedAway(path: string): readonly Step[] {
  const patch = { metadata: { finalizers: null } }
  return [
    { method: 'PATCH', path, type: 'application/merge-patch+json', body: patch, silent: true },
    { method: 'DELETE', path, query: { gracePeriodSeconds: '0' }, silent: true },
  ]
}

/** Field validation is Warn unless a request says otherwise. */
function validation(random: Random): Readonly<Record<string, string>> {
  return random.chance(0.3) ? { fieldValidation: random.pick(['Strict', 'Warn', 'Ignore']) } : {}
}

/** A sample under a name of its own, in the namespace of the path. */
function named(sample: JsonObject, name: string): JsonObject {
  const { namespace: _, ...metadata } = sample.metadata as JsonObject
  return { ...sample, metadata: { ...metadata, name } }
}

/** The object with none to three of its fields odd; `within` limits them to one of its fields. */
export function oddObject(
  api: Api,
  kind: KindFacts,
  object: JsonObject,
  random: Random,
  within?: string,
): JsonObject {
  const values = new SchemaValues(api, random)
  const root = values.struct(kind.type)
  if (root === undefined) return object
  const changes = random.pick([0, 1, 1, 1, 2, 3])
  let odd: Json =
    within === undefined || object[within] !== undefined ? object : { ...object, [within]: {} }
  for (let change = 0; change < changes; change += 1) {
    const places = placesOf(values, odd as JsonObject, root).filter(
      ({ path }) => path[0] === within || (within === undefined && allowed(path)),
    )
    if (places.length === 0) break
    const place = random.pick(places)
    odd = withValue(odd, place.path, values.odd(place.type))
  }
  return odd as JsonObject
}

/** Names stay what they are, so that no scenario meets the object of another; managed fields are for sequences. */
function allowed(path: readonly (string | number)[]): boolean {
  const [first, second] = path
  if (first !== 'metadata') return true
  return (
    second !== undefined &&
    second !== 'name' &&
    second !== 'generateName' &&
    second !== 'managedFields' &&
    second !== 'namespace'
  )
}
