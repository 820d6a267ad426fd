/** Objects whose metadata is odd: each field of it with values of every type, by every kind of write, also in embedded resources. */
import type { Api } from '../../../codegen/schema/ir.ts'
import type { Json, JsonObject } from '../../../runtime/kernel/values/json.ts'
import type { Random } from '../random.ts'
import type { Scenario, ScenarioClass, Step } from '../scenario.ts'
import { type CustomKind, customPath, installed, removed } from './custom-kinds.ts'
import { collectionPath, kindSamples } from './kind-samples.ts'
import { forcedAway } from './objects.ts'
import { inOwnNamespace } from './own-namespace.ts'

/** What metadata may be wrong with is alike for all kinds, and decided in other places for the custom ones. */
export const metadata: ScenarioClass = {
  name: 'metadata',
  about: 'metadata with every field odd, by every kind of write; also that of embedded resources',
  before: ({ namespace }) => installed([holders(namespace)], namespace),
  after: ({ namespace }) => removed([holders(namespace)]),
  prepare: ({ api, namespace }) => {
    const builtIn = collectionsOf(api)
    const custom = holders(namespace)
    return (random, name) =>
      inOwnNamespace(namespace, name, (own) => {
        const collection = random.chance(0.5)
          ? customCollection(custom, own, random.chance(0.5))
          : random.pick(builtIn)(own)
        return oddWrite(collection, random, name)
      })
  },
}

/** Where objects of a kind are written, and how one is made. */
interface Collection {
  readonly subject: string
  readonly path: string
  /** An object with this name and, where it is embedded in it or its own, this metadata. */
  readonly object: (name: string, odd: JsonObject) => JsonObject
}

/** The kinds of objects in namespaces whose metadata nothing but the common rules are about. */
function collectionsOf(api: Api): readonly ((namespace: string) => Collection)[] {
  const kinds = ['ConfigMap', 'Service', 'Deployment', 'Lease', 'Role', 'PersistentVolumeClaim']
  return kindSamples(api).flatMap(({ kind, samples: [sample] }) =>
    sample === undefined || !kinds.includes(kind.kind)
      ? []
      : [
          (namespace: string): Collection => ({
            subject: `${kind.kind}.${kind.version}.${kind.group}`,
            path: collectionPath(kind, namespace),
            object: (name, odd) => ({ ...sample, metadata: { name, ...odd } }),
          }),
        ],
  )
}

/** A kind whose objects hold another one. */
function holders(namespace: string): CustomKind {
  const held = {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  }
  return {
    plural: 'holders',
    kind: 'Holder',
    group: `metadata-${namespace}.example.com`,
    versions: ['v1'],
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { held } } },
    },
    parts: false,
  }
}

function customCollection(kind: CustomKind, namespace: string, embedded: boolean): Collection {
  const head = { apiVersion: `${kind.group}/v1`, kind: kind.kind }
  const held = (odd: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'held', ...odd },
  })
  return {
    subject: embedded ? 'custom embedded' : 'custom metadata',
    path: customPath(kind, 'v1', namespace),
    object: (name, odd) =>
      embedded
        ? { ...head, metadata: { name }, spec: { held: held(odd) } }
        : { ...head, metadata: { name, ...odd } },
  }
}

const fields: readonly string[] = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
  'clusterName',
]

const owner = { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'u' }
const manager = { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' }

/** Values of every type, and some that a field takes. */
const values: readonly Json[] = [
  ...[null, true, 5, -1, 1.5, '', 'x', 'X_', '5', '-5', '2020-01-01T00:00:00Z', 'x'.repeat(254)],
  ...[{}, { a: 5 }, { a: 'b' }, { a: null }, { 'a/b/c': 'd' }, { a: '-' }, { x: 1, y: 2 }],
  ...[[], [5], ['a'], ['a', 'a'], ['example.com/a'], ['a b'], ['orphan', 'foregroundDeletion']],
  ...[[null], [{}], [{ x: 1 }], [owner], [owner, owner], [{ ...owner, apiVersion: 'a/b/c' }]],
  [{ ...owner, uid: 5 }],
  [
    { ...owner, controller: true },
    { ...owner, uid: 'v', controller: true },
  ],
  ...[[{ ...owner, kind: 'Event' }], [manager], [{ ...manager, operation: 'x' }]],
  ...[[{ ...manager, time: 'x' }], [{ ...manager, manager: 5 }]],
]

/** One write of an object with one or two odd fields, to one that is there or not. */
function oddWrite({ subject, path, object }: Collection, random: Random, name: string): Scenario {
  const odd: Record<string, Json> = {}
  for (let more = random.pick([1, 1, 2]); more > 0; more -= 1)
    odd[random.pick(fields)] = random.pick(values)
  const made: Step = { method: 'POST', path, body: object(name, {}) }
  const body = object(name, odd)
  const at = `${path}/${name}`
  const patch = (type: string): Step => ({ method: 'PATCH', path: at, type, body })
  const apply: Step = {
    ...patch('application/apply-patch+yaml'),
    query: { fieldManager: 'a', force: 'true' },
  }
  const write = random.pick<readonly Step[]>([
    [{ method: 'POST', path, body }],
    [made, { method: 'PUT', path: at, body }],
    [apply],
    [made, apply],
    [made, patch('application/merge-patch+json')],
  ])
  const get: Step = { method: 'GET', path: at }
  return { subject, oneObject: true, steps: [...write, get, ...forcedAway(at)] }
}
