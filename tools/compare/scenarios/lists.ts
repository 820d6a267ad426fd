/** Lists, watches and deletions of collections with all their options, of a few objects in every form that a client may ask for. */

import { valueAtPath } from '../../../runtime/kernel/values/dotted-path.ts'
import type { Json, JsonObject } from '../../../runtime/kernel/values/json.ts'
import { protobufType } from '../protobuf.ts'
import type { Random } from '../random.ts'
import type { Scenario, ScenarioClass, Step } from '../scenario.ts'
import { collectionPath, type KindSample, kindSamples } from './kind-samples.ts'
import { inOwnNamespace } from './own-namespace.ts'

/** Some objects of one kind, listed, deleted and watched by what they are labelled and named. */
export const lists: ScenarioClass = {
  name: 'lists',
  about: 'lists, watches and deletions of collections with every option and media type',
  prepare: ({ api, namespace: parent }) => {
    const samples = kindSamples(api).filter(({ kind }) => listed(kind))
    return (random, name) =>
      inOwnNamespace(parent, name, (namespace) =>
        scenario(random.pick(samples), random, namespace, name),
      )
  },
}

/** Quotas are counted by a controller that the reference may run without. */
function listed({ scope, verbs, kind }: KindSample['kind']): boolean {
  return scope === 'Namespaced' && verbs.includes('deletecollection') && kind !== 'ResourceQuota'
}

const meta = 'v=v1;g=meta.k8s.io'
const forms = [
  'application/json',
  'application/json',
  `application/json;as=Table;${meta}`,
  `application/json;as=Table;${meta},application/json`,
]
const listForms = [
  ...forms,
  protobufType,
  `application/json;as=PartialObjectMetadataList;${meta}`,
  `${protobufType};as=PartialObjectMetadataList;${meta}`,
  `application/json;as=Table;${meta},${protobufType}`,
]
const watchForms = [
  'application/json',
  `application/json;as=Table;${meta}`,
  `application/json;as=PartialObjectMetadata;${meta}`,
  protobufType,
  `${protobufType};as=PartialObjectMetadata;${meta}`,
]
const shared: Partial<Step> = { ignores: ['description'] }

function scenario(
  { kind, samples }: KindSample,
  random: Random,
  namespace: string,
  name: string,
): Scenario {
  const path = collectionPath(kind, namespace)
  const all = collectionPath({ ...kind, scope: 'Cluster' }, namespace)
  const sample = random.pick(samples)
  const fields = fieldSelectors(kind, sample, namespace, name)
  const selection = (): Query => selected(random, fields)
  const made = (at: number): Step => {
    const labels = { case: namespace, ...random.pick<JsonObject>([{}, { a: 'x' }, { a: 'y' }]) }
    const { namespace: _, ...metadata } = sample.metadata as JsonObject
    const body = { ...sample, metadata: { ...metadata, name: `${name}-${at}`, labels } }
    return random.chance(0.4)
      ? { method: 'POST', path, body, type: protobufType, accept: random.pick(watchForms) }
      : { method: 'POST', path, body, silent: true }
  }
  const list = (): Step => {
    const everywhere = random.chance(0.2)
    const selectors = everywhere ? { labelSelector: `case=${namespace}` } : selection()
    return {
      ...shared,
      method: 'GET',
      path: everywhere ? all : path,
      accept: random.pick(listForms),
      ...zipped(random),
      query: { ...selectors, ...(!everywhere && paged(random)), ...shown(random) },
    }
  }
  const get: Step = {
    ...shared,
    method: 'GET',
    path: `${path}/${name}-${random.below(5)}`,
    accept: random.pick(watchForms),
    query: shown(random),
  }
  /** A list in chunks, while objects come, change and go. */
  const pages = (): readonly Step[] => {
    const accept = random.pick(listForms)
    const limit = random.pick(['1', '2', '3'])
    const page = (query: Query): Step => ({ ...shared, method: 'GET', path, accept, query })
    const gone: Step = {
      method: 'DELETE',
      path: `${path}/${name}-2`,
      query: { gracePeriodSeconds: '0' },
      silent: true,
    }
    return [
      page({ limit }),
      ...[made(9), { ...change, body: labelled('between pages') }, gone]
        .filter(() => random.chance(0.5))
        .map((step): Step => ({ ...step, silent: true })),
      page({ limit, continue: '$continue' }),
      page({ continue: '$continue' }),
    ]
  }
  // What changes nothing is a write of a claim or job there (decision 93).
  const labelled = (changed: string): JsonObject => ({
    metadata: { labels: { a: random.pick<Json>(['x', 'y', null]) }, annotations: { changed } },
  })
  const change: Step = {
    method: 'PATCH',
    path: `${path}/${name}-${random.below(4)}`,
    type: 'application/merge-patch+json',
    accept: random.pick(watchForms),
    body: labelled('late'),
    silent: true,
  }
  const deletion: Step = {
    ...shared,
    method: 'DELETE',
    path,
    accept: random.pick(listForms),
    query: { gracePeriodSeconds: '0', ...selection(), ...limited(random) },
    ...(random.chance(0.5) && { body: random.pick(deletions) }),
  }
  const watch: Step = {
    ...shared,
    method: 'GET',
    path,
    accept: random.pick(watchForms),
    ...zipped(random),
    query: {
      watch: '1',
      resourceVersion: '$firstRevision',
      ...(random.chance(0.1)
        ? { allowWatchBookmarks: 'true', timeoutSeconds: '3' }
        : { timeoutSeconds: '1' }),
      ...selection(),
      ...shown(random),
      ...(random.chance(0.1) && { sendInitialEvents: random.pick(['true', 'false']) }),
      ...(random.chance(0.1) && { resourceVersionMatch: 'NotOlderThan' }),
    },
  }
  return {
    subject: `${kind.kind}.${kind.version}.${kind.group}`,
    steps: [
      ...Array.from({ length: 4 }, (_, at) => made(at)),
      get,
      ...Array.from({ length: 1 + random.below(3) }, list),
      ...(random.chance(0.3) ? pages() : []),
      change,
      list(),
      ...(random.chance(0.7) ? [deletion, list()] : []),
      watch,
      { method: 'DELETE', path, query: { gracePeriodSeconds: '0' }, silent: true },
    ],
  }
}

/** Bodies of deletions. One that fits a single object is left out: objects are deleted beside each other until one does not fit. */
const deletions: readonly JsonObject[] = [
  {},
  { gracePeriodSeconds: 0 },
  { dryRun: ['All'] },
  { propagationPolicy: 'Background' },
  { propagationPolicy: 'Orphan' },
  { preconditions: { uid: 'x' } },
]

type Query = Readonly<Record<string, string>>

/** Now and then an answer that may be compressed. */
function zipped(random: Random): Pick<Step, 'headers'> {
  return random.chance(0.2) ? { headers: { 'accept-encoding': 'gzip' } } : {}
}

/** Selectors of the fields that all kinds have, of those that the kind has, and of those of others. */
function fieldSelectors(
  { selectableFields }: KindSample['kind'],
  sample: JsonObject,
  namespace: string,
  name: string,
): readonly string[] {
  const own = Object.entries(selectableFields).flatMap(([field, path]) => {
    const value = valueAtPath(sample, path)
    const known = typeof value === 'object' ? '' : String(value ?? '')
    return [`${field}=${known}`, `${field}!=${known}`, `${field}=x`, `${field}=`]
  })
  return [
    ...own,
    `metadata.name=${name}-1`,
    `metadata.name!=${name}-1`,
    `metadata.namespace=${namespace}`,
    'metadata.namespace=other',
    `metadata.name=${name}-1,metadata.namespace=${namespace}`,
    'spec.nodeName=',
    'status.phase=Pending',
    'type=Opaque',
  ]
}

const labelSelectors = ['a=x', 'a!=x', 'a in (x,y)', 'a notin (y)', '!a', 'a', 'a=x,case']

function selected(random: Random, fields: readonly string[]): Query {
  return {
    ...(random.chance(0.4) && { labelSelector: random.pick(labelSelectors) }),
    ...(random.chance(0.3) && { fieldSelector: random.pick(fields) }),
  }
}

function limited(random: Random): Query {
  return random.chance(0.3) ? { limit: random.pick(['1', '2', '100']) } : {}
}

function paged(random: Random): Query {
  const version = random.pick<Query>([
    {},
    {},
    { resourceVersion: '' },
    { resourceVersion: '$resourceVersion' },
    { resourceVersion: '$firstRevision', limit: '2' },
    { resourceVersion: '$resourceVersion', resourceVersionMatch: 'NotOlderThan' },
    { resourceVersion: '$firstRevision', resourceVersionMatch: 'Exact' },
    { resourceVersion: '$resourceVersion', resourceVersionMatch: 'Exact' },
    { resourceVersion: '0', resourceVersionMatch: 'Exact' },
    { resourceVersionMatch: 'Exact' },
  ])
  const next: Query = random.chance(0.25) ? { continue: '$continue' } : {}
  return {
    ...(random.chance(0.4) ? { limit: random.pick(['1', '2', '4', '0']) } : {}),
    ...version,
    ...next,
  }
}

function shown(random: Random): Query {
  return random.chance(0.2) ? { includeObject: random.pick(['None', 'Metadata', 'Object']) } : {}
}
