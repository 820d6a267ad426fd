import { isObject, type Json } from '../kernel/values/json.ts'
import {
  followPath,
  type LocatedDocument,
  type LocatedValue,
  type TextRange,
} from '../serializer/serializer.ts'
import { isSecretPath, nameOf, untyped } from './object/object-name.ts'
import { plainValue } from './object/plain-value.ts'
import {
  type FoundObject,
  type JudgeOptions,
  type KnownPlatform,
  PlatformJudges,
  type UnplacedObject,
} from './platform/judges.ts'
import { type DocumentMigration, migrationsOf } from './platform/migrations.ts'
import { CrossCheck } from './references/cross-check.ts'
import { isUnplaced, type ObjectFacts } from './references/facts.ts'
import { type Finding, type ObjectName, sortedFindings } from './rules/finding.ts'
import { finding } from './rules/part-finding.ts'
import { isAcross, rules } from './rules/rule.ts'
import { isOfOtherTool } from './text/other-tools.ts'
import { readPlainObjects } from './text/plain-objects.ts'
import {
  holdsObjects,
  objectsIn,
  readDocuments,
  type Source,
  textFindings,
  textOf,
} from './text/read-documents.ts'
import { applySuppressions, mayHaveSuppressions } from './text/suppressions.ts'

/** What a validator judges by. */
export interface ValidatorOptions extends JudgeOptions {
  /** The day by which suppressions expire, as `2027-01-31`. */
  readonly today: string
  /** Judges configuration files, which no server takes. Default: their kinds are not known. */
  readonly configuration?: ConfigurationJudge
  /**
   * True if the documents are all that there is: then every reference that leads nowhere is a finding. Default: only one that is close to
   * a name that is there, which is a slip of the pen.
   */
  readonly complete?: boolean
  /**
   * Gives a source once more. With it, a source is read without positions, which takes a small part of the time, until something is to be
   * told of it: its facts have no places then. Default: every source is read with positions at once.
   */
  readonly reread?: (name: string) => Source | undefined
}

/** What documents say of each other. */
export interface CheckedAcross {
  readonly findings: readonly Finding[]
  /** How many comments suppress. */
  readonly suppressed: number
}

/** What judges configuration files, which hold one document. */
export interface ConfigurationJudge {
  /** True for `apiVersion/kind` of a configuration. */
  has(kind: string): boolean
  check(
    source: Source,
  ): Promise<
    readonly { readonly message: string; readonly line?: number; readonly column?: number }[]
  >
}

/** What became of a text. */
export interface CheckedSource {
  readonly findings: readonly Finding[]
  /** How many objects it holds. */
  readonly objects: number
  /** How many findings comments in it suppress. */
  readonly suppressed: number
  /** What its objects tell of themselves and ask of others. */
  readonly facts: readonly ObjectFacts[]
}

/**
 * Judges documents as the server of their platform would. Sources with definitions are learned first; then each is checked by itself,
 * in any order, and nothing of it is kept.
 */
export interface Validator {
  /**
   * Takes what decides about other objects: the kinds that the definitions of a source make, admission policies with what belongs to
   * them, and levels of pod security. What is wrong with them is told when the source is checked. Learning twice changes nothing.
   */
  learn(source: Source): Promise<void>
  /** Words of which one stands in every source that has something to learn; policies add the kinds of their params. */
  teaching(): readonly string[]
  /** Every finding about a source. One that was checked before is checked anew. */
  check(source: Source): Promise<CheckedSource>
  /** Adds what objects of sources that another validator checked tell of themselves. */
  compare(facts: readonly ObjectFacts[]): void
  /** True for a source that may have comments which suppress findings: what they do is told by who has the facts of all sources. */
  hasComments(source: Source): boolean
  /** Takes a checked source out of what documents say of each other. */
  forget(source: string): void
  /** Every finding about what the checked documents say of each other, as they are now. */
  across(): Promise<CheckedAcross>
  /** The platforms that documents needed so far, the first at least, or all of them, with the kinds that are known of each. */
  platforms(which: 'needed' | 'all'): Promise<readonly KnownPlatform[]>
  /** Every finding about an object that was not read from a text, with the places that it has. */
  checkValue(file: string, root: LocatedValue<TextRange>): Promise<readonly Finding[]>
  /** How each document of a source that states a version which the release deprecates or removed becomes one of its replacement. */
  migrations(source: Source): Promise<readonly DocumentMigration[]>
  close(): Promise<void>
}

/** Opens a validator. Schemes are loaded when a document needs them. */
export function openValidator(options: ValidatorOptions): Validator {
  const judges = new PlatformJudges(options)
  const run: CheckRun = { across: new CrossCheck(options.complete === true), commented: new Map() }
  return {
    learn: (source) => learn(judges, source),
    teaching: () => [...teachingWords, ...judges.paramKinds],
    check: (source) => check(judges, run, source, options),
    compare: (facts) => {
      for (const one of facts) run.across.add(one)
    },
    hasComments: mayHaveSuppressions,
    forget: (source) => forget(run, source),
    across: async () =>
      checkAcross(run, await placedFindings(judges, run, options.reread), options.today),
    platforms: (which) => judges.known(which),
    checkValue: async (file, root) =>
      sortedFindings(await checkRoot(judges, run, file, root, new Map())),
    migrations: async (source) => {
      const { documents } = await readDocuments(source)
      const roots = documents.flatMap((one) => (one.root ? objectsIn(one.root) : []))
      const found = roots.flatMap((root) => objectAt(source.name, root) ?? [])
      return migrationsOf(judges, textOf(source), found)
    },
    close: () => judges.close(),
  }
}

const teachingWords = [
  'CustomResourceDefinition',
  'ValidatingAdmissionPolicy',
  'pod-security.',
] as const

async function learn(judges: PlatformJudges, source: Source): Promise<void> {
  const { documents } = await readDocuments(source)
  for (const root of documents.flatMap((one) => (one.root ? objectsIn(one.root) : []))) {
    const found = objectAt(source.name, root)
    if (found !== undefined && judges.decides(found)) await judges.take(found)
  }
}

/** What is kept between the documents of a run: what they tell of themselves, and texts with comments about that. */
interface CheckRun {
  readonly across: CrossCheck
  readonly commented: Map<
    string,
    { readonly source: Source; readonly findings: readonly Finding[] }
  >
}

function checkAcross(
  { commented }: CheckRun,
  findings: readonly Finding[],
  today: string,
): CheckedAcross {
  const told = findings.filter(({ file }) => !commented.has(file))
  let suppressed = 0
  for (const [file, { source, findings: own }] of commented) {
    const about = findings.filter((one) => one.file === file)
    const settled = applySuppressions(source, [...own, ...about], today)
    told.push(...settled.findings.filter((one) => about.includes(one) || isUnusedAcross(one)))
    suppressed += about.filter((one) => !settled.findings.includes(one)).length
  }
  return { findings: sortedFindings(told), suppressed }
}

/** What documents say of each other. Files that findings without a place are about are read once more, with positions. */
async function placedFindings(
  judges: PlatformJudges,
  { across }: CheckRun,
  reread: ValidatorOptions['reread'],
): Promise<readonly Finding[]> {
  const findings = across.findings()
  const files = findings.flatMap(({ file, at }) => (at && isUnplaced(at) ? [file] : []))
  if (reread === undefined || files.length === 0) return findings
  for (const file of new Set(files)) {
    const source = reread(file)
    if (source === undefined) continue
    const { documents } = await readDocuments(source)
    const facts: ObjectFacts[] = []
    for (const root of documents.flatMap((one) => (one.root ? objectsIn(one.root) : []))) {
      const found = objectAt(file, root)
      const own = found && (await judges.facts(found))
      if (own !== undefined) facts.push(own)
    }
    across.replace(file, facts)
  }
  return across.findings()
}

/** A comment that names a rule about several documents may be of use yet while only one is known. */
function isUnusedAcross({ rule, message }: Finding): boolean {
  return rule === 'suppression.unused' && message.split(/[ ,]+/).some(isAcross)
}

function forget({ across, commented }: CheckRun, file: string): void {
  across.forget(file)
  commented.delete(file)
}

async function check(
  judges: PlatformJudges,
  run: CheckRun,
  source: Source,
  options: ValidatorOptions,
): Promise<CheckedSource> {
  forget(run, source.name)
  const passed = options.reread && (await checkPlain(judges, run, source, options))
  return passed ?? checkPlaced(judges, run, source, options)
}

/**
 * Checks a source without positions. Undefined if there is something to tell of it, or to look at more closely: nothing is kept of it
 * then.
 */
async function checkPlain(
  judges: PlatformJudges,
  { across }: CheckRun,
  source: Source,
  { configuration }: ValidatorOptions,
): Promise<CheckedSource | undefined> {
  const values = mayHaveSuppressions(source) ? undefined : readPlainObjects(source)
  if (values === undefined) return undefined
  const facts: ObjectFacts[] = []
  const seen = new Set<string>()
  for (const value of values) {
    const found = unplacedObject(source.name, value)
    if (found === undefined || seen.has(identity(found.name))) return undefined
    const { apiVersion, kind } = found.name
    if (isOfOtherTool(apiVersion) || configuration?.has(`${apiVersion}/${kind}`)) return undefined
    if (found.name.name !== undefined) seen.add(identity(found.name))
    const own = await judges.facts(found)
    if (own === undefined || !(await judges.passes(found))) return undefined
    facts.push(own)
  }
  for (const one of facts) across.add(one)
  return { findings: [], objects: values.length, suppressed: 0, facts }
}

async function checkPlaced(
  judges: PlatformJudges,
  run: CheckRun,
  source: Source,
  { today, configuration }: ValidatorOptions,
): Promise<CheckedSource> {
  const { documents, problem } = await readDocuments(source)
  if (configuration !== undefined && holdsConfiguration(documents, configuration)) {
    const own = await configurationFindings(source, configuration)
    const { findings, suppressed } = applySuppressions(source, own, today)
    return { findings: sortedFindings(findings), objects: 1, suppressed, facts: [] }
  }
  if (source.mayBeOther && problem === undefined && !holdsObjects(documents)) {
    return { findings: [], objects: 0, suppressed: 0, facts: [] }
  }
  const findings: Finding[] = problem === undefined ? [] : [{ ...problem, file: source.name }]
  const seen = new Map<string, TextRange>()
  let objects = 0
  for (const document of documents) {
    const roots = document.root === undefined ? [] : objectsIn(document.root)
    objects += roots.length
    findings.push(...textFindings(source.name, document as LocatedDocument))
    for (const root of roots)
      findings.push(...(await checkRoot(judges, run, source.name, root, seen)))
  }
  const settled = applySuppressions(source, findings, today)
  if (mayHaveSuppressions(source)) run.commented.set(source.name, { source, findings })
  const told = settled.findings.filter((one) => !isUnusedAcross(one))
  const { suppressed } = settled
  return { findings: sortedFindings(told), objects, suppressed, facts: run.across.of(source.name) }
}

function holdsConfiguration(
  documents: readonly LocatedDocument[],
  configuration: ConfigurationJudge,
): boolean {
  return documents.some(({ root }) => {
    const found = root && objectAt('', root)
    return found !== undefined && configuration.has(`${found.name.apiVersion}/${found.name.kind}`)
  })
}

async function configurationFindings(
  source: Source,
  configuration: ConfigurationJudge,
): Promise<readonly Finding[]> {
  const { severity } = rules['config.invalid']
  const lines = Buffer.from(source.text).toString().split('\n')
  return (await configuration.check(source)).map(({ message, line, column }) => {
    const at = line !== undefined && column !== undefined ? placeOf(lines, line, column) : undefined
    return { rule: 'config.invalid', severity, message, file: source.name, ...(at && { at }) }
  })
}

function placeOf(lines: readonly string[], line: number, column: number): TextRange {
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  const offset = before + column - 1
  return { line, column, offset, end: offset }
}

async function checkRoot(
  judges: PlatformJudges,
  run: CheckRun,
  file: string,
  root: LocatedValue<TextRange>,
  seen: Map<string, TextRange>,
): Promise<readonly Finding[]> {
  const found = objectAt(file, root)
  if (found === undefined) return [{ ...untyped(root, plainValue(root)), file }]
  const { name } = found
  const facts = await judges.facts(found)
  if (facts !== undefined) run.across.add(facts)
  const parts = [...(await judges.findings(found)), ...repeated(file, found, seen)]
  return parts.map((each) => ({
    ...each,
    file,
    object: name,
    ...(name.kind === 'Secret' && isSecretPath(each.path) && { secret: true as const }),
  }))
}

function objectAt(file: string, root: LocatedValue<TextRange>): FoundObject | undefined {
  const found = unplacedObject(file, plainValue(root))
  return found && { ...found, root }
}

function unplacedObject(file: string, value: Json): UnplacedObject | undefined {
  const name = isObject(value) ? nameOf(value) : undefined
  return isObject(value) && name !== undefined ? { file, value, name } : undefined
}

/** An object that stood before in the same text: folders may hold one object for each of several clusters. */
function repeated(file: string, { root, name }: FoundObject, seen: Map<string, TextRange>) {
  if (name.name === undefined) return []
  const key = identity(name)
  const { at } = followPath(root, 'metadata.name').node
  const first = seen.get(key)
  seen.set(key, first ?? at)
  if (first === undefined) return []
  const message = `${name.kind} ${name.name} stands at line ${first.line}, too`
  const related = [{ message: 'it stands here first', file, at: first }]
  return [{ ...finding('object.duplicate', message, at, 'metadata.name'), related }]
}

/** Versions of one group are the same object. */
function identity({ apiVersion, kind, namespace = '', name = '' }: ObjectName): string {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
  return [group, kind, namespace, name].join('\0')
}
