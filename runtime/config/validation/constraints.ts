/** Checks of the constraints that a schema states between fields of a configuration, or between flags. */
import { isLabelKey, isLabelValue } from '../../kernel/meta/names.ts'
import type { SettingConstraint } from '../../kernel/options/setting-constraints.ts'
import { didYouMean } from '../../kernel/values/spelling.ts'
import type { FeatureGates } from '../gates/feature-gates.ts'
import type { ConfigFinding } from '../value/finding.ts'
import {
  holdsValue,
  isSet,
  isZero,
  itemFinding,
  itemsOf,
  membersOf,
  type SettingSubject,
  settingFinding,
} from './setting-subject.ts'
import { formatProblem } from './text-formats.ts'

type Findings = readonly ConfigFinding[]
/** The constraint of one kind. */
type Constraint<K extends SettingConstraint['is']> = SettingConstraint & { readonly is: K }

/** What a check may look at beside its constraint. */
interface Context {
  /** The setting of a name: a field of the same struct, or a flag. */
  readonly subject: (name: string) => SettingSubject
  /** The gates that are on. */
  readonly gates: FeatureGates
}

/**
 * What is wrong by one constraint. Defaults are never refused: there are no findings unless one
 * of the settings in question was set.
 */
export function constraintFindings(
  constraint: SettingConstraint,
  subject: (name: string) => SettingSubject,
  gates: FeatureGates,
): Findings {
  const check = checks[constraint.is] as (
    constraint: SettingConstraint,
    context: Context,
  ) => Findings
  return check(constraint, { subject, gates })
}

const checks: {
  readonly [K in SettingConstraint['is']]: (constraint: Constraint<K>, context: Context) => Findings
} = { exclusive, needs, together, members, format, switches, labels, gate }

/** If the setting is set, none of the others may be; one finding for each that is. */
function exclusive({ field, others }: Constraint<'exclusive'>, { subject }: Context): Findings {
  const setting = subject(field)
  if (!isSet(setting)) return []
  return others
    .map(subject)
    .filter(isSet)
    .flatMap((other) => settingFinding(setting, `must not be set together with ${other.name}`))
}

/** If the setting has the value, the other must not be zero, even by default. */
function needs(constraint: Constraint<'needs'>, { subject }: Context): Findings {
  const { field, value, other } = constraint
  const [setting, needed] = [subject(field), subject(other)]
  if (!isSet(setting) || !holdsValue(setting, value) || !isZero(needed.value)) return []
  const cause = value === undefined ? '' : `"${value}" `
  return settingFinding(setting, `${cause}needs ${needed.name} to be set`)
}

/** Blames the one of the two that is set. */
function together(constraint: Constraint<'together'>, { subject }: Context): Findings {
  const [field, other] = [subject(constraint.field), subject(constraint.other)]
  if (isSet(field) === isSet(other)) return []
  const [present, absent] = isSet(field) ? [field, other] : [other, field]
  return settingFinding(present, `needs ${absent.name} as well`)
}

/** One finding for each item of a list, or key of a map, that is not supported. */
function members({ field, values }: Constraint<'members'>, { subject }: Context): Findings {
  const setting = subject(field)
  const supported = values.map((value) => `"${value}"`).join(', ')
  return membersOf(setting)
    .filter((member) => !values.includes(member))
    .flatMap((member) =>
      settingFinding(setting, `Unsupported value: "${member}": supported values: ${supported}`),
    )
}

/** An empty text has no format: the flag or field counts as left out. */
function format(constraint: Constraint<'format'>, { subject }: Context): Findings {
  const setting = subject(constraint.field)
  return itemsOf(setting).flatMap(({ step, text }) => {
    const problem = text === '' ? undefined : formatProblem(constraint.format, text)
    return problem === undefined ? [] : itemFinding(setting, step, JSON.stringify(text), problem)
  })
}

/** Words that each switch something on, or off with a hyphen before them; a star stands for the words that are on anyway. */
function switches({ field, values }: Constraint<'switches'>, { subject }: Context): Findings {
  const setting = subject(field)
  return itemsOf(setting).flatMap(({ step, text }) => {
    const name = text.replace(/^-/, '')
    if (text === '*' || values.includes(name)) return []
    return itemFinding(setting, step, `"${name}"`, `is unknown${didYouMean(name, values)}`)
  })
}

/** The keys and values of a map of labels, and the domains that its labels are of. */
function labels(constraint: Constraint<'labels'>, { subject }: Context): Findings {
  const setting = subject(constraint.field)
  return itemsOf(setting).flatMap(({ step, text }) => {
    const key = step.slice(1, -1)
    if (!isLabelKey(key)) return itemFinding(setting, step, `"${key}"`, 'is not the key of a label')
    if (!isLabelValue(text)) {
      return itemFinding(setting, step, JSON.stringify(text), 'is not the value of a label')
    }
    const problem = reservedLabelProblem(key, constraint)
    return problem === undefined ? [] : itemFinding(setting, step, `"${key}"`, problem)
  })
}

/** Labels of the platform's domains are reserved, but for known ones and those under certain prefixes. */
function reservedLabelProblem(
  key: string,
  { domains, prefixes, values }: Constraint<'labels'>,
): string | undefined {
  const host = key.includes('/') ? key.slice(0, key.indexOf('/')) : ''
  if (!isUnder(host, domains) || isUnder(host, prefixes) || values.includes(key)) return undefined
  const allowed = prefixes.join(', ')
  return `is of a domain of which only labels under ${allowed} and known ones may be given${didYouMean(key, values)}`
}

/** True if a host is one of the domains or a subdomain of one. */
function isUnder(host: string, domains: readonly string[]): boolean {
  return domains.some((domain) => host === domain || host.endsWith(`.${domain}`))
}

/** A setting, or one value of it, that has an effect only while its feature gate is on. */
function gate(constraint: Constraint<'gate'>, { subject, gates }: Context): Findings {
  const setting = subject(constraint.field)
  const { value, gate: name } = constraint
  if (!isSet(setting) || !holdsValue(setting, value) || gates.enabled(name)) return []
  const purpose = value === undefined ? '' : ` for ${value}`
  return settingFinding(setting, `needs the feature gate ${name}${purpose}`)
}
