/** What one object tells of itself and asks of others. */
import type { FieldTypes } from '../../kernel/descriptors/field-types.ts'
import { referencesIn, type Steps } from '../../kernel/descriptors/references.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import {
  followPath,
  followSteps,
  type LocatedValue,
  type TextRange,
} from '../../serializer/serializer.ts'
import type { ObjectName } from '../rules/finding.ts'

type Node = LocatedValue<TextRange>

/** The place of what was read without positions. */
const unplaced: TextRange = { line: 0, column: 0, offset: -1, end: -1 }

/** True for the place of something that was read without positions, in this thread or another. */
export function isUnplaced({ line }: TextRange): boolean {
  return line === unplaced.line
}

/** A place in a text that names something. */
export interface Place {
  readonly file: string
  readonly at: TextRange
  readonly path: string
  readonly object: ObjectName
}

/** A reference to another object. */
export interface Reference extends Place {
  readonly kind: string
  /** Undefined: whichever group has such a kind. */
  readonly group: string | undefined
  readonly namespace: string
  readonly name: string
  readonly keys: readonly (Place & { readonly key: string })[]
  /** False where what is named may be missing, or is always there. */
  readonly expected: boolean
}

/** A selector of pods, by labels that all have to be there. */
export interface PodSelector extends Place {
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
}

/** A port that a service sends to, or that an ingress sends to a service. */
export interface PortUse extends Place {
  /** The service whose port it is; absent for a port of the pods that `selector` finds. */
  readonly service?: string
  readonly namespace: string
  readonly port: string | number
  readonly selector?: Readonly<Record<string, string>>
}

/** Pods as an object makes them. */
export interface PodFacts {
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  readonly ports: readonly (string | number)[]
}

/** Everything of an object that others are compared with. */
export interface ObjectFacts {
  /** The name, where it stands; the object itself for one without a name. */
  readonly place: Place
  readonly group: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly keys: readonly string[]
  readonly ports: readonly (string | number)[]
  readonly pods: readonly PodFacts[]
  readonly references: readonly Reference[]
  readonly selectors: readonly PodSelector[]
  readonly portUses: readonly PortUse[]
}

/** An object, its place and its type. */
export interface FactSource {
  readonly file: string
  /** Absent for an object that was read without positions: all of its facts are at one place then, for which `isUnplaced` holds. */
  readonly root?: Node | undefined
  readonly value: JsonObject
  readonly name: ObjectName
  readonly isNamespaced: boolean
  readonly types: FieldTypes
}

/** Where objects have templates of pods. */
const podTemplates = [
  ['spec', 'template'],
  ['spec', 'jobTemplate', 'spec', 'template'],
] as const

/** The facts of an object. */
export function factsOf(source: FactSource): ObjectFacts {
  const { value, name, isNamespaced } = source
  const namespace = isNamespaced ? (name.namespace ?? 'default') : ''
  const { apiVersion } = name
  const place = placesIn(source)
  return {
    place: place(['metadata', 'name']),
    group: apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '',
    kind: name.kind,
    namespace,
    name: name.name ?? '',
    keys: ['data', 'binaryData', 'stringData'].flatMap((key) => keysOf(value[key])),
    ports: name.kind === 'Service' ? portsOf(listAt(value, 'spec', 'ports'), 'name', 'port') : [],
    pods: podsOf(value, name.kind, namespace),
    references: referencesOf(source, namespace, place),
    selectors: selectorsOf(source, namespace, place),
    portUses: portUsesOf(source, namespace, place),
  }
}

/** The place of a value. */
type PlaceOf = (steps: Steps) => Place

function placesIn({ file, root, name: object }: FactSource): PlaceOf {
  if (root === undefined) {
    const place = { file, at: unplaced, path: '', object }
    return () => place
  }
  return (steps) => ({ file, at: followSteps(root, steps).at, path: pathOf(steps), object })
}

function referencesOf(
  { value, types }: FactSource,
  namespace: string,
  place: PlaceOf,
): readonly Reference[] {
  return referencesIn(value, types).map((one) => {
    // Member by member: a spread takes several times as long, and a pod has a dozen references.
    const { file, at, path, object } = place(one.steps)
    return {
      file,
      at,
      path,
      object,
      kind: one.kind,
      group: one.group,
      namespace: one.namespace?.text ?? namespace,
      name: one.name,
      expected: one.expected,
      keys: one.keys.map(({ steps, text }) => ({ ...place(steps), key: text })),
    }
  })
}

/** `spec.volumes[0].secret.secretName`; a key with a dot stands in brackets. */
function pathOf(steps: Steps): string {
  return steps.reduce<string>((path, step) => {
    if (typeof step === 'number' || /[.[]/.test(step)) return `${path}[${step}]`
    return path === '' ? step : `${path}.${step}`
  }, '')
}

const selectorFields: Readonly<Record<string, string>> = {
  Service: 'spec.selector',
  PodDisruptionBudget: 'spec.selector.matchLabels',
}

function selectorsOf(
  { root, value, name }: FactSource,
  namespace: string,
  place: PlaceOf,
): readonly PodSelector[] {
  const path = selectorFields[name.kind]
  if (path === undefined || expressionsAt(value)) return []
  const steps = path.split('.')
  const labels = labelsAt(value, ...steps)
  if (Object.keys(labels).length === 0) return []
  const keyAt = root && followPath(root, path).entry?.keyAt
  return [{ ...place(steps), ...(keyAt && { at: keyAt }), namespace, labels }]
}

/** True for a selector that states more than labels. */
function expressionsAt(value: JsonObject): boolean {
  return listAt(value, 'spec', 'selector', 'matchExpressions').length > 0
}

function portUsesOf(
  { value, name }: FactSource,
  namespace: string,
  place: PlaceOf,
): readonly PortUse[] {
  if (name.kind === 'Service') {
    const selector = labelsAt(value, 'spec', 'selector')
    if (Object.keys(selector).length === 0) return []
    return listAt(value, 'spec', 'ports').flatMap((port, index) => {
      const named = isObject(port) && typeof port.targetPort === 'string' ? port.targetPort : ''
      if (named === '') return []
      return [
        { ...place(['spec', 'ports', index, 'targetPort']), namespace, port: named, selector },
      ]
    })
  }
  if (name.kind !== 'Ingress') return []
  return backendsIn(value).flatMap(([backend, steps]) => {
    const service = isObject(backend) ? backend.service : undefined
    if (!isObject(service) || !isObject(service.port)) return []
    const form = Object.hasOwn(service.port, 'name') ? 'name' : 'number'
    const [target, port] = [service.name, service.port[form]]
    if (!isScalar(target) || !isScalar(port)) return []
    const at = place([...steps, 'service', 'port', form])
    return [{ ...at, namespace, service: String(target), port: port as string | number }]
  })
}

/** The backends of an ingress. */
function backendsIn(value: JsonObject): readonly (readonly [Json | undefined, Steps])[] {
  const rules = listAt(value, 'spec', 'rules').flatMap((rule, one) =>
    listAt(rule, 'http', 'paths').map((path, two) => {
      const steps = ['spec', 'rules', one, 'http', 'paths', two, 'backend']
      return [isObject(path) ? path.backend : undefined, steps] as const
    }),
  )
  return [[at(value, ['spec', 'defaultBackend']), ['spec', 'defaultBackend']], ...rules]
}

function isScalar(value: Json | undefined): boolean {
  return value !== undefined && (value === null || typeof value !== 'object')
}

function podsOf(value: JsonObject, kind: string, namespace: string): readonly PodFacts[] {
  if (kind === 'Pod') {
    return [
      { namespace, labels: labelsAt(value, 'metadata', 'labels'), ports: podPorts(value.spec) },
    ]
  }
  return podTemplates.flatMap((steps) => {
    const template = at(value, steps)
    if (template === undefined) return []
    const labels = labelsAt(template, 'metadata', 'labels')
    return [{ namespace, labels, ports: podPorts(at(template, ['spec'])) }]
  })
}

function podPorts(spec: Json | undefined): readonly (string | number)[] {
  const containers = [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')]
  return containers.flatMap((one) => portsOf(listAt(one, 'ports'), 'name', 'containerPort'))
}

function portsOf(
  ports: readonly Json[],
  ...fields: readonly string[]
): readonly (string | number)[] {
  return ports.flatMap((port) =>
    fields.flatMap((field) => {
      const found = isObject(port) ? port[field] : undefined
      return typeof found === 'string' || typeof found === 'number' ? [found] : []
    }),
  )
}

function at(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (found, step) => (isObject(found) ? found[step] : undefined),
    value,
  )
}

function listAt(value: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const found = at(value, path)
  return Array.isArray(found) ? found : []
}

/** The labels themselves, where all of them are texts, as they nearly always are. */
function labelsAt(value: Json, ...path: readonly string[]): Readonly<Record<string, string>> {
  const found = at(value, path)
  if (!isObject(found)) return {}
  const values = Object.values(found)
  if (values.every((each) => typeof each === 'string')) return found as Record<string, string>
  return Object.fromEntries(Object.entries(found).map(([key, each]) => [key, String(each)]))
}

function keysOf(value: Json | undefined): readonly string[] {
  return isObject(value) ? Object.keys(value) : []
}
