/** What several settings must fulfil together: fields of a configuration, or flags. */

import { isLabelKey, isLabelValue } from '../../kernel/meta/names.ts'
import type { SettingConstraint } from '../../kernel/options/setting-constraints.ts'
import { didYouMean } from '../../kernel/values/spelling.ts'
import type { FeatureGates } from '../feature-gates.ts'
import type { ConfigFinding } from '../finding.ts'
import type { ValueLocation } from '../located-value.ts'
import { formatProblem } from './text-formats.ts'

/** One setting as constraints see it. */
export interface SettingSubject {
  /** What a person calls it: a path, or a flag with its hyphens. */
  readonly name: string
  readonly value: unknown
  /** Where somebody said it; undefined for a default. */
  readonly place?: ValueLocation
  /** Where a part such as `[0]` or `[memory]` was said, if that is known more closely. */
  readonly partPlace?: (step: string) => ValueLocation
}

/** What breaks a constraint; nothing if no setting in question was given by anybody. */
export function constraintFindings(
  constraint: SettingConstraint,
  subject: (field: string) => SettingSubject,
  gates: FeatureGates,
): readonly ConfigFinding[] {
  const field = subject(constraint.field)
  switch (constraint.is) {
    case 'exclusive':
      return constraint.others
        .map(subject)
        .filter((other) => isSet(field) && isSet(other))
        .flatMap((other) => findingAt(field, `must not be set together with ${other.name}`))
    case 'needs':
      if (!isSet(field) || !holdsValue(field, constraint.value)) return []
      return needed(field, constraint.value, subject(constraint.other))
    case 'together': {
      const other = subject(constraint.other)
      if (isSet(field) === isSet(other)) return []
      const [given, absent] = isSet(field) ? [field, other] : [other, field]
      return findingAt(given, `needs ${absent.name} as well`)
    }
    case 'members':
      return members(field)
        .filter((member) => !constraint.values.includes(member))
        .flatMap((member) => {
          const known = constraint.values.map((value) => `"${value}"`).join(', ')
          return findingAt(field, `Unsupported value: "${member}": supported values: ${known}`)
        })
    case 'format':
      return parts(field).flatMap(({ step, text }) => {
        const problem = text === '' ? undefined : formatProblem(constraint.format, text)
        return problem === undefined ? [] : partFinding(field, step, JSON.stringify(text), problem)
      })
    case 'switches':
      return parts(field).flatMap(({ step, text }) => {
        const name = text.replace(/^-/, '')
        if (text === '*' || constraint.values.includes(name)) return []
        return partFinding(
          field,
          step,
          `"${name}"`,
          `is unknown${didYouMean(name, constraint.values)}`,
        )
      })
    case 'labels':
      return labelFindings(field, constraint)
    case 'gate':
      if (!isSet(field) || !holdsValue(field, constraint.value) || gates.enabled(constraint.gate))
        return []
      return findingAt(
        field,
        `needs the feature gate ${constraint.gate}${constraint.value === undefined ? '' : ` for ${constraint.value}`}`,
      )
  }
}

function needed(
  field: SettingSubject,
  value: string | undefined,
  other: SettingSubject,
): readonly ConfigFinding[] {
  if (!isZero(other.value)) return []
  return findingAt(
    field,
    `${value === undefined ? '' : `"${value}" `}needs ${other.name} to be set`,
  )
}

function findingAt(subject: SettingSubject, why: string): readonly ConfigFinding[] {
  return subject.place === undefined
    ? []
    : [{ place: subject.place, message: `${subject.name}: ${why}` }]
}

function labelFindings(
  field: SettingSubject,
  { domains, prefixes, values }: SettingConstraint & { readonly is: 'labels' },
): readonly ConfigFinding[] {
  const under = (host: string, roots: readonly string[]) =>
    roots.some((root) => host === root || host.endsWith(`.${root}`))
  return parts(field).flatMap(({ step, text }) => {
    const key = step.slice(1, -1)
    if (!isLabelKey(key)) return partFinding(field, step, `"${key}"`, 'is not the key of a label')
    if (!isLabelValue(text)) {
      return partFinding(field, step, JSON.stringify(text), 'is not the value of a label')
    }
    const host = key.includes('/') ? key.slice(0, key.indexOf('/')) : ''
    if (!under(host, domains) || under(host, prefixes) || values.includes(key)) return []
    const why = `is of a domain of which only labels under ${prefixes.join(', ')} and known ones may be given`
    return partFinding(field, step, `"${key}"`, `${why}${didYouMean(key, values)}`)
  })
}

/** The texts of a setting: itself, or the items of a list or the values of a map with the steps to them. */
function parts({
  value,
}: SettingSubject): readonly { readonly step: string; readonly text: string }[] {
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

function partFinding(
  { name, place, partPlace }: SettingSubject,
  step: string,
  what: string,
  why: string,
): readonly ConfigFinding[] {
  if (place === undefined) return []
  return [{ place: partPlace?.(step) ?? place, message: `${name}${step}: ${what} ${why}` }]
}

function isSet({ place, value }: SettingSubject): boolean {
  return place !== undefined && !isZero(value)
}

function holdsValue({ value }: SettingSubject, wanted: string | undefined): boolean {
  return (
    wanted === undefined || value === wanted || (Array.isArray(value) && value.includes(wanted))
  )
}

function members({ value }: SettingSubject): readonly string[] {
  if (Array.isArray(value)) return value.map(String)
  return typeof value === 'object' && value !== null ? Object.keys(value) : []
}

/** True for what says no more than nothing does; a struct or list does so if all of its parts do. */
function isZero(value: unknown): boolean {
  if (value instanceof Map) return value.size === 0
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isZero)
  return [undefined, null, false, 0, '', '0', '0s'].some((zero) => zero === value)
}
