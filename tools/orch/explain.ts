/** `orch explain`: what a kind, a field, a type or a flag is, and the line of the schema that says so. */
import { isAbsolute, join, relative, resolve } from 'node:path'
import { packageRoot } from '../../codegen/main.ts'
import { resolveRef } from '../../codegen/schema/files/layout.ts'
import { load } from '../../codegen/schema/files/load.ts'
import { platformName, readSources, type Sources } from '../../codegen/schema/files/sources.ts'
import {
  entries,
  entry,
  get,
  items,
  plain,
  text,
  texts,
  type YamlNode,
} from '../../codegen/schema/yaml/node.ts'
import type { Terminal } from '../../daemons/run.ts'
import { optionTables } from '../../generated/options.ts'
import {
  type Option,
  type OptionTable,
  optionsOf,
} from '../../runtime/kernel/options/option-table.ts'
import { didYouMean } from '../../runtime/kernel/values/spelling.ts'
import { readCommandLine } from './command-line.ts'
import { kindsProblem } from './given-paths.ts'

const help = `Says what a kind, a field, a type or a flag is, and which line of which schema file says so. No server is asked.

Usage:
  orch explain KIND[.FIELD...] [flags]
  orch explain TYPE[.FIELD...]
  orch explain DAEMON [--FLAG]

  orch explain deployment.spec.strategy
  orch explain pods.spec.containers --recursive
  orch explain OrchletConfiguration.maxPods
  orch explain orch-scheduler scheduler-name

Flags:
      --api-version VERSION  of a kind that several versions or groups have, such as autoscaling/v1 (default: the newest stable one)
  -h, --help                 show this help
      --platform FILE        a file of platform names (default: those of orch)
      --recursive            the fields of fields, too, by name and type
      --schemas FOLDER       schema files whose kinds are explained

Exit codes: 0 explained, 1 there is no such kind, field, type or flag, 2 the command line is wrong.`

const flags = {
  'api-version': { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
  platform: { type: 'string' },
  recursive: { type: 'boolean', default: false },
  schemas: { type: 'string' },
} as const

/** Runs the command. */
export async function runExplain(terminal: Terminal): Promise<number> {
  const { print, printError } = terminal
  const failed = (code: number, message: string): number => {
    printError(`orch explain: ${message}\nrun orch explain --help to see how it is called`)
    return code
  }
  const [first = '', second] = terminal.args
  const isFlag = second?.startsWith('--') === true && !(second.slice(2) in flags)
  const args = isFlag ? [first, second.slice(2), ...terminal.args.slice(2)] : [...terminal.args]
  const line = readCommandLine({ args, options: flags, allowPositionals: true })
  if (typeof line === 'string') return failed(2, line)
  const { values, positionals } = line
  if (values.help) {
    print(help)
    return 0
  }
  const [subject, flag, ...more] = positionals
  if (subject === undefined || more.length > 0) return failed(2, 'name a kind, a type or a daemon')
  const wrong = kindsProblem(values)
  if (wrong !== undefined) return failed(2, wrong)
  const folder = resolve(values.schemas ?? join(packageRoot, 'schemas'))
  const platform = resolve(values.platform ?? join(packageRoot, 'schemas/platform/orch.yaml'))
  const schemas = new Schemas(folder, await readSources([{ folder, prefix: '' }], platform))
  try {
    const lines = schemas.isDaemon(subject)
      ? await explainDaemon(schemas, subject, flag)
      : explainField(schemas, subject, values['api-version'], values.recursive)
    print(lines.join('\n'))
    return 0
  } catch (error) {
    if (!(error instanceof NotThere)) throw error
    return failed(1, error.message)
  }
}

class NotThere extends Error {}

/** A definition and the file that it stands in. */
interface Definition {
  readonly file: string
  readonly name: string
  readonly node: YamlNode
  readonly at: YamlNode['at']
}

/** Schema files, each parsed when it is needed. */
class Schemas {
  readonly #folder: string
  readonly #sources: Sources
  readonly #documents = new Map<string, YamlNode | undefined>()

  constructor(folder: string, sources: Sources) {
    this.#folder = folder
    this.#sources = sources
  }

  document(file: string): YamlNode | undefined {
    if (this.#documents.has(file)) return this.#documents.get(file)
    const needed = new Map(
      [...this.#sources].filter(([name]) => name === file || name === platformName),
    )
    const document = load(needed, () => {}).documents.get(file)
    this.#documents.set(file, document)
    return document
  }

  /** Files whose text has a word, before anything is parsed. */
  files(pattern: RegExp): readonly string[] {
    return [...this.#sources]
      .filter(([file, text]) => file !== platformName && pattern.test(text))
      .map(([file]) => file)
  }

  definition(file: string, name: string): Definition | undefined {
    const found = entry(get(this.document(file), 'definitions'), name)
    return found && { file, name, node: found.value, at: found.keyAt }
  }

  /** The place as `schemas/api/apps/v1/deployment.yaml:120`, relative to the working directory where it is below it. */
  place(at: YamlNode['at']): string {
    const path = join(this.#folder, at.file)
    const near = relative('', path)
    return `${near.startsWith('..') || isAbsolute(near) ? path : near}:${at.line}`
  }

  isDaemon(word: string): boolean {
    return this.daemons().has(word)
  }

  daemons(): ReadonlyMap<string, YamlNode> {
    const found = this.files(/^daemon: /m).flatMap((file) => this.document(file) ?? [])
    return new Map(found.map((one) => [text(get(one, 'daemon')) ?? '', one]))
  }
}

async function explainDaemon(schemas: Schemas, daemon: string, flag: string | undefined) {
  const document = schemas.daemons().get(daemon) as YamlNode
  const options = items(get(document, 'sections')).flatMap((one) => items(get(one, 'options')))
  const name = (option: YamlNode) => text(get(option, 'flag')) ?? ''
  // A flag that sets a field has the field's type and description: the generated table knows them.
  const table = await optionTables[daemon]?.()
  const known = new Map(table && optionsOf(table).map((one) => [one.flag, one]))
  const typeOf = (one: YamlNode) => known.get(name(one))?.type ?? text(get(one, 'type')) ?? 'string'
  if (flag === undefined) {
    const rows = options.map((one) => row(name(one), typeOf(one)))
    return [`DAEMON:   ${daemon}`, ...described(document), '', 'FLAGS:', ...rows]
  }
  const option = options.find((one) => name(one) === flag)
  if (option === undefined) {
    const near = didYouMean(flag, options.map(name))
    throw new NotThere(`${daemon} has no flag --${flag}${near}`)
  }
  return [
    `FLAG:     --${flag} <${typeOf(option)}>`,
    `DAEMON:   ${daemon}`,
    `SCHEMA:   ${schemas.place(option.at)}`,
    ...(table === undefined
      ? [...described(option), ...factsOf(option)]
      : flagFacts(table, known.get(flag))),
  ]
}

/** What the daemon knows of a flag, and the field that it sets. */
function flagFacts({ config }: OptionTable, option: Option | undefined): readonly string[] {
  if (option === undefined) return []
  const { field, description, default: initial, values, minimum, maximum, environment } = option
  const said = { default: initial, values, minimum, maximum, environment }
  const facts = Object.entries({ ...said, deprecated: option.deprecated }).flatMap(
    ([key, value]) => (value === undefined ? [] : [`  ${key}: ${JSON.stringify(value)}`]),
  )
  return [
    ...(field === undefined || config === undefined ? [] : [`FIELD:    ${config.kind}.${field}`]),
    ...['', 'DESCRIPTION:', `  ${description.replaceAll('`', '')}`],
    ...(facts.length === 0 ? [] : ['', 'FACTS:', ...facts]),
  ]
}

function explainField(
  schemas: Schemas,
  subject: string,
  apiVersion: string | undefined,
  recursive: boolean,
): readonly string[] {
  const [word = '', ...path] = subject.split('.')
  const root = rootOf(schemas, word, apiVersion)
  let here: Field = { type: root.name, node: root.node, at: root.at, struct: root }
  let node: YamlNode | undefined
  for (const [at, name] of path.entries()) {
    const struct = here.struct
    const fields = entries(struct && get(struct.node, 'properties'))
    const found = fields.find(({ key }) => key === name)
    if (struct === undefined || found === undefined) {
      const said = [word, ...path.slice(0, at)].join('.')
      const keys = fields.map(({ key }) => key)
      throw new NotThere(`${said} has no field ${name}${didYouMean(name, keys)}`)
    }
    node = found.value
    here = fieldOf(schemas, struct.file, found.value, found.keyAt)
  }
  const document = schemas.document(root.file)
  const version = [text(get(document, 'group')), text(get(document, 'version'))]
  const struct = here.struct
  const fields = struct ? fieldLines(schemas, struct, recursive, '  ', [struct.name]) : []
  return [
    ...(get(root.node, 'x-orch-kind') ? [`KIND:     ${root.name}`] : [`TYPE:     ${root.name}`]),
    ...(version[1] === undefined ? [] : [`VERSION:  ${version.filter(Boolean).join('/')}`]),
    ...(path.length === 0 ? [] : [`FIELD:    ${path.join('.')} <${here.type}>`]),
    `SCHEMA:   ${schemas.place(here.at)}`,
    ...(struct && path.length > 0 ? [`DEFINED:  ${schemas.place(struct.at)}`] : []),
    ...described(node ?? root.node),
    ...factsOf(node ?? root.node),
    ...(fields.length === 0 ? [] : ['', 'FIELDS:', ...fields]),
  ]
}

/** A kind by any of its names, or a type by its own. */
function rootOf(schemas: Schemas, word: string, apiVersion: string | undefined): Definition {
  if (!/^[A-Za-z][\w-]*$/.test(word)) throw new NotThere(`${word}: a name of a kind or a type`)
  const candidates = schemas.files(new RegExp(`\\b${word}\\b`, 'i')).flatMap((file) =>
    entries(get(schemas.document(file), 'definitions')).map((one) => ({
      ...{ file, name: one.key, node: one.value, at: one.keyAt },
    })),
  )
  const isKind = ({ name, node }: Definition) => {
    const kind = get(node, 'x-orch-kind')
    if (kind === undefined) return false
    const names = [name, text(get(kind, 'plural')), text(get(kind, 'singular'))]
    const all = [...names, ...texts(get(kind, 'shortNames'))]
    return all.some((one) => one?.toLowerCase() === word.toLowerCase())
  }
  const version = ({ file }: Definition) => {
    const document = schemas.document(file)
    return [text(get(document, 'group')), text(get(document, 'version'))].filter(Boolean).join('/')
  }
  const found = [...candidates.filter(isKind), ...candidates.filter(({ name }) => name === word)]
  const fitting = found.filter((one) => apiVersion === undefined || version(one) === apiVersion)
  const best = [...fitting].sort((a, b) => rank(version(b)) - rank(version(a)))[0]
  if (best !== undefined) return best
  if (found.length > 0) {
    const versions = [...new Set(found.map(version))].join(', ')
    throw new NotThere(`${word} is not in ${apiVersion}: it is in ${versions}`)
  }
  const names = schemas
    .files(/x-orch-kind:/)
    .flatMap((file) => entries(get(schemas.document(file), 'definitions')))
    .filter(({ value }) => get(value, 'x-orch-kind') !== undefined)
    .map(({ key }) => key)
  throw new NotThere(`no schema has a kind or a type ${word}${didYouMean(word, names)}`)
}

/** Stable versions before beta ones, these before alpha ones; higher numbers first. */
function rank(apiVersion: string): number {
  const [, major = '0', stage, minor = '0'] = /v(\d+)(?:(alpha|beta)(\d+))?$/.exec(apiVersion) ?? []
  const level = stage === undefined ? 2 : stage === 'beta' ? 1 : 0
  return level * 1e6 + Number(major) * 1e3 + Number(minor)
}

/** A field: what it holds, where it is declared, and the type of its parts. */
interface Field {
  readonly type: string
  readonly node: YamlNode
  readonly at: YamlNode['at']
  readonly struct: Definition | undefined
}

function fieldOf(schemas: Schemas, file: string, node: YamlNode, at: YamlNode['at']): Field {
  const ref = text(get(node, '$ref'))
  if (ref !== undefined) {
    const target = resolveRef(ref, file)
    const found = target && schemas.definition(target.file, target.name)
    if (found === undefined) return { type: target?.name ?? ref, node, at, struct: undefined }
    const isStruct = get(found.node, 'properties') !== undefined
    if (isStruct) return { type: found.name, node, at, struct: found }
    const inner = fieldOf(schemas, found.file, found.node, at)
    return { ...inner, type: `${found.name} (${inner.type})`, at }
  }
  const list = get(node, 'items')
  const values = get(node, 'additionalProperties')
  const part = list ?? (values?.is === 'map' ? values : undefined)
  if (part !== undefined) {
    const inner = fieldOf(schemas, file, part, at)
    return { ...inner, type: `${list ? '[]' : 'map[string]'}${inner.type}`, at }
  }
  const format = text(get(node, 'format'))
  const type = text(get(node, 'type')) ?? 'value'
  return { type: format ? `${type}, ${format}` : type, node, at, struct: undefined }
}

/** The fields of a type, each in a line; a type within itself is not opened again. */
function fieldLines(
  schemas: Schemas,
  { file, node }: Definition,
  recursive: boolean,
  indent: string,
  open: readonly string[],
): readonly string[] {
  const required = new Set(texts(get(node, 'required')))
  return entries(get(node, 'properties')).flatMap(({ key, keyAt, value }) => {
    const field = fieldOf(schemas, file, value, keyAt)
    const words = `<${field.type}>${required.has(key) ? ' -required-' : ''}`
    const { struct } = field
    const isNew = recursive && struct !== undefined && !open.includes(struct.name)
    const below = isNew
      ? fieldLines(schemas, struct, true, `${indent}  `, [...open, struct.name])
      : []
    return [`${indent}${key.padEnd(28 - indent.length)} ${words}`, ...below]
  })
}

function row(name: string, type: string): string {
  return `  --${name.padEnd(44)} <${type}>`
}

function described(node: YamlNode): readonly string[] {
  const words = text(get(node, 'description'))
  return words === undefined ? [] : ['', 'DESCRIPTION:', `  ${words.trim()}`]
}

const told = [
  'default',
  'enum',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'deprecated',
  'gate',
  'x-orch-feature-gate',
  'x-orch-list-type',
  'x-orch-list-map-keys',
  'x-orch-since',
] as const

/** What a schema says of a value beside its type. */
function factsOf(node: YamlNode): readonly string[] {
  const facts = told.flatMap((key) => {
    const value = get(node, key)
    if (value === undefined) return []
    return [`  ${key.replace(/^x-orch-/, '')}: ${JSON.stringify(plain(value))}`]
  })
  return facts.length === 0 ? [] : ['', 'FACTS:', ...facts]
}
