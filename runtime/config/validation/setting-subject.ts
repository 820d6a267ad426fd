import type { ConfigFinding } from '../value/finding.ts'
import type { ValueLocation } from '../value/located-value.ts'

/** A field of a configuration, or a flag, as constraints see it. */
export interface SettingSubject {
  /** As messages name it: the path of a field, or a flag with its hyphens. */
  readonly name: string
  /** The value in effect, defaults included. */
  readonly value: unknown
  /** Where the value was set; undefined for a default. */
  readonly location?: ValueLocation
  /** Where an item such as `[0]` or `[memory]` was set, if that is known more closely. */
  readonly partLocation?: (step: string) => ValueLocation
}

/** One text in a setting, and the step that leads to it: `[0]`, `[key]`, or nothing for the setting itself. */
export interface SettingItem {
  readonly step: string
  readonly text: string
}

/** The finding about a setting, at the place where it was set; none about a default. */
export function settingFinding(
  { name, location }: SettingSubject,
  problem: string,
): readonly ConfigFinding[] {
  return location === undefined ? [] : [{ location, message: `${name}: ${problem}` }]
}

/** The finding about an item of a setting; none about a default. `shown` is the item as the message quotes it. */
export function itemFinding(
  { name, location, partLocation }: SettingSubject,
  step: string,
  shown: string,
  problem: string,
): readonly ConfigFinding[] {
  if (location === undefined) return []
  const message = `${name}${step}: ${shown} ${problem}`
  return [{ location: partLocation?.(step) ?? location, message }]
}

/** The texts of a setting: itself, the items of a list, or the values of a map. */
export function itemsOf({ value }: SettingSubject): readonly SettingItem[] {
  if (typeof value === 'string') return [{ step: '', text: value }]
  return entriesOf(value).flatMap(([key, text]) =>
    typeof text === 'string' ? [{ step: `[${key}]`, text }] : [],
  )
}

/** Lists have their indexes as keys. */
function entriesOf(value: unknown): readonly (readonly [key: string, value: unknown])[] {
  if (value instanceof Map) return [...(value as ReadonlyMap<string, unknown>)]
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

/** The items of a list, or the keys of a map. */
export function membersOf({ value }: SettingSubject): readonly string[] {
  if (Array.isArray(value)) return value.map(String)
  return typeof value === 'object' && value !== null ? Object.keys(value) : []
}

/** True if the setting was given a value other than the zero of its type. */
export function isSet({ location, value }: SettingSubject): boolean {
  return location !== undefined && !isZero(value)
}

/** True if the value is `wanted`, or a list that has it; always true if no value is wanted. */
export function holdsValue({ value }: SettingSubject, wanted: string | undefined): boolean {
  if (wanted === undefined || value === wanted) return true
  return Array.isArray(value) && value.includes(wanted)
}

const zeros: readonly unknown[] = [undefined, null, false, 0, '', '0', '0s']

/** True for a value that means the same as none; for a list or struct whose parts all do. */
export function isZero(value: unknown): boolean {
  if (value instanceof Map) return value.size === 0
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isZero)
  return zeros.includes(value)
}
