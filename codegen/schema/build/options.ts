/** The flag files of daemons. */
import { didYouMean } from '../../../runtime/kernel/values/spelling.ts'
import { isForeign, resolveRef, roleOf } from '../files/layout.ts'
import type { Documents } from '../files/load.ts'
import type { Report } from '../finding.ts'
import type { OptionFacts, OptionSet, OptionStability } from '../ir.ts'
import type { Shape } from '../keys/shape.ts'
import type { NamedType, StructType } from '../named-type.ts'
import { get, items, plain, text, type YamlNode } from '../yaml/node.ts'
import type { FactsByFile } from './built-files.ts'
import { readConstraints } from './constraints.ts'
import { type Definitions, reportDangling } from './definitions.ts'
import { checkShape, inOrder } from './mapping-shape.ts'
import { factsOfField, fieldAt } from './option-field.ts'
import { checkRelease, oneOf } from './server-facts.ts'

/**
 *   daemon: orchlet
 *   config: ../config/agent/v1.yaml#/definitions/AgentConfiguration
 *   sections: [{ name: ..., options: [{ flag: ..., field: ... }] }]
 */
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
  format: 'string',
  environment: 'string',
  configFileKind: 'string',
  deprecated: 'string',
  hidden: 'boolean',
  description: 'string',
}
/** What only comparing two trees needs: the option table of a daemon leaves it out. */
const lifeShape: Shape = { stability: 'string', deprecatedSince: 'string', replacement: 'string' }

/** What reading a flag file needs. */
export interface OptionContext {
  readonly documents: Documents
  readonly definitions: Definitions
  readonly types: readonly NamedType[]
  readonly report: Report
}

/** The flags of the root that is generated; those of orch's own daemons are not a user's. */
export function buildOptions(context: OptionContext, facts: FactsByFile): readonly OptionSet[] {
  return [...context.documents.documents]
    .filter(([file]) => roleOf(file) === 'flags' && !isForeign(file))
    .flatMap(([file, node]) =>
      facts.of(file, () => setsOf(file, node, context), configFiles(file, context)),
    )
}

/** The file of the types that the flags of a file take facts from. */
function configFiles(file: string, { documents }: OptionContext): readonly string[] {
  if (documents.builtFile(file) !== undefined) return []
  const ref = text(get(documents.documents.get(file), 'config'))
  const place = ref === undefined ? undefined : resolveRef(ref, file)
  return place === undefined ? [] : [place.file]
}

/** A file without a readable shape gives no set, so the daemon has no table at all. */
function setsOf(file: string, node: YamlNode, context: OptionContext): readonly OptionSet[] {
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
    flags.includes(name)
      ? undefined
      : `"${name}" is not a flag of this file${didYouMean(name, flags)}`
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

/** The root struct of the daemon's configuration file; a reference to something else is reported. */
function configOf(
  file: string,
  node: YamlNode,
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

/**
 * A flag with what its field says and it does not say itself. One without type or description is
 * reported.
 * `deprecated: file` is short for the sentence that names the field to set instead.
 */
function optionOf(
  node: YamlNode,
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
  return [
    { ...inOrder({ ...facts, ...deprecated } as OptionFacts, optionShape), lifecycle: life, at },
  ]
}

/** The stability of a flag, GA by default. */
function lifeOf(node: YamlNode, report: Report): OptionStability {
  oneOf(get(node, 'stability'), '"stability"', ['Alpha', 'Beta', 'GA'], report)
  checkRelease(get(node, 'deprecatedSince'), 'deprecatedSince', report)
  return inOrder({ stability: 'GA', ...(plain(node) as Partial<OptionStability>) }, lifeShape)
}

/** What the field of a flag says. */
function fieldFacts(
  node: YamlNode,
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
  const near = didYouMean(missing, among)
  report(path.at, 'unknown-field', `"${value}" is not a field of "${config.name}"${near}`)
  return {}
}
