/** Emits one reference page for each package of types: its kinds, and every type with every field. */
import type { Field, KindFacts, NamedType, StructType } from '../../schema/ir.ts'
import type { TextArtefact } from '../artefact.ts'
import type { Model } from '../model.ts'
import { filesOf } from '../modules.ts'
import { rulesOf, ruleText, typeText } from './fields.ts'
import { code, plain, table } from './markdown.ts'
import { pageOf } from './paths.ts'

export function pagesOf(model: Model): readonly TextArtefact[] {
  return [...packagesOf(model)].map(([name, types]) => ({
    is: 'text',
    path: pageOf(name),
    from: [...new Set(types.map((type) => type.at.file))],
    text: `${page(name, types, model).join('\n').trimEnd()}\n`,
  }))
}

/** The types of each package, kinds first, then by name. */
function packagesOf(model: Model): ReadonlyMap<string, readonly NamedType[]> {
  const packages = new Map<string, NamedType[]>()
  for (const type of [...filesOf(model).values()].flat()) {
    packages.set(type.package, [...(packages.get(type.package) ?? []), type])
  }
  return new Map([...packages].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function page(name: string, types: readonly NamedType[], model: Model): readonly string[] {
  const kinds = model.kinds.filter((kind) => packageOf(kind, model) === name)
  const roots = new Set(kinds.map((kind) => kind.type))
  const byName = [...types].sort((a, b) => (a.name < b.name ? -1 : 1))
  const others = byName.filter((type) => !roots.has(type.id))
  return [
    `# ${name}`,
    '',
    ...table(['Kind', 'Resource', 'Short', 'Scope', 'Verbs', 'Subresources'], kinds.map(kindRow)),
    ...byName.filter((type) => roots.has(type.id)).flatMap((type) => section(type, model)),
    ...others.flatMap((type) => section(type, model)),
  ]
}

function packageOf(kind: KindFacts, model: Model): string {
  return model.type(kind.type).package
}

function kindRow(kind: KindFacts): readonly string[] {
  return [
    `[${kind.kind}](#${kind.kind.toLowerCase()})`,
    code(kind.plural),
    kind.shortNames.map(code).join(' '),
    kind.scope,
    kind.verbs.join(' '),
    kind.subresources.map(({ name }) => name).join(' '),
  ]
}

function section(type: NamedType, model: Model): readonly string[] {
  const head = [`## ${type.name}`, '', plain(type.description), '']
  if (type.is === 'enum') return [...head, ...valuesOf(type.values, type.closed)]
  if (type.is === 'scalar') return head
  if (type.is === 'union') {
    const members = type.members.map((member) => typeText(member.type, type.package, model))
    return [...head, `One of ${members.join(', ')}.`, '']
  }
  return [...head, ...columnsOf(type, model), ...statedRules(type), ...fieldsOf(type, model)]
}

function valuesOf(values: readonly string[], closed: boolean): readonly string[] {
  const lead = closed ? 'One of' : 'Well-known values:'
  return values.length === 0 ? [] : [`${lead} ${values.map(code).join(', ')}.`, '']
}

/** What a list of the kind prints, and by what it is selected beside name and namespace. */
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

function statedRules({ rules = [] }: StructType): readonly string[] {
  return rules.length === 0 ? [] : [rules.map(ruleText).join(' '), '']
}

function fieldsOf(type: StructType, model: Model): readonly string[] {
  const row = (field: Field) => [
    code(field.name),
    typeText(field.type, type.package, model),
    [plain(field.description), ...rulesOf(field)].join(' '),
  ]
  return table(['Field', 'Type', 'Meaning'], type.fields.map(row))
}
