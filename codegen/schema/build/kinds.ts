/** The `x-orch-kind` block of a definition: what makes a struct a kind. */
import {
  allVerbs,
  type Column,
  cellFormats,
  errorPasses,
  type ScalePaths,
  type Subresource,
  type Verb,
} from '../../../runtime/kernel/descriptors/kind.ts'
import { apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import type { Report } from '../finding.ts'
import type { KindFacts } from '../ir.ts'
import {
  columnShape,
  columnTypes,
  deletedBodies,
  dependentsPolicies,
  kindShape,
  nameFormats,
  scopes,
  subresourceShape,
} from '../keys/kind-keys.ts'
import {
  entries,
  get,
  items,
  type MapNode,
  plain,
  text,
  texts,
  type YamlNode,
} from '../yaml/node.ts'
import { readConversion } from './conversions.ts'
import type { Definition } from './definitions.ts'
import { kindBlock, marker } from './json-schema.ts'
import { checkShape, inOrder } from './mapping-shape.ts'

/**
 * The facts of the kind that a definition is the root of; undefined if it is none, or one without a collection (its
 * block names no plural).
 */
export function buildKind(definition: Definition, report: Report): KindFacts | undefined {
  const block = kindBlock(definition.node)
  if (block === undefined || !checkShape(block, 'a kind', kindShape, report)) return undefined
  const plural = text(get(block, 'plural'))
  return plural === undefined ? undefined : factsOf(definition, block, plural, report)
}

/**
 * The facts of a kind without a collection, whose block names no plural; undefined for a definition that is none or has
 * no metadata.
 */
export function buildBody(definition: Definition): KindFacts | undefined {
  const block = kindBlock(definition.node)
  if (block?.is !== 'map' || get(block, 'plural') !== undefined) return undefined
  if (!definition.schema.properties?.some(({ name }) => name === 'metadata')) return undefined
  return factsOf(definition, block, '', () => {})
}

/** Those of `found` that are the body of a subresource of `kinds`. */
export function bodiesOf(
  kinds: readonly KindFacts[],
  found: readonly KindFacts[],
): readonly KindFacts[] {
  const wanted = new Set(kinds.flatMap(({ subresources }) => subresources.map(typeName)))
  return found.filter((one) => wanted.has(typeName({ ...one, apiVersion: apiVersionOf(one) })))
}

/** What bodies and subresources are matched by: `apiVersion/kind`. */
function typeName({ kind, apiVersion }: Pick<Subresource, 'kind' | 'apiVersion'>): string {
  return `${apiVersion}/${kind}`
}

/** The facts of a kind, with the defaults of everything that its block leaves out. */
function factsOf(
  definition: Definition,
  block: MapNode,
  plural: string,
  report: Report,
): KindFacts {
  const { group, version, name } = definition
  const word = wordReader(block, report)
  return {
    group,
    version,
    kind: name,
    plural,
    singular: text(get(block, 'singular')) ?? name.toLowerCase(),
    shortNames: texts(get(block, 'shortNames')),
    categories: texts(get(block, 'categories')),
    scope: word('scope', scopes, 'Namespaced'),
    verbs: readVerbs(get(block, 'verbs'), allVerbs, report),
    subresources: entries(get(block, 'subresources'))
      .map(({ key, value }) => readSubresource(key, value, definition, report))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    nameFormat: word('nameFormat', nameFormats, 'dns-subdomain'),
    createOnUpdate: flag(block, 'createOnUpdate', false),
    unconditionalUpdate: flag(block, 'unconditionalUpdate', true),
    deleteReturns: word('deleteReturns', deletedBodies, 'Status'),
    generation: flag(block, 'generation', hasSpec(definition)),
    columns: readColumns(get(block, 'columns'), report),
    selectableFields: sorted(get(block, 'selectableFields')) as Record<string, string>,
    strategies: texts(get(block, 'strategies')),
    applyReset: sorted(get(block, 'applyReset')) as Record<string, readonly string[]>,
    ...rareFacts(block, report),
    ...optional('since', marker<string>(definition.schema, 'since')),
    type: definition.id,
    at: definition.at,
    external: definition.foreign,
  }
}

/** What few kinds say, and the descriptors of others do not mention. */
function rareFacts(block: MapNode, report: Report) {
  const dependents = wordReader(block, report)('dependents', dependentsPolicies, 'Background')
  return {
    ...(get(block, 'generationCounts') && {
      generationCounts: texts(get(block, 'generationCounts')),
    }),
    ...(flag(block, 'statusOnCreate', false) && { statusOnCreate: true }),
    ...(flag(block, 'anyFinalizer', false) && { anyFinalizer: true }),
    ...(dependents !== 'Background' && { dependents }),
    ...optional('deleteWarning', text(get(block, 'deleteWarning'))),
    ...optional('deprecated', text(get(block, 'deprecated'))),
    ...(get(block, 'immutable') && { immutable: texts(get(block, 'immutable')) }),
    ...optional('passes', readPasses(get(block, 'passes'), report)),
    ...optional('capabilities', text(get(block, 'capabilities'))),
    ...optional('forwardsTo', text(get(block, 'forwardsTo'))),
    ...optional('review', text(get(block, 'review'))),
    ...optional('allocator', text(get(block, 'allocator'))),
    ...optional('ttlSeconds', wholeNumber(get(block, 'ttlSeconds'))),
    ...optional('storedAs', text(get(block, 'storedAs'))),
    ...optional('hashedAs', text(get(block, 'hashedAs'))),
    ...optional('conversion', readConversion(get(block, 'conversion'), report)),
  }
}

/** The passes that errors of a write are told in. */
function readPasses(node: YamlNode | undefined, report: Report): KindFacts['passes'] {
  if (node === undefined) return undefined
  const named = entries(node).map(({ key, value }) => [
    key,
    items(value).flatMap((pass) => oneOf(pass, 'a pass', errorPasses, report) ?? []),
  ])
  return Object.fromEntries(named.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)))
}

/** Reads keys of a block that have one of a few words, with the word that counts if the key is left out. */
function wordReader(block: MapNode, report: Report) {
  return <T extends string>(key: string, allowed: readonly T[], otherwise: T): T => {
    const node = get(block, key)
    return node === undefined ? otherwise : (oneOf(node, `"${key}"`, allowed, report) ?? otherwise)
  }
}

/** A value of another type counts as left out: `checkShape` has reported it. */
function flag(block: MapNode, key: string, otherwise: boolean): boolean {
  const node = get(block, key)
  return node?.is === 'scalar' && typeof node.value === 'boolean' ? node.value : otherwise
}

function wholeNumber(node: YamlNode | undefined): number | undefined {
  const value = node === undefined ? undefined : plain(node)
  return typeof value === 'number' ? value : undefined
}

/** A property that is left out if its value is undefined. */
function optional<K extends string, T>(key: K, value: T | undefined): { readonly [P in K]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: T }
}

/** Objects with a `spec` have a generation unless the block says otherwise. */
function hasSpec({ schema }: Definition): boolean {
  return schema.properties?.some(({ name }) => name === 'spec') ?? false
}

/** Without a kind of its own, the body of a subresource is the whole object (as of `status`). */
function readSubresource(
  name: string,
  node: YamlNode,
  { group, version, name: kind }: Definition,
  report: Report,
): Subresource {
  checkShape(node, 'a subresource', subresourceShape, report)
  const body = text(get(node, 'kind')) ?? kind
  const writes = get(node, 'writes')
  const action = text(get(node, 'action'))
  const connect = text(get(node, 'connect'))
  return {
    name,
    kind: body,
    apiVersion: text(get(node, 'apiVersion')) ?? apiVersionOf({ group, version }),
    verbs: readVerbs(get(node, 'verbs'), ['get', 'patch', 'update'], report),
    ...(writes !== undefined && { writes: texts(writes) }),
    ...(body === 'Scale' && { scale: readScale(node) }),
    ...(action !== undefined && { action }),
    ...(connect !== undefined && { connect }),
  }
}

/**
 * The defaults are the paths of the workloads of `apps/v1`; only a body of kind `Scale` has them.
 */
function readScale(node: YamlNode): ScalePaths {
  return {
    specReplicasPath: text(get(node, 'specReplicasPath')) ?? 'spec.replicas',
    statusReplicasPath: text(get(node, 'statusReplicasPath')) ?? 'status.replicas',
    labelSelectorPath: text(get(node, 'labelSelectorPath')) ?? 'spec.selector',
  }
}

/**
 * An empty list is no verb at all; only a missing key stands for the default. The order is kept.
 */
function readVerbs(
  node: YamlNode | undefined,
  otherwise: readonly Verb[],
  report: Report,
): readonly Verb[] {
  if (node === undefined) return otherwise
  return items(node).flatMap((item) => oneOf(item, 'a verb', allVerbs, report) ?? [])
}

/** A column without a description has an empty one, because tables always carry the property. */
function readColumns(node: YamlNode | undefined, report: Report): readonly Column[] {
  return items(node)
    .filter((item) => checkShape(item, 'a column', columnShape, report))
    .map((item) => {
      const type = get(item, 'type')
      if (type !== undefined) oneOf(type, '"type"', columnTypes, report)
      const show = get(item, 'show')
      if (show !== undefined) oneOf(show, '"show"', cellFormats, report)
      return {
        description: '',
        ...inOrder(plain(item) as Omit<Column, 'description'>, columnShape),
      }
    })
}

/** The node's text if it is one of `allowed`; otherwise it is reported. */
function oneOf<T extends string>(
  node: YamlNode,
  what: string,
  allowed: readonly T[],
  report: Report,
): T | undefined {
  const word = text(node)
  if (word === undefined) return undefined
  const found = allowed.find((each) => each === word)
  if (found !== undefined) return found
  const wanted = allowed.map((each) => `"${each}"`).join(', ')
  report(
    node.at,
    'wrong-value',
    `${what} must be one of ${wanted}, not "${word}"${didYouMean(word, allowed)}`,
  )
  return undefined
}

/** A mapping as plain data in order of its keys. */
function sorted(node: YamlNode | undefined): Readonly<Record<string, unknown>> {
  const found = [...entries(node)].sort((a, b) => (a.key < b.key ? -1 : 1))
  return Object.fromEntries(found.map(({ key, value }) => [key, plain(value)]))
}
