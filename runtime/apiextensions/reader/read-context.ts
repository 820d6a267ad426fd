import type { RE2JS } from 're2js'
import { searchWithin } from '../../cel/cel.ts'
import type { CauseReason, FieldError, ReadReport } from '../../kernel/validation/field-error.ts'
import { formatValue } from '../../kernel/validation/report.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import type { Unchanged } from './ratchet.ts'

/** No more than these are told of one value: a report is bounded. */
const maxErrors = 1000

/**
 * What a schema may ask of one value beyond looking at each part of it once, in units of a tried alternative: trying
 * alternatives, filling in defaults, going through long lists of names. Ten thousand items with six alternatives each
 * come to a third of it; a schema and a value that are made for it would come to hundreds of millions.
 */
const maxWork = 200_000

/** What all patterns together may take for one value, in steps of the room of expressions. */
const maxPatternSteps = 6_000_000

/**
 * The way through a value. It knows where it is, so that a finding can say its path in its text; a value without findings
 * builds none.
 */
export class ReadContext {
  readonly path: (string | number)[] = []
  readonly unknown: string[]
  readonly findings: FieldError[]
  readonly #unchanged: Unchanged | undefined
  readonly #mostWork: number
  #work = 0
  #steps = maxPatternSteps
  /** While findings are only counted: how many there are. */
  #counted: number | undefined

  constructor(
    { errors: findings, unknownFields: unknown }: Pick<ReadReport, 'errors' | 'unknownFields'>,
    { unchanged, work = maxWork }: { readonly unchanged?: Unchanged; readonly work?: number } = {},
  ) {
    this.findings = findings
    this.unknown = unknown
    this.#unchanged = unchanged
    this.#mostWork = work
  }

  /** What has been taken of the work that there may be. */
  get work(): number {
    return this.#work
  }

  /** Drops what was found since `mark` findings were there, if the value here is the one that was here before. */
  dropIfUnchanged(mark: number, value: Json): void {
    if (this.findings.length === mark || this.#unchanged === undefined) return
    if (this.#unchanged(this.path, value)) this.findings.length = mark
  }

  /** The place as text: `spec.ports[0].name`. */
  pathText(): string {
    return this.path.reduce<string>((text, step) => {
      if (typeof step === 'number') return `${text}[${step}]`
      return text === '' ? step : `${text}.${step}`
    }, '')
  }

  /** Tells what is wrong here. The text names the place as `in body`. */
  addInvalid(value: unknown, must: string, reason: CauseReason = 'FieldValueInvalid'): void {
    if (!this.#isTold()) return
    this.addError(
      reason,
      `Invalid value: ${formatValueWithTypes(value)}: ${this.pathText()} in body ${must}`,
    )
  }

  /** Tells a finding about this place, or about a property of the value that is here. */
  addError(reason: CauseReason, message: string, property?: string): void {
    if (!this.#isTold()) return
    const here = this.pathText()
    const path = property === undefined ? here : here === '' ? property : `${here}.${property}`
    this.findings.push({ path: truncate(path), reason, message: truncate(message) })
  }

  /** Tells of a property that the schema does not know. */
  addUnknownField(property: string): void {
    if (this.unknown.length >= maxErrors) return
    const here = this.pathText()
    this.unknown.push(truncate(here === '' ? property : `${here}.${property}`))
  }

  /** Tells what is wrong with the alternatives for the value here: a finding about the whole, whose text names the place. */
  addAlternativesError(must: string): void {
    if (!this.#isTold()) return
    const message = `Invalid value: "": ${JSON.stringify(this.pathText())} ${must}`
    this.findings.push({ path: '', reason: 'FieldValueInvalid', message: truncate(message) })
  }

  /** True if a finding gets a text. One that does not is counted, where that is asked for. */
  #isTold(): boolean {
    if (this.#counted === undefined) return this.findings.length < maxErrors
    this.#counted++
    return false
  }

  /** How much `look` finds. Nothing is told of it. */
  countErrors(look: () => void): number {
    const before = this.#counted
    this.#counted = 0
    look()
    const found = this.#counted
    this.#counted = before
    return found
  }

  /** Tells what `look` finds, of which `count` has said how much it is. */
  addErrorsOf(found: number, look: () => void): void {
    if (this.#counted === undefined) look()
    else this.#counted += found
  }

  /** Takes work that is about to be done; false once it is too much. */
  spend(work = 1): boolean {
    this.#work += work
    return this.#work <= this.#mostWork
  }

  /** True if the pattern is found in the text, or there were too many steps to find out. */
  matches(pattern: RE2JS, text: string): boolean {
    const { found, left } = searchWithin(pattern, text, this.#steps)
    this.#steps = left
    return found !== false
  }

  /** Tells what can only be told at the end: that not everything has been looked at. */
  finish(): void {
    if (this.#work > this.#mostWork) {
      this.#tooCostly(
        `its alternatives (allOf, anyOf, oneOf, not), defaults and lists of names ask for more than ${this.#mostWork} steps`,
      )
    }
    if (this.#steps <= 0) {
      this.#tooCostly(`its patterns ask for more than ${maxPatternSteps} steps`)
    }
  }

  #tooCostly(why: string): void {
    const message = `Invalid value: "": too costly to validate: ${why}`
    this.findings.push({ path: '', reason: 'FieldValueInvalid', message })
  }
}

/** Names, patterns and enumerations may be long, and a report names them a thousand times. */
const maxTextLength = 4096

function truncate(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}...` : text
}

/** A value as the texts of these findings show it: objects and lists the way clients know them from elsewhere. */
export function formatValueWithTypes(value: unknown): string {
  if (typeof value !== 'object' || value === null) return formatValue(value)
  const text = formatStructure(value as Json)
  return text.length > 1024 ? `${text.slice(0, 1024)}...` : text
}

function formatStructure(value: Json | undefined): string {
  if (value === null || value === undefined) return 'interface {}(nil)'
  if (Array.isArray(value)) return `[]interface {}{${value.map(formatStructure).join(', ')}}`
  if (!isObject(value)) return formatValue(value)
  const fields: JsonObject = value
  const entries = Object.keys(fields)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${formatStructure(fields[key])}`)
  return `map[string]interface {}{${entries.join(', ')}}`
}

/** The JSON type of a value as findings name it. */
export function jsonTypeOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'bigint') return 'integer'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

/** The value with the properties of all its objects in order: how text that no schema describes is kept. */
export function sortKeysDeep(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeysDeep)
  if (!isObject(value)) return value
  const out: Record<string, Json> = {}
  for (const key of sortedKeys(value)) setOwnProperty(out, key, sortKeysDeep(value[key] as Json))
  return out
}

/** The keys of an object, in order; without sorting what is in order already. */
export function sortedKeys(value: JsonObject): string[] {
  const keys = Object.keys(value)
  for (let at = 1; at < keys.length; at++) {
    if ((keys[at - 1] as string) > (keys[at] as string)) return keys.sort()
  }
  return keys
}

/** Sets an own property, whatever its name. */
export function setOwnProperty(target: Record<string, Json>, key: string, value: Json): void {
  if (key !== '__proto__') target[key] = value
  else {
    const own = { value, enumerable: true, writable: true, configurable: true }
    Object.defineProperty(target, key, own)
  }
}
