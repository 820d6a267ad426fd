/** The status of definitions: accepted names, and the conditions that decide whether they are served (supplement C-03). */
import type { Platform } from '../../kernel/descriptors/platform.ts'
import { type Condition, upsertCondition } from '../../kernel/meta/status-conditions.ts'
import { approvalCondition } from './approval.ts'
import { type Definition, type DefinitionNames, findCondition } from './definition.ts'
import type { NameSet, TakenNames } from './names-in-use.ts'

/** The names that are accepted for a definition, and its condition NamesAccepted. */
export interface NamesAcceptance {
  readonly names: DefinitionNames
  readonly condition: Condition
}

/** A name that another definition has. */
interface Conflict {
  readonly reason: string
  readonly message: string
}

/** Accepts the names of a definition that no other definition of its group has; for the others the old names stay. */
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
  return `${JSON.stringify(name)} is already in use`
}

/** Short names are accepted all together or not at all. */
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

/** The status of a definition with these names. Once established, a definition stays established. */
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

function established(isEstablished: boolean): Condition {
  const type = 'Established'
  if (!isEstablished) {
    const message = 'not all names are accepted'
    return { type, status: 'False', reason: 'NotAccepted', message }
  }
  const message = 'the initial names have been accepted'
  return { type, status: 'True', reason: 'InitialNamesAccepted', message }
}
