/** The definitions that scenarios about custom objects share. */
import type { JsonObject } from '../../../runtime/kernel/values/json.ts'
import type { Step } from '../scenario.ts'
import { forcedAway } from './objects.ts'

/** A custom kind with the schema of its objects. */
export interface CustomKind {
  readonly plural: string
  readonly kind: string
  readonly group: string
  readonly versions: readonly string[]
  readonly schema: JsonObject
  /** True if it has the subresources status and scale. */
  readonly parts: boolean
}

const text = { type: 'string' }
const amount = { type: 'integer', format: 'int32' }
const named = {
  type: 'object',
  properties: { name: text, value: amount, on: { type: 'boolean', default: true } },
  required: ['name'],
}

/** A field for each way in which managers share lists, maps and structs. */
const spec = {
  type: 'object',
  properties: {
    replicas: { type: 'integer', minimum: 0, default: 1 },
    paused: { type: 'boolean' },
    mode: { type: 'string', enum: ['A', 'B'], default: 'A' },
    label: { ...text, nullable: true },
    port: { 'x-kubernetes-int-or-string': true },
    items: {
      type: 'array',
      items: named,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    args: { type: 'array', items: text, 'x-kubernetes-list-type': 'atomic' },
    plain: { type: 'array', items: { type: 'object', properties: { a: text, b: amount } } },
    byName: { type: 'object', additionalProperties: named },
    texts: { type: 'object', additionalProperties: text },
    whole: { type: 'object', properties: { a: text, b: text }, 'x-kubernetes-map-type': 'atomic' },
    free: {
      type: 'object',
      properties: { known: text },
      'x-kubernetes-preserve-unknown-fields': true,
    },
  },
}
const status = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    selector: text,
    phase: text,
    conditions: {
      type: 'array',
      items: { type: 'object', properties: { type: text, status: text }, required: ['type'] },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
  },
}

/** Two kinds in a group of their own: one with everything, and one that keeps whatever it is given. */
export function customKinds(namespace: string): readonly CustomKind[] {
  const group = `${namespace}.example.com`
  return [
    {
      plural: 'things',
      kind: 'Thing',
      group,
      versions: ['v1', 'v1beta1'],
      schema: { type: 'object', properties: { spec, status } },
      parts: true,
    },
    {
      plural: 'plains',
      kind: 'Plain',
      group,
      versions: ['v1'],
      schema: {
        type: 'object',
        'x-kubernetes-preserve-unknown-fields': true,
        properties: { spec: { ...spec, 'x-kubernetes-preserve-unknown-fields': true } },
      },
      parts: false,
    },
  ]
}

/** The path of a kind's objects in a namespace. */
export function customPath(
  { group, plural }: CustomKind,
  version: string,
  namespace: string,
): string {
  return `/apis/${group}/${version}/namespaces/${namespace}/${plural}`
}

const root = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Installs the kinds, and waits until they are served. */
export function installed(kinds: readonly CustomKind[], namespace: string): readonly Step[] {
  return kinds.flatMap((kind): readonly Step[] => [
    { method: 'POST', path: root, body: definitionOf(kind) },
    ...kind.versions.map(
      (version): Step => ({
        method: 'GET',
        path: customPath(kind, version, namespace),
        awaits: [200],
      }),
    ),
  ])
}

/** Takes them away again. */
export function removed(kinds: readonly CustomKind[]): readonly Step[] {
  return kinds.flatMap(({ plural, group }) => forcedAway(`${root}/${plural}.${group}`))
}

function definitionOf({ plural, kind, group, versions, schema, parts }: CustomKind): JsonObject {
  const subresources = {
    status: {},
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind },
      versions: versions.map((name, at) => ({
        name,
        served: true,
        storage: at === 0,
        schema: { openAPIV3Schema: schema },
        ...(parts && {
          subresources,
          additionalPrinterColumns: [
            { name: 'Mode', type: 'string', jsonPath: '.spec.mode' },
            { name: 'Tags', type: 'string', jsonPath: '.spec.tags', priority: at },
            { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
          ],
        }),
      })),
    },
  }
}
