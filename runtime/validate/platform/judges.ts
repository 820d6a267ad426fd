/** What judges the objects of each platform. */
import type { Definition } from '../../apiextensions/apiextensions.ts'
import type { FieldTypes } from '../../kernel/descriptors/field-types.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Scheme, VersionRemoval } from '../../kernel/descriptors/scheme.ts'
import type { NameFormat } from '../../kernel/meta/names.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { followPath, type LocatedValue, type TextRange } from '../../serializer/serializer.ts'
import { KnownKinds } from '../kinds/known-kinds.ts'
import { goneMessage, removalOf, type VersionState, versionState } from '../kinds/versions.ts'
import { withoutRules } from '../kinds/without-rules.ts'
import { checkObject, isStored, passesAlone } from '../object/check-object.ts'
import { type DryRegistry, openDryRegistry } from '../object/dry-registry.ts'
import { admissionFindings, type PlacedPolicy } from '../policies/policy-findings.ts'
import { type PodSecurityLevel, PolicyRegistry } from '../policies/policy-registry.ts'
import { declaresReferences, definitionFindings } from '../references/definition-findings.ts'
import { factsOf, type ObjectFacts } from '../references/facts.ts'
import type { ObjectName } from '../rules/finding.ts'
import { finding, type PartFinding } from '../rules/part-finding.ts'
import { Definitions, noTypes } from './definitions.ts'
import { NewerParts } from './newer.ts'

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
  /**
   * The release whose versions count, such as `1.32`, and whose kinds and fields alone are there. Default: that of the scheme, and every
   * kind and field of it.
   */
  readonly release?: string
  /** The pod security level of namespaces without labels. Default: privileged. */
  readonly podSecurity?: PodSecurityLevel
  /** False: no rule in the expression language judges, neither those of kinds nor policies. Default: they do. */
  readonly expressions?: boolean
}

/** An object in a document. */
export interface UnplacedObject {
  readonly file: string
  readonly value: JsonObject
  readonly name: ObjectName
}

/** An object, and its place in the document. */
export interface FoundObject extends UnplacedObject {
  readonly root: LocatedValue<TextRange>
}

/** A loaded platform. */
interface Judge {
  readonly scheme: Scheme
  readonly kinds: KnownKinds
  readonly dry: DryRegistry
  /** Set where a release is named. */
  readonly newer: NewerParts | undefined
  /** Opened for the first policy, or namespace with a pod security level. */
  admission: Promise<PolicyRegistry> | undefined
}

/** What is known of a platform: plain data. */
export interface KnownPlatform {
  readonly marks: readonly string[]
  readonly kinds: readonly KnownKind[]
  readonly types: FieldTypes
}

/** A kind, and what the release makes of its version. */
export interface KnownKind {
  readonly apiVersion: string
  readonly kind: string
  readonly isNamespaced: boolean
  readonly nameFormat: NameFormat
  readonly state: VersionState
  /** The document of a kind that a definition makes, and the path of its schema there. */
  readonly definition?: { readonly file: string; readonly root: LocatedValue<TextRange> }
}

/** The kinds whose objects decide about others. */
const deciding = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding', 'Namespace']

/** The judges of several platforms. */
export class PlatformJudges {
  readonly #options: JudgeOptions
  readonly #judges = new Map<PlatformSource, Promise<Judge>>()
  readonly #chosen = new WeakMap<UnplacedObject, Promise<Judge>>()
  readonly #definitions = new Definitions()
  /** Kinds of params that policies of the run have, as `apiVersion/kind`. */
  readonly #paramKinds = new Set<string>()
  readonly #policies = new Map<string, PlacedPolicy>()

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
    const newer = judge.newer?.findings(kind, found.value, root) ?? []
    const own = [
      ...warned,
      ...newer,
      ...(await findingsOf(judge, kind, found, this.#judgedAs(kind))),
    ]
    const refused = own.some(({ severity }) => severity === 'error')
    const admission = refused ? [] : await this.#admissionFindings(judge, kind, found)
    const declared = definitionFindings(found)
    return this.#withDeclarations(judge, kind, [...own, ...declared, ...admission])
  }

  /** True if nothing is wrong with an object. False says nothing: `findings` do. */
  async passes(found: UnplacedObject): Promise<boolean> {
    const judge = await this.#judgeOf(found)
    const { value, name } = found
    const { release } = this.#options
    const kind = judge.kinds.kind(name.apiVersion, name.kind)
    const state = versionState(judge.scheme, release, name.apiVersion, name.kind)
    if (kind === undefined || state.is !== 'served' || declaresReferences(found)) return false
    if (judge.newer?.has(kind, value)) return false
    const judgedAs = this.#judgedAs(kind)
    if (!(await passesAlone(judgedAs, value, judge.dry.registry))) return false
    const admission = await this.#admissionFor(judge, kind)
    if (admission === undefined) return true
    const { warnings, refusal } = await admission.admit(judgedAs, value)
    return warnings.length === 0 && refusal === undefined
  }

  /** The row of an object's version, if the release deprecates it or removed it. */
  async outdated(found: FoundObject): Promise<VersionRemoval | undefined> {
    const { scheme } = await this.#judgeOf(found)
    const { apiVersion, kind } = found.name
    const state = versionState(scheme, this.#options.release, apiVersion, kind)
    return state.is === 'served' ? undefined : removalOf(scheme.removals ?? [], apiVersion, kind)
  }

  /** True for an object that decides about others: a definition, a policy, what belongs to one, or a namespace with a level. */
  decides({ value, name: { apiVersion, kind } }: FoundObject): boolean {
    if (kind === 'CustomResourceDefinition') return true
    if (kind === 'Namespace') return hasMark(value, ['pod-security.'])
    if (this.#options.expressions === false) return false
    return deciding.includes(kind) || this.#paramKinds.has(`${apiVersion}/${kind}`)
  }

  /** The kinds whose objects are params of policies. */
  get paramKinds(): readonly string[] {
    return [...this.#paramKinds].map((one) => one.slice(one.lastIndexOf('/') + 1))
  }

  /** What an object tells of itself and asks of others; undefined for a kind that is not known. */
  async facts(found: UnplacedObject | FoundObject): Promise<ObjectFacts | undefined> {
    const judge = await this.#judgeOf(found)
    const kind = judge.kinds.kind(found.name.apiVersion, found.name.kind)
    if (kind === undefined) return undefined
    const base = await fieldTypesOf(judge)
    const types =
      judge.kinds.custom(kind) === undefined ? base : this.#definitions.types(kind, base)
    return factsOf({ ...found, isNamespaced: kind.scope === 'Namespaced', types })
  }

  /** The platforms that are loaded, the first at least, or all of them. */
  async known(which: 'needed' | 'all'): Promise<readonly KnownPlatform[]> {
    const { platforms } = this.#options
    await Promise.all(
      (which === 'all' ? platforms : platforms.slice(0, 1)).map((one) => this.#open(one)),
    )
    return Promise.all(
      [...this.#judges].map(async ([{ marks }, opened]) => {
        const judge = await opened
        const kinds = Object.values(judge.kinds.scheme.routes).map((kind) =>
          this.#knownKind(judge, kind),
        )
        return { marks, kinds, types: await fieldTypesOf(judge) }
      }),
    )
  }

  #knownKind({ scheme, kinds }: Judge, kind: AnyKind): KnownKind {
    const apiVersion = apiVersionOf(kind)
    const made = kinds.custom(kind) && this.#definitions.of(kind)
    return {
      apiVersion,
      kind: kind.kind,
      isNamespaced: kind.scope === 'Namespaced',
      nameFormat: kind.nameFormat,
      state: versionState(scheme, this.#options.release, apiVersion, kind.kind),
      ...(made && { definition: { file: made.file, root: made.root } }),
    }
  }

  /** Takes an object that decides about others. */
  async take(found: FoundObject): Promise<void> {
    if (found.name.kind === 'CustomResourceDefinition') return this.define(found)
    const judge = await this.#judgeOf(found)
    const kind = judge.kinds.kind(found.name.apiVersion, found.name.kind)
    if (kind === undefined) return
    const { spec } = found.value
    if (found.name.kind === 'ValidatingAdmissionPolicy' && isObject(spec)) {
      this.#policies.set(found.name.name ?? '', found)
      const { apiVersion, kind } = isObject(spec.paramKind) ? spec.paramKind : {}
      if (kind !== undefined) this.#paramKinds.add(`${String(apiVersion)}/${String(kind)}`)
    }
    await (await this.#admissionOf(judge)).keep(kind, found.value)
  }

  /** Takes the kinds that a definition makes. One that is wrong makes none. */
  async define(found: FoundObject): Promise<void> {
    const judge = await this.#judgeOf(found)
    const { kinds, dry } = judge
    if (this.#definitions.makes(found.value)) return
    const kind = kinds.kind(found.name.apiVersion, found.name.kind)
    if (kind === undefined) return
    const findings = await findingsOf(judge, kind, found)
    if (findings.some(({ severity }) => severity === 'error')) {
      this.#definitions.addWrong(found.value)
      return
    }
    this.#definitions.add(found)
    await kinds.define((await dry.created(kind, found.value)) as unknown as Definition)
    dry.registry.replaceScheme(kinds.scheme)
  }

  /** Ends what was opened. */
  async close(): Promise<void> {
    const judges = await Promise.all(this.#judges.values())
    await Promise.all(
      judges.map(async ({ dry, admission }) => {
        await (await admission)?.close()
        await dry.close()
      }),
    )
  }

  #judgedAs(kind: AnyKind): AnyKind {
    return this.#options.expressions === false ? withoutRules(kind) : kind
  }

  #admissionOf(judge: Judge): Promise<PolicyRegistry> {
    judge.admission ??= PolicyRegistry.open(() => judge.kinds.scheme, this.#options.podSecurity)
    return judge.admission
  }

  /** What has to admit objects of a kind, if anything has. */
  async #admissionFor(judge: Judge, kind: AnyKind): Promise<PolicyRegistry | undefined> {
    if (this.#options.podSecurity !== undefined) this.#admissionOf(judge)
    return isStored(kind) ? judge.admission : undefined
  }

  async #admissionFindings(judge: Judge, kind: AnyKind, found: FoundObject) {
    const admission = await this.#admissionFor(judge, kind)
    if (admission === undefined) return []
    return admissionFindings(found.root, await admission.admit(this.#judgedAs(kind), found.value), {
      policy: (name) => this.#policies.get(name),
      actions: (binding) => admission.actions(binding),
    })
  }

  /** The findings with the place that the schema has for what they are about. */
  async #withDeclarations(
    { kinds }: Judge,
    kind: AnyKind,
    findings: readonly PartFinding[],
  ): Promise<readonly PartFinding[]> {
    if (findings.length === 0) return findings
    const custom = kinds.custom(kind)
    const declared =
      custom === undefined
        ? await kinds.declarations(kind)
        : (path: string) => this.#definitions.declared(custom, path)
    return findings.map((one) => {
      const found = one.path === undefined ? undefined : declared(one.path)
      return found === undefined ? one : { ...one, declared: found }
    })
  }

  #unknownKind({ kinds, scheme }: Judge, { root, name }: FoundObject): PartFinding {
    const { apiVersion, kind } = name
    const { at } = followPath(root, 'kind').node
    const row = removalOf(scheme.removals ?? [], apiVersion, kind)
    if (row !== undefined) {
      const message = `the fields that it had are not known: ${goneMessage(row, apiVersion, kind)}`
      return finding('kind.unknown', message, at, 'kind')
    }
    const said = `no kind ${kind} is known in ${apiVersion}`
    if (this.#definitions.isWrong({ group: apiVersion.replace(/\/[^/]*$/, ''), kind })) {
      return finding('kind.unknown', `${said}: its definition is wrong`, at, 'kind')
    }
    const near = kinds.nearest(apiVersion, kind)
    const hint = near === undefined ? '' : `; did you mean ${near}?`
    const told = finding('kind.unknown', `${said}${hint}`, at, 'kind')
    const isNear = near?.startsWith(`${apiVersion} `) === true
    return isNear ? { ...told, nearest: near.slice(apiVersion.length + 1) } : told
  }

  /** An object is asked about more than once. */
  #judgeOf(found: UnplacedObject): Promise<Judge> {
    const known = this.#chosen.get(found) ?? this.#choose(found)
    this.#chosen.set(found, known)
    return known
  }

  /** A custom kind without marks is of the platform that knows its definition. */
  async #choose({ value, name }: UnplacedObject): Promise<Judge> {
    const { platforms } = this.#options
    const { apiVersion } = name
    const markedIn = (part: JsonObject) =>
      platforms.length < 2 ? undefined : platforms.find(({ marks }) => hasMark(part, marks))
    // The group says more than keys: a definition of one platform may have an annotation of the other.
    const marked = markedIn({ apiVersion }) ?? markedIn(value)
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
    const opened = open(source, this.#options.release)
    this.#judges.set(source, opened)
    return opened
  }
}

async function open({ load }: PlatformSource, release: string | undefined): Promise<Judge> {
  const scheme = await load()
  const kinds = new KnownKinds(scheme)
  const newer =
    release === undefined
      ? undefined
      : new NewerParts(kinds, await fieldTypesOf({ scheme }), release)
  return { scheme, kinds, newer, dry: await openDryRegistry(scheme), admission: undefined }
}

async function fieldTypesOf({ scheme }: Pick<Judge, 'scheme'>): Promise<FieldTypes> {
  return (await scheme.fieldTypes?.()) ?? noTypes
}

function findingsOf(
  { kinds, dry }: Judge,
  kind: AnyKind,
  { root, value }: FoundObject,
  judgedAs = kind,
) {
  const fieldNames = () => kinds.fieldNames(kind)
  const schema = judgedAs === kind ? kinds.custom(kind)?.schema : undefined
  const { extension } = kinds.scheme.platform
  const custom = schema && { raw: schema.raw, extension }
  return checkObject({ kind: judgedAs, root, value, registry: dry.registry, fieldNames, custom })
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
