/** The status of definitions: accepted names, and the conditions that decide whether they are served (supplement C-03). */
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { type Condition, upsertCondition } from '../../kernel/meta/status-conditions.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import { approvalCondition } from './approval.ts'
import { type Definition, type DefinitionNames, findCondition } from './definition.ts'
import type { NameSet, TakenNames } from './names-in-use.ts'

/**
 * The names that are accepted for a definition, and its condition NamesAccepted. The names may be a
 * mixture of requested and earlier ones; the condition is True only if every requested name was
 * accepted.
 */
export interface NamesAcceptance {
  readonly names: DefinitionNames
  readonly condition: Condition
}

/** A name that another definition has. */
interface Conflict {
  readonly reason: string
  readonly message: string
}

/**
 * Accepts the names of a definition that no other definition of its group has; for the others the
 * old names stay. A name that was accepted before stays accepted even if another definition has it
 * by now: taking it away would take objects out of service. Of several conflicts the condition
 * tells the last one, in the order plural, singular, short names, kind, list kind. Categories are
 * shared on purpose and never conflict.
 */
export function acceptNames(
  { spec, status }: Definition,
  { resources, kinds }: TakenNames,
): NamesAcceptance {
  const requested = spec.names
  const accepted = status?.acceptedNames ?? { plural: '', kind: '' }
  const conflicts: Conflict[] = []
  const accept = (field: NameField, taken: NameSet): string => {
    const name = requested[field] ?? ''
    if (name === accepted[field] || !taken.has(name)) return name
    conflicts.push({ reason: conflictReasons[field], message: inUse(name) })
    return accepted[field] ?? ''
  }
  const plural = accept('plural', resources)
  const singular = accept('singular', resources)
  const shortNames = acceptShortNames(requested, accepted, resources, conflicts)
  const kind = accept('kind', kinds)
  const listKind = accept('listKind', kinds)
  const { categories = [] } = requested
  const names = {
    plural,
    singular,
    ...(shortNames && shortNames.length > 0 && { shortNames }),
    kind,
    listKind,
    ...(categories.length > 0 && { categories }),
  }
  return { names, condition: namesAccepted(conflicts.at(-1)) }
}

type NameField = 'plural' | 'singular' | 'kind' | 'listKind'

const conflictReasons: Readonly<Record<NameField, string>> = {
  plural: 'PluralConflict',
  singular: 'SingularConflict',
  kind: 'KindConflict',
  listKind: 'ListKindConflict',
}

function inUse(name: string): string {
  return `${quoted(name)} is already in use`
}

/**
 * Short names are accepted all together or not at all. A conflict keeps the short names from
 * before. The accepted plural and singular are the definition's own, and may be repeated as short
 * names.
 */
function acceptShortNames(
  requested: DefinitionNames,
  accepted: DefinitionNames,
  taken: NameSet,
  conflicts: Conflict[],
): readonly string[] | undefined {
  const own = new Set([...(accepted.shortNames ?? []), accepted.plural, accepted.singular])
  const used = (requested.shortNames ?? []).filter((name) => !own.has(name) && taken.has(name))
  if (used.length === 0) return requested.shortNames
  const texts = used.map(inUse)
  const message = texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`
  conflicts.push({ reason: 'ShortNamesConflict', message })
  return accepted.shortNames
}

function namesAccepted(conflict: Conflict | undefined): Condition {
  const type = 'NamesAccepted'
  if (conflict !== undefined) return { type, status: 'False', ...conflict }
  return { type, status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
}

/**
 * The status of a definition with these names. Once established, a definition stays established.
 * `now` is in milliseconds since 1970 and is the transition time of conditions whose status
 * changed; the others keep theirs. Fields of the status that this does not decide, storedVersions
 * among them, are kept.
 */
export function statusWithNames(
  definition: Definition,
  { names, condition }: NamesAcceptance,
  platform: Platform,
  now: number,
): NonNullable<Definition['status']> {
  const isEstablished =
    condition.status === 'True' || findCondition(definition, 'Established')?.status === 'True'
  const approval = approvalCondition(definition, platform)
  const changed = [condition, established(isEstablished), ...(approval ? [approval] : [])]
  const conditions = changed.reduce<readonly Condition[]>(
    (all, one) => upsertCondition(all, one, now),
    (definition.status?.conditions ?? []) as readonly Condition[],
  )
  return { ...definition.status, acceptedNames: names, conditions } as NonNullable<
    Definition['status']
  >
}

/**
 * NotAccepted is for definitions that never had all their names; a later conflict shows in
 * NamesAccepted alone.
 */
function established(isEstablished: boolean): Condition {
  const type = 'Established'
  if (!isEstablished) {
    const message = 'not all names are accepted'
    return { type, status: 'False', reason: 'NotAccepted', message }
  }
  const message = 'the initial names have been accepted'
  return { type, status: 'True', reason: 'InitialNamesAccepted', message }
}
