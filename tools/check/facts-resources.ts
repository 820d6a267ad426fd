import type { Api, KindFacts } from '../../codegen/schema/ir.ts'
import { apiVersionOf } from '../../runtime/kernel/meta/object.ts'
import type { Facts, ResourceFact } from './facts-file.ts'

/** What differs between the resources of a scheme and those of a facts file. */
export function resourceDifferences(api: Api, facts: Facts): readonly string[] {
  const kinds = new Map(api.kinds.map((kind) => [`${apiVersionOf(kind)} ${kind.plural}`, kind]))
  return facts.resources.flatMap((fact) => {
    const name = `${apiVersionOf(fact)} ${fact.plural}`
    const kind = kinds.get(name)
    if (kind === undefined) return [`${name}: there is no such resource`]
    const all = { ...plainFacts(kind, fact), ...behaviour(kind, facts), ...printed(kind, facts) }
    return Object.entries(all).flatMap(([what, [ours, theirs]]) =>
      same(ours, theirs) ? [] : [`${name}: ${what} is ${show(ours)}, should be ${show(theirs)}`],
    )
  })
}

/** What is compared, by what it is called in a difference. */
type Pairs = Readonly<Record<string, readonly [ours: unknown, theirs: unknown]>>

/** What discovery says of a resource. */
function plainFacts(kind: KindFacts, fact: ResourceFact): Pairs {
  const ours = kind.subresources.map(
    ({ name, kind: body, apiVersion, verbs }) =>
      `${name} ${apiVersion} ${body}: ${[...verbs].sort().join(' ')}`,
  )
  const theirs = fact.subresources.map(
    ({ name, kind: body, groupVersion, verbs }) =>
      `${name} ${groupVersion} ${body}: ${[...verbs].sort().join(' ')}`,
  )
  return {
    kind: [kind.kind, fact.kind],
    singular: [kind.singular, fact.singular],
    'short names': [kind.shortNames, fact.shortNames],
    categories: [kind.categories, fact.categories],
    scope: [kind.scope, fact.namespaced ? 'Namespaced' : 'Cluster'],
    verbs: [[...kind.verbs].sort(), [...fact.verbs].sort()],
    subresources: [[...ours].sort(), [...theirs].sort()],
  }
}

/** What the verbs do with it beyond that; empty where the facts are silent. */
function behaviour(kind: KindFacts, facts: Facts): Pairs {
  const fact = facts.resourceBehaviour[`${kind.group}/${kind.plural}`]
  if (fact === undefined) return {}
  return {
    'create on update': [kind.createOnUpdate, fact.putCreates === true],
    'unconditional update': [kind.unconditionalUpdate, fact.putWithoutResourceVersion === true],
    'answer of delete': [
      kind.deleteReturns,
      fact.deleteReturnsObject === true ? 'Object' : 'Status',
    ],
    generation: [kind.generation, fact.generation === true],
    'apply resets': [kind.applyReset, fact.applyResetFields ?? {}],
  }
}

/** Its table and what it can be selected by. The two kinds called Event are told apart by their group. */
function printed(kind: KindFacts, facts: Facts): Pairs {
  const name = kind.group === '' ? kind.kind : `${kind.group}/${kind.kind}`
  const columns = facts.tableColumns[name]
  const label = kind.kind === 'Event' ? `Event (${kind.group || 'core'})` : kind.kind
  const selectors = facts.fieldSelectors[label] ?? []
  const wanted = selectors.map((each) => each.split(' ')[0] ?? '')
  const own = wanted.filter((each) => !each.startsWith('metadata.'))
  return {
    ...(columns && {
      columns: [kind.columns.map(columnText), columns.map(columnText)],
    }),
    'field selectors': [Object.keys(kind.selectableFields).sort(), own.sort()],
  }
}

/** A column as one word. Descriptions are prose and not compared. */
function columnText(column: {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly priority?: number
}): string {
  const { name, type, format = '', priority = 0 } = column
  return `${name}:${type}:${format}:${priority}`
}

/** True for equal JSON, whatever the order of keys. */
function same(ours: unknown, theirs: unknown): boolean {
  return show(sorted(ours)) === show(sorted(theirs))
}

/** An object with its keys in order; lists keep theirs. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function show(value: unknown): string {
  return JSON.stringify(value)
}
