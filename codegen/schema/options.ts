import { hint } from '../../runtime/kernel/nearest.ts'
import { readConstraints } from './constraints.ts'
import { type Definitions, reportDangling } from './definitions.ts'
import { checkRelease, oneOf } from './facts.ts'
import type { Report } from './finding.ts'
import type { NamedType, OptionFacts, OptionLife, OptionSet, StructType } from './ir.ts'
import { isForeign, resolveRef, roleOf } from './layout.ts'
import type { Documents } from './load.ts'
import { get, items, type Node, plain, text } from './node.ts'
import { factsOfField, fieldAt } from './option-field.ts'
import type { FactsByFile } from './parts.ts'
import { checkShape, inOrder, type Shape } from './shape.ts'

const setShape: Shape = {
  daemon: 'string!',
  description: 'string!',
  audience: 'string',
  config: 'string',
  constraints: 'list',
  sections: 'list!',
}
const sectionShape: Shape = { name: 'string!', options: 'list!' }
const optionShape: Shape = {
  flag: 'string!',
  shorthand: 'string',
  type: 'string',
  default: 'any',
  values: 'strings',
  minimum: 'number',
  maximum: 'number',
  field: 'string',
  form: 'string',
  environment: 'string',
  holds: 'string',
  deprecated: 'string',
  hidden: 'boolean',
  description: 'string',
}
/** What the option table of a daemon leaves out. */
const lifeShape: Shape = { stability: 'string', deprecatedSince: 'string', replacement: 'string' }

export interface OptionContext {
  readonly documents: Documents
  readonly definitions: Definitions
  readonly types: readonly NamedType[]
  readonly report: Report
}

/** The option sets of the flag files of the root that is generated. */
export function buildOptions(context: OptionContext, facts: FactsByFile): readonly OptionSet[] {
  return [...context.documents.documents]
    .filter(([file]) => roleOf(file) === 'flags' && !isForeign(file))
    .flatMap(([file, node]) =>
      facts.of(file, () => setsOf(file, node, context), configFiles(file, context)),
    )
}

/** The file of the types that the flags of a file take facts from. */
function configFiles(file: string, { documents }: OptionContext): readonly string[] {
  if (documents.parts(file) !== undefined) return []
  const ref = text(get(documents.documents.get(file), 'config'))
  const place = ref === undefined ? undefined : resolveRef(ref, file)
  return place === undefined ? [] : [place.file]
}

function setsOf(file: string, node: Node, context: OptionContext): readonly OptionSet[] {
  const { report } = context
  if (!checkShape(node, 'a flag file', setShape, report)) return []
  const config = configOf(file, node, context)
  const sections = items(get(node, 'sections')).flatMap((section) => {
    if (!checkShape(section, 'a section', sectionShape, report)) return []
    const options = items(get(section, 'options')).flatMap((each) =>
      optionOf(each, config, context),
    )
    return [{ name: text(get(section, 'name')) ?? '', options }]
  })
  oneOf(get(node, 'audience'), '"audience"', ['admin', 'user'], report)
  const flags = sections.flatMap(({ options }) => options.map(({ flag }) => flag))
  const noFlag = (name: string) =>
    flags.includes(name) ? undefined : `"${name}" is not a flag of this file${hint(name, flags)}`
  const set: OptionSet = {
    daemon: text(get(node, 'daemon')) ?? '',
    description: text(get(node, 'description')) ?? '',
    audience: text(get(node, 'audience')) === 'user' ? 'user' : 'admin',
    ...(config === undefined ? {} : { config: config.id }),
    constraints: readConstraints(get(node, 'constraints'), noFlag, report),
    file,
    sections,
  }
  return [set]
}

/** The root struct of the daemon's configuration file. */
function configOf(
  file: string,
  node: Node,
  { definitions, types, report }: OptionContext,
): StructType | undefined {
  const config = get(node, 'config')
  const value = text(config)
  if (config === undefined || value === undefined) return undefined
  const found = definitions.find(value, file)
  if (found === undefined) {
    reportDangling(definitions, { value, at: config.at, keyAt: config.at }, file, report)
    return undefined
  }
  const type = types.find(({ id }) => id === found.id)
  if (type?.is === 'struct' && type.root) return type
  report(config.at, 'wrong-value', `"${found.name}" is not the root of a configuration file`)
  return undefined
}

function optionOf(
  node: Node,
  config: StructType | undefined,
  context: OptionContext,
): readonly OptionFacts[] {
  const { report } = context
  if (!checkShape(node, 'a flag', { ...optionShape, ...lifeShape }, report)) return []
  const at = get(node, 'flag')?.at ?? node.at
  const own = plain(node) as Partial<OptionFacts>
  const facts = { ...fieldFacts(node, config, context), ...own }
  for (const key of ['type', 'description'] as const) {
    if (facts[key] !== undefined) continue
    report(node.at, 'missing-keyword', `a flag needs "${key}"`)
    return []
  }
  const deprecated =
    own.deprecated === 'file'
      ? { deprecated: `set "${own.field}" in the file that --config names` }
      : {}
  const life = lifeOf(node, report)
  return [{ ...inOrder({ ...facts, ...deprecated } as OptionFacts, optionShape), life, at }]
}

function lifeOf(node: Node, report: Report): OptionLife {
  oneOf(get(node, 'stability'), '"stability"', ['Alpha', 'Beta', 'GA'], report)
  checkRelease(get(node, 'deprecatedSince'), 'deprecatedSince', report)
  return inOrder({ stability: 'GA', ...(plain(node) as Partial<OptionLife>) }, lifeShape)
}

function fieldFacts(
  node: Node,
  config: StructType | undefined,
  { types, report }: OptionContext,
): Partial<OptionFacts> {
  const path = get(node, 'field')
  const value = text(path)
  if (path === undefined || value === undefined) return {}
  if (config === undefined) {
    report(path.at, 'unknown-field', 'a flag with a field needs "config" in its file')
    return {}
  }
  const { field, missing, among } = fieldAt(value, config, types)
  if (field !== undefined) return factsOfField(field, types)
  const near = hint(missing, among)
  report(path.at, 'unknown-field', `"${value}" is not a field of "${config.name}"${near}`)
  return {}
}
