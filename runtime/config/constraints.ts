/** What several settings must fulfil together: fields of a configuration, or flags. */
import type { Constraint } from '../kernel/constraints.ts'
import { isLabelKey, isLabelValue } from '../kernel/names.ts'
import { hint } from '../kernel/nearest.ts'
import type { FeatureGates } from './features.ts'
import type { ConfigFinding } from './finding.ts'
import { formatProblem } from './formats.ts'
import type { Place } from './place.ts'

/** One setting as constraints see it. */
export interface Subject {
  /** What a person calls it: a path, or a flag with its hyphens. */
  readonly name: string
  readonly value: unknown
  /** Where somebody said it; undefined for a default. */
  readonly place?: Place
  /** Where a part such as `[0]` or `[memory]` was said, if that is known more closely. */
  readonly partPlace?: (step: string) => Place
}

/** What breaks a constraint; nothing if no setting in question was given by anybody. */
export function checkConstraint(
  constraint: Constraint,
  subject: (field: string) => Subject,
  gates: FeatureGates,
): readonly ConfigFinding[] {
  const field = subject(constraint.field)
  switch (constraint.is) {
    case 'exclusive':
      return constraint.others
        .map(subject)
        .filter((other) => isSet(field) && isSet(other))
        .flatMap((other) => refused(field, `must not be set together with ${other.name}`))
    case 'needs':
      if (!isSet(field) || !has(field, constraint.value)) return []
      return needed(field, constraint.value, subject(constraint.other))
    case 'together': {
      const other = subject(constraint.other)
      if (isSet(field) === isSet(other)) return []
      const [given, absent] = isSet(field) ? [field, other] : [other, field]
      return refused(given, `needs ${absent.name} as well`)
    }
    case 'members':
      return members(field)
        .filter((member) => !constraint.values.includes(member))
        .flatMap((member) => {
          const known = constraint.values.map((value) => `"${value}"`).join(', ')
          return refused(field, `Unsupported value: "${member}": supported values: ${known}`)
        })
    case 'format':
      return parts(field).flatMap(({ step, text }) => {
        const problem = text === '' ? undefined : formatProblem(constraint.format, text)
        return problem === undefined ? [] : refusedPart(field, step, JSON.stringify(text), problem)
      })
    case 'switches':
      return parts(field).flatMap(({ step, text }) => {
        const name = text.replace(/^-/, '')
        if (text === '*' || constraint.values.includes(name)) return []
        return refusedPart(field, step, `"${name}"`, `is unknown${hint(name, constraint.values)}`)
      })
    case 'labels':
      return labelFindings(field, constraint)
    case 'gate':
      if (!isSet(field) || !has(field, constraint.value) || gates.enabled(constraint.gate))
        return []
      return refused(
        field,
        `needs the feature gate ${constraint.gate}${constraint.value === undefined ? '' : ` for ${constraint.value}`}`,
      )
  }
}

function needed(
  field: Subject,
  value: string | undefined,
  other: Subject,
): readonly ConfigFinding[] {
  if (!isZero(other.value)) return []
  return refused(field, `${value === undefined ? '' : `"${value}" `}needs ${other.name} to be set`)
}

function refused(subject: Subject, why: string): readonly ConfigFinding[] {
  return subject.place === undefined
    ? []
    : [{ place: subject.place, message: `${subject.name}: ${why}` }]
}

function labelFindings(
  field: Subject,
  { domains, prefixes, values }: Constraint & { readonly is: 'labels' },
): readonly ConfigFinding[] {
  const under = (host: string, roots: readonly string[]) =>
    roots.some((root) => host === root || host.endsWith(`.${root}`))
  return parts(field).flatMap(({ step, text }) => {
    const key = step.slice(1, -1)
    if (!isLabelKey(key)) return refusedPart(field, step, `"${key}"`, 'is not the key of a label')
    if (!isLabelValue(text)) {
      return refusedPart(field, step, JSON.stringify(text), 'is not the value of a label')
    }
    const host = key.includes('/') ? key.slice(0, key.indexOf('/')) : ''
    if (!under(host, domains) || under(host, prefixes) || values.includes(key)) return []
    const why = `is of a domain of which only labels under ${prefixes.join(', ')} and known ones may be given`
    return refusedPart(field, step, `"${key}"`, `${why}${hint(key, values)}`)
  })
}

/** The texts of a setting: itself, or the items of a list or the values of a map with the steps to them. */
function parts({ value }: Subject): readonly { readonly step: string; readonly text: string }[] {
  if (typeof value === 'string') return [{ step: '', text: value }]
  const entries =
    value instanceof Map
      ? [...(value as ReadonlyMap<string, unknown>)]
      : typeof value === 'object' && value !== null
        ? Object.entries(value)
        : []
  return entries.flatMap(([key, text]) =>
    typeof text === 'string' ? [{ step: `[${key}]`, text }] : [],
  )
}

function refusedPart(
  { name, place, partPlace }: Subject,
  step: string,
  what: string,
  why: string,
): readonly ConfigFinding[] {
  if (place === undefined) return []
  return [{ place: partPlace?.(step) ?? place, message: `${name}${step}: ${what} ${why}` }]
}

function isSet({ place, value }: Subject): boolean {
  return place !== undefined && !isZero(value)
}

function has({ value }: Subject, wanted: string | undefined): boolean {
  return (
    wanted === undefined || value === wanted || (Array.isArray(value) && value.includes(wanted))
  )
}

function members({ value }: Subject): readonly string[] {
  if (Array.isArray(value)) return value.map(String)
  return typeof value === 'object' && value !== null ? Object.keys(value) : []
}

/** True for what says no more than nothing does; a struct or list does so if all of its parts do. */
function isZero(value: unknown): boolean {
  if (value instanceof Map) return value.size === 0
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isZero)
  return [undefined, null, false, 0, '', '0', '0s'].some((zero) => zero === value)
}
