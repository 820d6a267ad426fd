/** What judges the objects of each platform. */
import type { Definition } from '../../apiextensions/apiextensions.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { followPath, type LocatedValue, type TextRange } from '../../serializer/serializer.ts'
import { KnownKinds } from '../kinds/known-kinds.ts'
import { versionState } from '../kinds/versions.ts'
import { checkObject } from '../object/check-object.ts'
import { type DryRegistry, openDryRegistry } from '../object/dry-registry.ts'
import type { ObjectName } from '../rules/finding.ts'
import { finding, type PartFinding } from '../rules/part-finding.ts'

/** A scheme that documents may be of. */
export interface PlatformSource {
  /** Texts that only objects of this platform have: the suffixes of its groups and of its keys. */
  readonly marks: readonly string[]
  readonly load: () => Promise<Scheme>
}

/** What objects are judged by. */
export interface JudgeOptions {
  /**
   * The platforms. A document is of the first whose marks it has; one without any, of the first: it means the same in all of them. A
   * platform is loaded when a document needs it.
   */
  readonly platforms: readonly PlatformSource[]
  /** The release whose versions count, such as `1.32`. Default: that of the scheme. */
  readonly release?: string
}

/** An object in a document, and its place there. */
export interface FoundObject {
  readonly root: LocatedValue<TextRange>
  readonly value: JsonObject
  readonly name: ObjectName
}

/** A loaded platform. */
interface Judge {
  readonly scheme: Scheme
  readonly kinds: KnownKinds
  readonly dry: DryRegistry
}

/** The judges of several platforms. */
export class PlatformJudges {
  readonly #options: JudgeOptions
  readonly #judges = new Map<PlatformSource, Promise<Judge>>()
  /** Kinds whose definition is wrong, as `group/kind`. */
  readonly #undefined = new Set<string>()

  constructor(options: JudgeOptions) {
    this.#options = options
  }

  /** Everything that is wrong with an object. */
  async findings(found: FoundObject): Promise<readonly PartFinding[]> {
    const judge = await this.#judgeOf(found)
    const { root, name } = found
    const { apiVersion, kind: word } = name
    const state = versionState(judge.scheme, this.#options.release, apiVersion, word)
    const { at } = followPath(root, 'apiVersion').node
    if (state.is === 'removed') return [finding('kind.removed', state.message, at, 'apiVersion')]
    const kind = judge.kinds.kind(apiVersion, word)
    if (kind === undefined) return [this.#unknownKind(judge, found)]
    const warned =
      state.is === 'deprecated' ? [finding('kind.deprecated', state.message, at, 'apiVersion')] : []
    return [...warned, ...(await findingsOf(judge, kind, found))]
  }

  /** Takes the kinds that a definition makes. One that is wrong makes none. */
  async define(found: FoundObject): Promise<void> {
    const judge = await this.#judgeOf(found)
    const { kinds, dry } = judge
    const kind = kinds.kind(found.name.apiVersion, found.name.kind)
    if (kind === undefined) return
    const findings = await findingsOf(judge, kind, found)
    if (findings.some(({ severity }) => severity === 'error')) {
      this.#undefined.add(definedKind(found.value))
      return
    }
    await kinds.define((await dry.created(kind, found.value)) as unknown as Definition)
    dry.registry.replaceScheme(kinds.scheme)
  }

  /** Ends what was opened. */
  async close(): Promise<void> {
    await Promise.all([...this.#judges.values()].map(async (judge) => (await judge).dry.close()))
  }

  #unknownKind({ kinds }: Judge, { root, name }: FoundObject): PartFinding {
    const { apiVersion, kind } = name
    const { at } = followPath(root, 'kind').node
    const said = `no kind ${kind} is known in ${apiVersion}`
    if (this.#undefined.has(`${apiVersion.replace(/\/[^/]*$/, '')}/${kind}`)) {
      return finding('kind.unknown', `${said}: its definition is wrong`, at, 'kind')
    }
    const near = kinds.nearest(apiVersion, kind)
    const hint = near === undefined ? '' : `; did you mean ${near}?`
    return finding('kind.unknown', `${said}${hint}`, at, 'kind')
  }

  /** A custom kind without marks is of the platform that knows its definition. */
  async #judgeOf({ value, name }: FoundObject): Promise<Judge> {
    const { platforms } = this.#options
    const marked =
      platforms.length < 2 ? undefined : platforms.find(({ marks }) => hasMark(value, marks))
    const source = marked ?? platforms[0]
    if (source === undefined) throw new Error('a validator needs a platform')
    const judge = await this.#open(source)
    if (judge.kinds.kind(name.apiVersion, name.kind) !== undefined) return judge
    const opened = await Promise.all(this.#judges.values())
    return opened.find((one) => one.kinds.kind(name.apiVersion, name.kind) !== undefined) ?? judge
  }

  #open(source: PlatformSource): Promise<Judge> {
    const known = this.#judges.get(source)
    if (known !== undefined) return known
    const opened = open(source)
    this.#judges.set(source, opened)
    return opened
  }
}

async function open({ load }: PlatformSource): Promise<Judge> {
  const scheme = await load()
  return { scheme, kinds: new KnownKinds(scheme), dry: await openDryRegistry(scheme) }
}

function findingsOf({ kinds, dry }: Judge, kind: AnyKind, { root, value }: FoundObject) {
  const fieldNames = () => kinds.fieldNames(kind)
  return checkObject({ kind, root, value, registry: dry.registry, fieldNames })
}

/** `group/kind` of a definition. */
function definedKind({ spec }: JsonObject): string {
  const { group, names } = isObject(spec) ? spec : {}
  return `${String(group)}/${String(isObject(names) ? names.kind : '')}`
}

/** True if a key or a text in the value has one of the marks. */
function hasMark(value: Json, marks: readonly string[]): boolean {
  if (typeof value === 'string') return marks.some((mark) => value.includes(mark))
  if (Array.isArray(value)) return value.some((item) => hasMark(item, marks))
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([key, each]) => marks.some((mark) => key.includes(mark)) || hasMark(each ?? null, marks),
  )
}
