/** Lists, watches and deletions of collections with all their options, of a few objects in every form that a client may ask for. */
import type { Json, JsonObject } from '../../../runtime/kernel/values/json.ts'
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
const listForms = [...forms, `application/json;as=PartialObjectMetadataList;${meta}`]
const watchForms = [
  'application/json',
  `application/json;as=Table;${meta}`,
  `application/json;as=PartialObjectMetadata;${meta}`,
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
  const made = (at: number): Step => {
    const labels = { case: name, ...random.pick<JsonObject>([{}, { a: 'x' }, { a: 'y' }]) }
    const { namespace: _, ...metadata } = sample.metadata as JsonObject
    const body = { ...sample, metadata: { ...metadata, name: `${name}-${at}`, labels } }
    return { method: 'POST', path, body, silent: true }
  }
  const list = (): Step => {
    const everywhere = random.chance(0.2)
    const selection = everywhere
      ? { labelSelector: `case=${name}` }
      : selected(random, namespace, name)
    return {
      ...shared,
      method: 'GET',
      path: everywhere ? all : path,
      accept: random.pick(listForms),
      query: { ...selection, ...(!everywhere && paged(random)), ...shown(random) },
    }
  }
  const change: Step = {
    method: 'PATCH',
    path: `${path}/${name}-${random.below(4)}`,
    type: 'application/merge-patch+json',
    body: { metadata: { labels: { a: random.pick<Json>(['x', 'y', null]) } } },
    silent: true,
  }
  const deletion: Step = {
    ...shared,
    method: 'DELETE',
    path,
    accept: random.pick(listForms),
    query: { gracePeriodSeconds: '0', ...selected(random, namespace, name), ...limited(random) },
    ...(random.chance(0.5) && { body: random.pick(deletions) }),
  }
  const watch: Step = {
    ...shared,
    method: 'GET',
    path,
    accept: random.pick(watchForms),
    query: {
      watch: '1',
      resourceVersion: '$firstRevision',
      timeoutSeconds: '1',
      ...selected(random, namespace, name),
      ...shown(random),
      ...(random.chance(0.1) && { sendInitialEvents: random.pick(['true', 'false']) }),
      ...(random.chance(0.1) && { resourceVersionMatch: 'NotOlderThan' }),
    },
  }
  return {
    subject: `${kind.kind}.${kind.version}.${kind.group}`,
    steps: [
      ...Array.from({ length: 4 }, (_, at) => made(at)),
      ...Array.from({ length: 1 + random.below(3) }, list),
      change,
      list(),
      ...(random.chance(0.7) ? [deletion, list()] : []),
      watch,
      { method: 'DELETE', path, query: { gracePeriodSeconds: '0' }, silent: true },
    ],
  }
}

/** Bodies of deletions. */
const deletions: readonly JsonObject[] = [
  {},
  { gracePeriodSeconds: 0 },
  { dryRun: ['All'] },
  { propagationPolicy: 'Background' },
  { propagationPolicy: 'Orphan' },
  { preconditions: { uid: 'x' } },
  { preconditions: { resourceVersion: '$resourceVersion' } },
]

type Query = Readonly<Record<string, string>>

function selected(random: Random, namespace: string, name: string): Query {
  return {
    ...(random.chance(0.4) && {
      labelSelector: random.pick([
        'a=x',
        'a!=x',
        'a in (x,y)',
        'a notin (y)',
        '!a',
        'a',
        'a=x,case',
      ]),
    }),
    ...(random.chance(0.3) && {
      fieldSelector: random.pick([
        `metadata.name=${name}-1`,
        `metadata.name!=${name}-1`,
        `metadata.namespace=${namespace}`,
        'metadata.namespace=other',
        `metadata.name=${name}-1,metadata.namespace=${namespace}`,
        'spec.nodeName=',
        'status.phase=Pending',
        'type=Opaque',
      ]),
    }),
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
    { resourceVersion: '$firstRevision' },
    { resourceVersion: '$resourceVersion' },
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
