import { isObject } from '../kernel/values/json.ts'
import {
  followPath,
  type LocatedDocument,
  type LocatedValue,
  type TextRange,
} from '../serializer/serializer.ts'
import { isSecretPath, nameOf, untyped } from './object/object-name.ts'
import { plainValue } from './object/plain-value.ts'
import { type FoundObject, type JudgeOptions, PlatformJudges } from './platform/judges.ts'
import { type Finding, type ObjectName, sortedFindings } from './rules/finding.ts'
import { finding } from './rules/part-finding.ts'
import {
  holdsObjects,
  objectsIn,
  readDocuments,
  type Source,
  textFindings,
} from './text/read-documents.ts'
import { applySuppressions } from './text/suppressions.ts'

/** What a validator judges by. */
export interface ValidatorOptions extends JudgeOptions {
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
 * Judges documents as the server of their platform would. Sources with definitions are learned first; then each is checked by itself,
 * in any order, and nothing of it is kept.
 */
export interface Validator {
  /** Takes the kinds that the definitions of a source make. What is wrong with them is told when the source is checked. */
  learn(source: Source): Promise<void>
  /** Every finding about a source. */
  check(source: Source): Promise<CheckedSource>
  /** Every finding about an object that was not read from a text, with the places that it has. */
  checkValue(file: string, root: LocatedValue<TextRange>): Promise<readonly Finding[]>
  close(): Promise<void>
}

/** Opens a validator. Schemes are loaded when a document needs them. */
export function openValidator(options: ValidatorOptions): Validator {
  const judges = new PlatformJudges(options)
  return {
    learn: (source) => learn(judges, source),
    check: (source) => check(judges, source, options.today),
    checkValue: async (file, root) =>
      sortedFindings(await checkRoot(judges, file, root, new Map())),
    close: () => judges.close(),
  }
}

async function learn(judges: PlatformJudges, source: Source): Promise<void> {
  const { documents } = await readDocuments(source)
  for (const root of documents.flatMap((one) => (one.root ? objectsIn(one.root) : []))) {
    const found = objectAt(root)
    if (found?.name.kind === 'CustomResourceDefinition') await judges.define(found)
  }
}

async function check(
  judges: PlatformJudges,
  source: Source,
  today: string,
): Promise<CheckedSource> {
  const { documents, problem } = await readDocuments(source)
  if (source.mayBeOther && problem === undefined && !holdsObjects(documents)) {
    return { findings: [], objects: 0, suppressed: 0 }
  }
  const findings: Finding[] = problem === undefined ? [] : [{ ...problem, file: source.name }]
  const seen = new Map<string, TextRange>()
  let objects = 0
  for (const document of documents) {
    const roots = document.root === undefined ? [] : objectsIn(document.root)
    objects += roots.length
    findings.push(...textFindings(source.name, document as LocatedDocument))
    for (const root of roots) findings.push(...(await checkRoot(judges, source.name, root, seen)))
  }
  const settled = applySuppressions(source, findings, today)
  return { findings: sortedFindings(settled.findings), objects, suppressed: settled.suppressed }
}

async function checkRoot(
  judges: PlatformJudges,
  file: string,
  root: LocatedValue<TextRange>,
  seen: Map<string, TextRange>,
): Promise<readonly Finding[]> {
  const found = objectAt(root)
  if (found === undefined) return [{ ...untyped(root, plainValue(root)), file }]
  const { name } = found
  const parts = [...(await judges.findings(found)), ...repeated(file, found, seen)]
  return parts.map((each) => ({
    ...each,
    file,
    object: name,
    ...(name.kind === 'Secret' && isSecretPath(each.path) && { secret: true as const }),
  }))
}

function objectAt(root: LocatedValue<TextRange>): FoundObject | undefined {
  const value = plainValue(root)
  const name = isObject(value) ? nameOf(value) : undefined
  return isObject(value) && name !== undefined ? { root, value, name } : undefined
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
