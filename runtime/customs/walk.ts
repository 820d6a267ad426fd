import type { RE2JS } from 're2js'
import { searchWithin } from '../cel/cel.ts'
import { show } from '../kernel/findings.ts'
import { isObject, type Json, type JsonObject } from '../kernel/json.ts'
import type { CauseReason, Finding, Report } from '../kernel/read.ts'
import type { Unchanged } from './ratchet.ts'

/** No more than these are told of one value: a report is bounded. */
const most = 1000

/**
 * What a schema may ask of one value beyond looking at each part of it once, in units of a tried alternative: trying
 * alternatives, filling in defaults, going through long lists of names. Ten thousand items with six alternatives each
 * come to a third of it; a schema and a value that are made for it would come to hundreds of millions.
 */
const mostWork = 200_000

/** What all patterns together may take for one value, in steps of the room of expressions. */
const mostSteps = 6_000_000

/**
 * The way through a value. It knows where it is, so that a finding can say its path in its text; a value without findings
 * builds none.
 */
export class Walk {
  readonly path: (string | number)[] = []
  readonly unknown: string[]
  readonly findings: Finding[]
  readonly #unchanged: Unchanged | undefined
  readonly #mostWork: number
  #work = 0
  #steps = mostSteps
  /** While findings are only counted: how many there are. */
  #counted: number | undefined

  constructor(
    { findings, unknown }: Pick<Report, 'findings' | 'unknown'>,
    { unchanged, work = mostWork }: { readonly unchanged?: Unchanged; readonly work?: number } = {},
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
  forgive(mark: number, value: Json): void {
    if (this.findings.length === mark || this.#unchanged === undefined) return
    if (this.#unchanged(this.path, value)) this.findings.length = mark
  }

  /** The place as text: `spec.ports[0].name`. */
  at(): string {
    return this.path.reduce<string>((text, step) => {
      if (typeof step === 'number') return `${text}[${step}]`
      return text === '' ? step : `${text}.${step}`
    }, '')
  }

  /** Tells what is wrong here. The text names the place as `in body`. */
  wrong(value: unknown, must: string, reason: CauseReason = 'FieldValueInvalid'): void {
    if (!this.#isTold()) return
    this.tell(reason, `Invalid value: ${shown(value)}: ${this.at()} in body ${must}`)
  }

  /** Tells a finding about this place, or about a property of the value that is here. */
  tell(reason: CauseReason, message: string, property?: string): void {
    if (!this.#isTold()) return
    const here = this.at()
    const path = property === undefined ? here : here === '' ? property : `${here}.${property}`
    this.findings.push({ path: cut(path), reason, message: cut(message) })
  }

  /** Tells of a property that the schema does not know. */
  strange(property: string): void {
    if (this.unknown.length >= most) return
    const here = this.at()
    this.unknown.push(cut(here === '' ? property : `${here}.${property}`))
  }

  /** Tells what is wrong with the alternatives for the value here: a finding about the whole, whose text names the place. */
  whole(must: string): void {
    if (!this.#isTold()) return
    const message = `Invalid value: "": ${JSON.stringify(this.at())} ${must}`
    this.findings.push({ path: '', reason: 'FieldValueInvalid', message: cut(message) })
  }

  /** True if a finding gets a text. One that does not is counted, where that is asked for. */
  #isTold(): boolean {
    if (this.#counted === undefined) return this.findings.length < most
    this.#counted++
    return false
  }

  /** How much `look` finds. Nothing is told of it. */
  count(look: () => void): number {
    const before = this.#counted
    this.#counted = 0
    look()
    const found = this.#counted
    this.#counted = before
    return found
  }

  /** Tells what `look` finds, of which `count` has said how much it is. */
  detail(found: number, look: () => void): void {
    if (this.#counted === undefined) look()
    else this.#counted += found
  }

  /** Takes work that is about to be done; false once it is too much. */
  may(work = 1): boolean {
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
      this.#tooCostly(`its patterns ask for more than ${mostSteps} steps`)
    }
  }

  #tooCostly(why: string): void {
    const message = `Invalid value: "": too costly to validate: ${why}`
    this.findings.push({ path: '', reason: 'FieldValueInvalid', message })
  }
}

/** Names, patterns and enumerations may be long, and a report names them a thousand times. */
const longest = 4096

function cut(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}...` : text
}

/** A value as the texts of these findings show it: objects and lists the way clients know them from elsewhere. */
export function shown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return show(value)
  const text = structured(value as Json)
  return text.length > 1024 ? `${text.slice(0, 1024)}...` : text
}

function structured(value: Json | undefined): string {
  if (value === null || value === undefined) return 'interface {}(nil)'
  if (Array.isArray(value)) return `[]interface {}{${value.map(structured).join(', ')}}`
  if (!isObject(value)) return show(value)
  const fields: JsonObject = value
  const entries = Object.keys(fields)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${structured(fields[key])}`)
  return `map[string]interface {}{${entries.join(', ')}}`
}

/** The JSON type of a value as findings name it. */
export function typeName(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'bigint') return 'integer'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

/** The value with the properties of all its objects in order: how text that no schema describes is kept. */
export function ordered(value: Json): Json {
  if (Array.isArray(value)) return value.map(ordered)
  if (!isObject(value)) return value
  const out: Record<string, Json> = {}
  for (const key of sortedKeys(value)) put(out, key, ordered(value[key] as Json))
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
export function put(target: Record<string, Json>, key: string, value: Json): void {
  if (key !== '__proto__') target[key] = value
  else {
    const own = { value, enumerable: true, writable: true, configurable: true }
    Object.defineProperty(target, key, own)
  }
}
