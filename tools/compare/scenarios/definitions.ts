/** Definitions of custom resources with every keyword of their schemas, right and wrong, and objects for them. */

import type { Json, JsonObject } from '../../../runtime/kernel/values/json.ts'
import { escapedStep } from '../../../runtime/kernel/values/json-pointer.ts'
import type { Random } from '../random.ts'
import type { Scenario, ScenarioClass, Step } from '../scenario.ts'
import { forcedAway } from './objects.ts'
import { randomSpecParts, randomVersionParts } from './random-definition.ts'
import { fittingValue, randomSchema } from './random-schema.ts'

/** Random definitions of custom resources, and objects of those that are accepted. */
export const definitions: ScenarioClass = {
  name: 'definitions',
  about: 'definitions of custom resources with every keyword, and objects for them',
  prepare:
    ({ namespace }) =>
    (random, name) => {
      const definition = definitionOf(name, randomSchema(random, 0, true), random)
      return random.chance(0.9)
        ? tried(definition)
        : established(definition, namespace, name, random)
    },
}

/** The collection of definitions. */
const root = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** The definition alone, not kept. */
export function tried(definition: JsonObject): Scenario {
  const step: Step = { method: 'POST', path: root, query: { dryRun: 'All' }, body: definition }
  return { subject: 'definition', anyOrder: true, steps: [step] }
}

/** The definition kept, objects of it, and both removed. */
function established(
  definition: JsonObject,
  namespace: string,
  name: string,
  random: Random,
): Scenario {
  const schema = schemaOf(definition)
  const made = (): JsonObject =>
    objectOf(name, `a${random.below(1e9)}`, fittingValue(random, schema))
  const steps = Array.from({ length: 4 }).flatMap(() => written(random, name, namespace, made))
  return {
    subject: 'custom object',
    anyOrder: true,
    steps: withDefinition(definition, name, namespace, steps),
  }
}

/** An object that is created, and changed: by a write of the whole, of its status or of its scale. */
function written(
  random: Random,
  name: string,
  namespace: string,
  made: () => JsonObject,
): readonly Step[] {
  const version = random.chance(0.2) ? 'v1beta1' : 'v1'
  const root = objectsPath(name, namespace, version)
  const inVersion = (object: JsonObject): JsonObject => ({
    ...object,
    apiVersion: `compare.example.com/${version}`,
  })
  const first = inVersion(made())
  const { name: objectName } = first.metadata as JsonObject
  const path = `${root}/${objectName}`
  const part = random.pick(['', '', '/status', '/scale'])
  const metadata = { name: String(objectName), resourceVersion: '$resourceVersion' }
  const replicas = random.pick<Json>([1, 0, -1, null])
  return [
    { method: 'POST', path: root, body: first },
    { method: 'PUT', path, body: { ...inVersion(made()), metadata } },
    patched(random, path, inVersion(made())),
    part === '/scale'
      ? { method: 'PATCH', path: path + part, type: mergePatch, body: { spec: { replicas } } }
      : { method: 'PUT', path: path + part, body: { ...inVersion(made()), metadata } },
    { method: 'GET', path, accept: random.pick([table, 'application/json']) },
  ]
}

const mergePatch = 'application/merge-patch+json'

/** A patch of an object, in each form that there is. */
function patched(random: Random, path: string, made: JsonObject): Step {
  const { metadata: _, ...body } = made
  const name = path.slice(path.lastIndexOf('/') + 1)
  const [field = 'a', value = null] =
    Object.entries(body).find(([key]) => key !== 'apiVersion' && key !== 'kind') ?? []
  const pointer = `/${escapedStep(field)}`
  const op = random.pick(['add', 'replace', 'remove', 'test'])
  const operations: Json = [{ op, path: pointer, ...(op !== 'remove' && { value }) }]
  return random.pick<Step>([
    { method: 'PATCH', path, type: mergePatch, body },
    { method: 'PATCH', path, type: 'application/json-patch+json', body: operations },
    { method: 'PATCH', path, type: 'application/strategic-merge-patch+json', body },
    {
      method: 'PATCH',
      path,
      type: 'application/apply-patch+yaml',
      query: { fieldManager: 'compare', ...(random.chance(0.5) && { force: 'true' }) },
      body: { ...body, metadata: { name } },
    },
  ])
}
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'

/** Steps between the time that a definition serves its objects and its removal. */
export function withDefinition(
  definition: JsonObject,
  name: string,
  namespace: string,
  steps: readonly Step[],
): readonly Step[] {
  const path = `${root}/${name}s.compare.example.com`
  return [
    { method: 'POST', path: root, body: definition },
    { method: 'GET', path: objectsPath(name, namespace), awaits: [200], silent: true },
    ...steps,
    { method: 'DELETE', path: objectsPath(name, namespace), silent: true },
    { method: 'DELETE', path, silent: true },
    ...forcedAway(path),
  ]
}

/** The path of a definition's objects. */
export function objectsPath(name: string, namespace: string, version = 'v1'): string {
  return `/apis/compare.example.com/${version}/namespaces/${namespace}/${name}s`
}

/** An object of the definition `name`. */
export function objectOf(name: string, objectName: string, fields: Json): JsonObject {
  const own = typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? fields : {}
  return {
    ...(own as JsonObject),
    apiVersion: 'compare.example.com/v1',
    kind: kindOf(name),
    metadata: { name: objectName },
  }
}

/** The Kind of a definition that is named so. */
function kindOf(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

/** A definition of one version with this schema; now and then something about it is odd. */
export function definitionOf(name: string, schema: JsonObject, random?: Random): JsonObject {
  const version: JsonObject = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema },
    ...(random !== undefined && randomVersionParts(random)),
  }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}s.compare.example.com` },
    spec: {
      group: 'compare.example.com',
      scope: 'Namespaced',
      names: {
        plural: `${name}s`,
        singular: name,
        kind: kindOf(name),
        listKind: `${kindOf(name)}List`,
      },
      versions: [version, ...(random === undefined ? [] : otherVersions(random, version))],
      ...(random !== undefined && randomSpecParts(random, name)),
    },
  }
}

/** A second version, now and then: as the first, or with its own schema, served or not; rarely both are stored, or none. */
function otherVersions(random: Random, first: JsonObject): readonly JsonObject[] {
  if (random.chance(0.75)) return []
  const other: JsonObject = {
    ...first,
    name: random.pick(['v1beta1', 'v1beta1', 'v1beta1', 'v1', 'V2', '']),
    served: random.chance(0.9),
    storage: random.chance(0.05),
    ...(random.chance(0.2) && { deprecated: true }),
  }
  if (random.chance(0.5)) return [other]
  const schema = { openAPIV3Schema: randomSchema(random, 1, true) }
  return [{ ...other, schema, ...randomVersionParts(random) }]
}

/** The schema of the first version. */
function schemaOf(definition: JsonObject): JsonObject {
  const { versions } = definition.spec as {
    versions: readonly { schema: { openAPIV3Schema: JsonObject } }[]
  }
  return versions[0]?.schema.openAPIV3Schema ?? {}
}
