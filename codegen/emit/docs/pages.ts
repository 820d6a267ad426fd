/**
 * Emits one reference page for each package of types: its kinds, and every type with every field. A package of more
 * than a hundred types has an overview, and a page for each of its schema files.
 */
import { printDuration } from '../../../runtime/kernel/values/duration.ts'
import type { KindFacts } from '../../schema/ir.ts'
import type { Field, NamedType, StructType } from '../../schema/named-type.ts'
import type { TextArtefact } from '../artefact.ts'
import type { Model } from '../model/model.ts'
import { constraintText } from './constraints.ts'
import { rulesOf, ruleText, typeText } from './fields.ts'
import { code, plain, table } from './markdown.ts'
import { maxTypesOnPage, pageName, pageOf } from './paths.ts'

/** The pages of a package. */
export function packagePages(name: string, model: Model): readonly TextArtefact[] {
  const types = model.typesIn('package', name)
  const kinds = model.kindsIn('package', name)
  if (types.length <= maxTypesOnPage)
    return [pageArtefact(name, pageName(name), types, kinds, model)]
  const pages = new Map<string, NamedType[]>()
  for (const type of types) {
    const page = model.pageOf(type.id)
    pages.set(page, [...(pages.get(page) ?? []), type])
  }
  const parts = [...pages].sort(([a], [b]) => (a < b ? -1 : 1))
  return [
    overview(name, types, kinds, parts, model),
    ...parts.map(([page, own]) => {
      const ids = new Set(own.map(({ id }) => id))
      const here = kinds.filter(({ type }) => ids.has(type))
      return pageArtefact(page.replace(/\.md$/, ''), page, own, here, model)
    }),
  ]
}

/** `from` lists the schema files whose types are on the page, which is what its header names. */
function pageArtefact(
  title: string,
  page: string,
  types: readonly NamedType[],
  kinds: readonly KindFacts[],
  model: Model,
): TextArtefact {
  const text = `${pageText(title, types, kinds, model).join('\n').trimEnd()}\n`
  return { is: 'text', path: `docs/${page}`, from: filesOf(types), text }
}

function filesOf(types: readonly NamedType[]): readonly string[] {
  return [...new Set(types.map((type) => type.at.file))]
}

/** The kinds of a large package, and the page of each of its types. */
function overview(
  name: string,
  types: readonly NamedType[],
  kinds: readonly KindFacts[],
  parts: readonly (readonly [page: string, types: readonly NamedType[]])[],
  model: Model,
): TextArtefact {
  const rows = parts.map(([page, own]) => [
    `[${page}](${page})`,
    own.map((type) => `[${type.name}](${page}#${type.name.toLowerCase()})`).join(', '),
  ])
  const lines = [
    `# ${name}`,
    '',
    ...table(
      kindHead,
      kinds.map((kind) => kindRow(kind, model.pageOf(kind.type))),
    ),
    ...table(['Page', 'Types'], rows),
  ]
  const text = `${lines.join('\n').trimEnd()}\n`
  return { is: 'text', path: pageOf(name), from: filesOf(types), text }
}

const kindHead = ['Kind', 'Resource', 'Short', 'Scope', 'Verbs', 'Subresources']

/**
 * Kinds come before the types that they are made of, both by name; each has a `##` heading, which
 * is what links from other pages lead to.
 */
function pageText(
  name: string,
  types: readonly NamedType[],
  kinds: readonly KindFacts[],
  model: Model,
): readonly string[] {
  const roots = new Set(kinds.map((kind) => kind.type))
  const byName = [...types].sort((a, b) => (a.name < b.name ? -1 : 1))
  const others = byName.filter((type) => !roots.has(type.id))
  return [
    `# ${name}`,
    '',
    ...table(
      kindHead,
      kinds.map((kind) => kindRow(kind)),
    ),
    ...byName.filter((type) => roots.has(type.id)).flatMap((type) => section(type, model)),
    ...others.flatMap((type) => section(type, model)),
  ]
}

/** The link leads to the section of the kind's type, on another page if `page` names one. */
function kindRow(kind: KindFacts, page = ''): readonly string[] {
  return [
    `[${kind.kind}](${page}#${kind.kind.toLowerCase()})`,
    code(kind.plural),
    kind.shortNames.map(code).join(' '),
    kind.scope,
    kind.verbs.join(' '),
    kind.subresources.map(({ name }) => name).join(' '),
  ]
}

/**
 * What follows the description depends on the type: values of an enum, members of a union,
 * columns, rules and fields of a struct; a scalar has nothing more to say.
 */
function section(type: NamedType, model: Model): readonly string[] {
  const { since } = model.kinds.find((kind) => kind.type === type.id) ?? {}
  const came = since === undefined ? '' : ` Since ${since}.`
  const head = [`## ${type.name}`, '', `${plain(type.description)}${came}`, '']
  if (type.is === 'enum') return [...head, ...valuesOf(type.values, type.closed)]
  if (type.is === 'scalar') return head
  if (type.is === 'union') {
    const members = type.members.map((member) =>
      typeText(member.type, model.pageOf(type.id), model),
    )
    return [...head, `One of ${members.join(', ')}.`, '']
  }
  return [
    ...head,
    ...columnsOf(type, model),
    ...statedRules(type),
    ...fieldsOf(type, model),
    ...conditionRows(type),
  ]
}

/** The types of a condition with what their reasons mean, and which status is healthy, where the schema says either. */
function conditionRows({ conditions = {} }: StructType): readonly string[] {
  const declared = Object.entries(conditions)
  const says = declared.some(
    ([, { healthy, reasons }]) => healthy !== undefined || Object.values(reasons).some(Boolean),
  )
  if (!says) return []
  const rows = declared.flatMap(([type, { healthy, alertAfterSeconds: after, reasons }]) => {
    const calls = after === undefined ? '' : `; an alert after ${printDuration(after * 1000)}`
    const health = healthy === undefined ? '' : `${code(healthy)}${calls}`
    return Object.entries(reasons).map(([reason, meaning], at) => [
      ...(at === 0 ? [code(type), health] : ['', '']),
      code(reason),
      plain(meaning),
    ])
  })
  return table(['Condition', 'Healthy', 'Reason', 'Meaning'], rows)
}

/** The values of an open set are only the well-known ones: others are accepted too. */
function valuesOf(values: readonly string[], closed: boolean): readonly string[] {
  const lead = closed ? 'One of' : 'Well-known values:'
  return values.length === 0 ? [] : [`${lead} ${values.map(code).join(', ')}.`, '']
}

/**
 * The printed columns of a kind, and the fields beside name and namespace that it can be selected
 * by.
 * Columns in parentheses have a priority above 0: clients print them only in a wide table.
 */
function columnsOf(type: StructType, model: Model): readonly string[] {
  const kind = model.kindOf(type)
  if (kind === undefined) return []
  const columns = kind.columns.map(({ name, priority = 0 }) => (priority > 0 ? `(${name})` : name))
  const selectors = Object.keys(kind.selectableFields)
  return [
    ...(columns.length === 0 ? [] : [`Printed columns: ${columns.map(plain).join(', ')}.`, '']),
    ...(selectors.length === 0 ? [] : [`Field selectors: ${selectors.map(code).join(', ')}.`, '']),
  ]
}

/** Rules about the whole struct, and constraints on settings further inside. */
function statedRules({ rules = [], constraints = [] }: StructType): readonly string[] {
  const inside = constraints
    .filter(({ field }) => field.includes('.'))
    .map((each) => `${code(each.field)}: ${constraintText(each, sameName)}`)
  const texts = [...rules.map(ruleText), ...inside]
  return texts.length === 0 ? [] : [texts.join(' '), '']
}

const sameName = (name: string): string => name

/** A constraint whose `field` is a path further inside is not here: `statedRules` has it. */
function fieldsOf(type: StructType, model: Model): readonly string[] {
  const row = (field: Field) => [
    code(field.name),
    typeText(field.type, model.pageOf(type.id), model),
    [
      plain(field.description),
      ...rulesOf(field),
      ...(type.constraints ?? [])
        .filter((each) => each.field === field.name)
        .map((each) => constraintText(each, sameName)),
    ].join(' '),
  ]
  return table(['Field', 'Type', 'Meaning'], type.fields.map(row))
}
