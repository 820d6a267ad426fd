/** Rules 1 and 5 about constraints between settings: a combination that was accepted is accepted. */
import type { SettingConstraint } from '../../runtime/kernel/options/setting-constraints.ts'
import { missing } from './resources.ts'

/**
 * The constraints that refuse what was accepted before. `known` says which settings there were: a constraint about new
 * ones alone breaks no configuration.
 */
export function tightened(
  before: readonly SettingConstraint[],
  after: readonly SettingConstraint[],
  known: (setting: string) => boolean,
): readonly SettingConstraint[] {
  return after.filter(
    (is) => concerns(is, known) && !before.some((was) => allowsNoMore(was, narrowed(is, known))),
  )
}

/** True if a configuration of the release before can violate the constraint. */
function concerns(constraint: SettingConstraint, known: (setting: string) => boolean): boolean {
  switch (constraint.is) {
    case 'exclusive':
      return known(constraint.field) && constraint.others.some(known)
    case 'together':
      return known(constraint.field) || known(constraint.other)
    default:
      return known(constraint.field)
  }
}

/**
 * The constraint without settings that no configuration of the release before can have.
 * Only `exclusive` lists others: a new setting among them changes nothing for old configurations.
 */
function narrowed(
  constraint: SettingConstraint,
  known: (setting: string) => boolean,
): SettingConstraint {
  if (constraint.is !== 'exclusive') return constraint
  return { ...constraint, others: constraint.others.filter(known) }
}

/**
 * True if `was` already refused everything that `is` refuses.
 * `exclusive` may lose members, `members` and `switches` may gain some, `labels` may cover fewer
 * domains or allow more; any other constraint has to be the same in all its parts.
 */
function allowsNoMore(was: SettingConstraint, is: SettingConstraint): boolean {
  if (was.is === 'exclusive' && is.is === 'exclusive') {
    return was.field === is.field && missing(is.others, was.others).length === 0
  }
  if ((was.is === 'members' || was.is === 'switches') && is.is === was.is) {
    return was.field === is.field && missing(was.values, is.values).length === 0
  }
  if (was.is === 'labels' && is.is === 'labels') {
    const lost = [
      ...missing(was.values, is.values),
      ...missing(was.prefixes, is.prefixes),
      ...missing(is.domains, was.domains),
    ]
    return was.field === is.field && lost.length === 0
  }
  return JSON.stringify(was) === JSON.stringify(is)
}
