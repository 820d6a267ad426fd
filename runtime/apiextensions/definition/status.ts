/** What a definition's status says: which names it has, and whether it is served (supplement C-03). */

import type { Platform } from '../../kernel/descriptors/platform.ts'
import { type Condition, upsertCondition } from '../../kernel/meta/status-conditions.ts'
import { approvalCondition } from './approval.ts'
import { type Definition, type DefinitionNames, findCondition } from './definition.ts'
import type { NameSet, TakenNames } from './names-in-use.ts'

/** The names that a definition gets, and what it is told about them. */
export interface NamesAcceptance {
  readonly names: DefinitionNames
  readonly condition: Condition
}

/** The wanted names, as far as nobody else has them; what is refused stays as it was. */
export function acceptNames(
  { spec, status }: Definition,
  { resources, kinds }: TakenNames,
): NamesAcceptance {
  const wanted = spec.names
  const had = status?.acceptedNames ?? { plural: '', kind: '' }
  const conflicts: { readonly reason: string; readonly message: string }[] = []
  const free = (
    word: 'plural' | 'singular' | 'kind' | 'listKind',
    reason: string,
    taken: NameSet,
  ): string => {
    const name = wanted[word] ?? ''
    if (name === had[word] || !taken.has(name)) return name
    conflicts.push({ reason, message: `${JSON.stringify(name)} is already in use` })
    return had[word] ?? ''
  }
  const plural = free('plural', 'PluralConflict', resources)
  const singular = free('singular', 'SingularConflict', resources)
  const shortNames = shortNamesOf(wanted, had, resources, conflicts)
  const kind = free('kind', 'KindConflict', kinds)
  const listKind = free('listKind', 'ListKindConflict', kinds)
  const { categories } = wanted
  const names = {
    plural,
    singular,
    ...(shortNames && shortNames.length > 0 && { shortNames }),
    kind,
    listKind,
    ...(categories && categories.length > 0 && { categories }),
  }
  const last = conflicts.at(-1)
  const condition: Condition =
    last === undefined
      ? {
          type: 'NamesAccepted',
          status: 'True',
          reason: 'NoConflicts',
          message: 'no conflicts found',
        }
      : { type: 'NamesAccepted', status: 'False', ...last }
  return { names, condition }
}

function shortNamesOf(
  wanted: DefinitionNames,
  had: DefinitionNames,
  taken: NameSet,
  conflicts: { readonly reason: string; readonly message: string }[],
): readonly string[] | null | undefined {
  const own = new Set([...(had.shortNames ?? []), had.plural, had.singular])
  const used = (wanted.shortNames ?? []).filter((name) => !own.has(name) && taken.has(name))
  if (used.length === 0) return wanted.shortNames
  const texts = used.map((name) => `${JSON.stringify(name)} is already in use`)
  const message = texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`
  conflicts.push({ reason: 'ShortNamesConflict', message })
  return had.shortNames
}

/** The status that follows from the names. Once established, a definition stays so. */
export function statusWithNames(
  definition: Definition,
  { names, condition }: NamesAcceptance,
  platform: Platform,
  now: number,
): NonNullable<Definition['status']> {
  const accepted = condition.status === 'True'
  const before = findCondition(definition, 'Established')
  const established: Condition =
    before?.status === 'True' || accepted
      ? {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        }
      : {
          type: 'Established',
          status: 'False',
          reason: 'NotAccepted',
          message: 'not all names are accepted',
        }
  const approval = approvalCondition(definition, platform)
  const told = [condition, established, ...(approval ? [approval] : [])]
  const conditions = told.reduce<readonly Condition[]>(
    (all, one) => upsertCondition(all, one, now),
    definition.status?.conditions ?? [],
  )
  return { ...definition.status, acceptedNames: names, conditions }
}
