import type { Definition } from '../apiextensions/apiextensions.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import { isObject, type JsonObject } from '../kernel/values/json.ts'
import {
  DecodeError,
  decodeLocatedDocuments,
  followPath,
  type LocatedDocument,
  type LocatedValue,
  type TextRange,
} from '../serializer/serializer.ts'
import { KnownKinds } from './kinds/known-kinds.ts'
import { versionState } from './kinds/versions.ts'
import { checkObject, type PartFinding } from './object/check-object.ts'
import { type DryRegistry, openDryRegistry } from './object/dry-registry.ts'
import { plainValue } from './object/plain-value.ts'
import { type Finding, type ObjectName, sortedFindings } from './rules/finding.ts'
import { type RuleId, rules } from './rules/rule.ts'
import { applySuppressions } from './text/suppressions.ts'

/** A text to check, under the name that findings have for it. */
export interface Source {
  readonly name: string
  readonly text: string | Uint8Array
}

/** What a validator judges by. */
export interface ValidatorOptions {
  /** The kinds of one platform. */
  readonly scheme: Scheme
  /** The release whose versions count, such as `1.32`. Default: that of the scheme. */
  readonly release?: string
  /** The day by which suppressions expire, as `2027-01-31`. */
  readonly today: string
}

/** What became of a text. */
export interface CheckedSource {
  readonly findings: readonly Finding[]
  /** How many objects it holds. */
  readonly objects: number
  /** How many findings comments in it suppress. */
  readonly suppressed: number
}

/**
 * Judges documents as the server of a scheme would. Sources with definitions are learned first; then each is checked by itself, in any
 * order, and nothing of it is kept but the names of its objects.
 */
export interface Validator {
  /** Takes the kinds that the definitions of a source make. What is wrong with them is told when the source is checked. */
  learn(source: Source): Promise<void>
  /** Every finding about a source. */
  check(source: Source): Promise<CheckedSource>
  close(): Promise<void>
}

/** Opens a validator for the kinds of a scheme. */
export async function openValidator(options: ValidatorOptions): Promise<Validator> {
  const dry = await openDryRegistry(options.scheme)
  return new SchemeValidator(options, dry)
}

/** An object in a document, and its place there. */
interface FoundObject {
  readonly root: LocatedValue<TextRange>
  readonly value: JsonObject
  readonly name: ObjectName
}

class SchemeValidator implements Validator {
  readonly #options: ValidatorOptions
  readonly #dry: DryRegistry
  readonly #kinds: KnownKinds
  /** Where each object was seen first. */
  readonly #seen = new Map<string, { readonly file: string; readonly at: TextRange }>()

  constructor(options: ValidatorOptions, dry: DryRegistry) {
    this.#options = options
    this.#dry = dry
    this.#kinds = new KnownKinds(options.scheme)
  }

  async learn(source: Source): Promise<void> {
    const { documents } = await read(source)
    const roots = documents.flatMap(({ root }) => (root === undefined ? [] : itemsIn(root)))
    for (const root of roots) {
      const value = plainValue(root)
      if (!isObject(value) || value.kind !== 'CustomResourceDefinition') continue
      const kind = this.#kinds.kind(String(value.apiVersion), String(value.kind))
      if (kind !== undefined) await this.#define({ kind, root, value })
    }
    this.#dry.registry.replaceScheme(this.#kinds.scheme)
  }

  /** A definition that is wrong makes no kinds. */
  async #define(found: { kind: AnyKind; root: LocatedValue<TextRange>; value: JsonObject }) {
    const findings = await this.#findingsOf(found)
    if (findings.some(({ severity }) => severity === 'error')) return
    const { registry } = this.#dry
    const options = { dryRun: true, fieldValidation: 'Ignore', manager: 'orch-validate' } as const
    const { item } = await registry.create(
      { kind: found.kind },
      { value: found.value, duplicates: [] },
      options,
    )
    await this.#kinds.define(item.object() as unknown as Definition)
  }

  async check(source: Source): Promise<CheckedSource> {
    const { documents, problem } = await read(source)
    const findings: Finding[] = problem === undefined ? [] : [{ ...problem, file: source.name }]
    let objects = 0
    for (const document of documents) {
      const found = await this.#checkDocument(source.name, document)
      objects += found.objects
      findings.push(...found.findings)
    }
    const settled = applySuppressions(source, findings, this.#options.today)
    return {
      findings: sortedFindings(settled.findings),
      objects,
      suppressed: settled.suppressed,
    }
  }

  async close(): Promise<void> {
    await this.#dry.close()
  }

  async #checkDocument(file: string, document: LocatedDocument) {
    const findings: Finding[] = textFindings(file, document)
    const objects = document.root === undefined ? [] : itemsIn(document.root)
    for (const root of objects) findings.push(...(await this.#checkRoot(file, root)))
    return { findings, objects: objects.length }
  }

  async #checkRoot(file: string, root: LocatedValue<TextRange>): Promise<readonly Finding[]> {
    const value = plainValue(root)
    const typed = isObject(value) && typeOf(value)
    if (!isObject(value) || !typed) return [{ ...untyped(root, value), file }]
    const found: FoundObject = { root, value, name: nameOf(value, typed) }
    const parts = await this.#judge(found)
    const isSecret = typed.kind === 'Secret'
    return [
      ...parts.map((each) => ({
        ...each,
        file,
        object: found.name,
        ...(isSecret && isSecretPath(each.path) && { secret: true as const }),
      })),
      ...this.#repeated(file, found),
    ]
  }

  async #judge({ root, value, name }: FoundObject): Promise<readonly PartFinding[]> {
    const { apiVersion } = name
    const { scheme, release } = this.#options
    const kind = this.#kinds.kind(apiVersion, name.kind)
    const state = versionState(scheme, release, apiVersion, name.kind)
    const at = followPath(root, 'apiVersion').node.at
    if (state.is === 'removed') {
      return [finding('kind.removed', state.message, at, 'apiVersion')]
    }
    const warned =
      state.is === 'deprecated' ? [finding('kind.deprecated', state.message, at, 'apiVersion')] : []
    if (kind === undefined) return [this.#unknown(root, name)]
    return [...warned, ...(await this.#findingsOf({ kind, root, value }))]
  }

  #findingsOf({
    kind,
    root,
    value,
  }: {
    readonly kind: AnyKind
    readonly root: LocatedValue<TextRange>
    readonly value: JsonObject
  }): Promise<readonly PartFinding[]> {
    const { registry } = this.#dry
    const fieldNames = () => this.#kinds.fieldNames(kind)
    return checkObject({ kind, root, value, registry, fieldNames })
  }

  #unknown(root: LocatedValue<TextRange>, { apiVersion, kind }: ObjectName): PartFinding {
    const near = this.#kinds.nearest(apiVersion, kind)
    const hint = near === undefined ? '' : `; did you mean ${near}?`
    const { at } = followPath(root, 'kind').node
    return finding('kind.unknown', `no kind ${kind} is known in ${apiVersion}${hint}`, at, 'kind')
  }

  /** An object that stood before, in this file or another. */
  #repeated(file: string, { root, name }: FoundObject): readonly Finding[] {
    if (name.name === undefined) return []
    const group = name.apiVersion.includes('/') ? name.apiVersion.split('/')[0] : ''
    const key = [group, name.kind, name.namespace ?? '', name.name].join('\0')
    const first = this.#seen.get(key)
    const { at } = followPath(root, 'metadata.name').node
    if (first === undefined) {
      this.#seen.set(key, { file, at })
      return []
    }
    const whose = name.namespace === undefined ? name.name : `${name.namespace}/${name.name}`
    const message = `${name.kind} ${whose} stands at ${first.file}:${first.at.line}:${first.at.column}, too`
    return [
      {
        ...finding('object.duplicate', message, at, 'metadata.name'),
        file,
        object: name,
        related: [{ message: 'it stands here first', ...first }],
      },
    ]
  }
}

/** The documents of a source; bytes that are no text are one problem. */
async function read({ text }: Source) {
  try {
    return { documents: await decodeLocatedDocuments(text) }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    return { documents: [], problem: unreadable('text.encoding', error) }
  }
}

/** The position of what cannot be read is a point. */
function unreadable(rule: RuleId, { why, at }: DecodeError): PartFinding {
  const message = why.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '') ?? why
  const place = at && { ...at, offset: -1, end: -1 }
  return { rule, severity: rules[rule].severity, message, ...(place && { at: place }) }
}

/** What is wrong with a document as a text. */
function textFindings(file: string, { error, duplicates, problems }: LocatedDocument): Finding[] {
  const found = [
    ...duplicates.map(({ key, at, first }) => ({
      ...finding(
        'text.duplicate-key',
        `${key}: stands at line ${first.line} of this mapping, too`,
        at,
      ),
      related: [{ message: 'it stands here first', file, at: first }],
    })),
    ...problems.map(({ why, at }) => finding('text.value', why, at)),
    ...(error === undefined ? [] : [unreadable('text.syntax', error)]),
  ]
  return found.map((each) => ({ ...each, file }))
}

/** The objects of a document: itself, or the items of a List. */
function itemsIn(root: LocatedValue<TextRange>): readonly LocatedValue<TextRange>[] {
  const kind = followPath(root, 'kind').node
  const items = followPath(root, 'items').node
  const isList = kind.is === 'scalar' && kind.value === 'List' && items.is === 'list'
  return isList ? items.items.flatMap(itemsIn) : [root]
}

function typeOf({ apiVersion, kind }: JsonObject) {
  const typed = typeof apiVersion === 'string' && typeof kind === 'string'
  return typed && apiVersion !== '' && kind !== '' && { apiVersion, kind }
}

function nameOf(
  { metadata }: JsonObject,
  typed: { readonly apiVersion: string; readonly kind: string },
): ObjectName {
  const { name, namespace } = isObject(metadata) ? metadata : {}
  return {
    ...typed,
    ...(typeof namespace === 'string' && { namespace }),
    ...(typeof name === 'string' && { name }),
  }
}

/** Says which of the two words is missing, or is no text. */
function untyped(root: LocatedValue<TextRange>, value: unknown): PartFinding {
  if (!isObject(value as JsonObject)) {
    return finding(
      'document.object',
      'a document must be a mapping with apiVersion and kind',
      root.at,
    )
  }
  const words = ['apiVersion', 'kind'].filter((word) => {
    const given = (value as JsonObject)[word]
    return typeof given !== 'string' || given === ''
  })
  const wrong = words.find((word) => Object.hasOwn(value as object, word))
  const message = `${words.join(' and ')} must be stated, as text`
  return finding(
    'document.object',
    message,
    wrong === undefined ? root.at : followPath(root, wrong).node.at,
  )
}

function finding(rule: RuleId, message: string, at: TextRange, path?: string): PartFinding {
  const { severity } = rules[rule]
  return { rule, severity, message, at, ...(path !== undefined && { path }) }
}

/** The values of a Secret are not to be printed. */
function isSecretPath(path = ''): boolean {
  return path === '' || /^(data|stringData|metadata\.annotations)\b/.test(path)
}
