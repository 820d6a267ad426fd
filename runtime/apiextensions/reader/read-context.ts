import type { RE2JS } from 're2js'
import { searchWithin } from '../../cel/cel.ts'
import type { CauseReason, FieldError, ReadReport } from '../../kernel/validation/field-error.ts'
import type { Json } from '../../kernel/values/json.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import { formatValueWithTypes } from './json-values.ts'
import type { Unchanged } from './ratchet.ts'

/** Bound on the errors, and on the unknown fields, that are reported for one value. */
const maxErrors = 1000

/**
 * Bound on the work for one value beyond reading each part of it once, in tried alternatives:
 * trying alternatives, setting defaults, going through long lists of names. Ten thousand items with
 * six alternatives each take a third of it; a schema and a value that are made for it would take
 * hundreds of millions.
 */
const maxWork = 200_000

/** Bound on the steps of all pattern matches for one value, in steps of the CEL engine's matcher. */
const maxPatternSteps = 6_000_000

/** How a value is read. */
export interface ReadOptions {
  /** Whether the value at a path is the one of the old object, whose errors are tolerated (ratcheting). */
  readonly unchanged?: Unchanged
  /** Another bound on the work. */
  readonly work?: number
}

/**
 * The state of reading one value: the path of the current part, the errors so far, and the work
 * that is left. Paths become text only for errors.
 */
export class ReadContext {
  readonly path: (string | number)[] = []
  /** The places in `path` of names that no property declares: keys of maps. */
  readonly mapKeys: number[] = []
  /** What the alternatives of a schema have matched so far: it decides whose errors are told. */
  matchCount = 0
  readonly unknownFields: string[]
  readonly errors: FieldError[]
  /** Errors about embedded resources and about list types, which come after all others. */
  readonly #embeddedErrors: FieldError[] = []
  readonly #listErrors: FieldError[] = []
  readonly #unchanged: Unchanged | undefined
  readonly #maxWork: number
  /** A null that its field does not allow is read like any value. */
  readonly keepsNulls: boolean
  readonly #report: Partial<ReadReport>
  #work = 0
  #patternSteps = maxPatternSteps
  /** The number of errors while they are only counted (`countErrors`). */
  #counted: number | undefined

  constructor(
    report: Pick<ReadReport, 'errors' | 'unknownFields'> & Partial<ReadReport>,
    { unchanged, work = maxWork }: ReadOptions = {},
  ) {
    this.errors = report.errors
    this.unknownFields = report.unknownFields
    this.#report = report
    this.#unchanged = unchanged
    this.#maxWork = work
    this.keepsNulls = report.keepsNulls ?? false
  }

  /** The work that was spent. */
  get work(): number {
    return this.#work
  }

  /**
   * Drops the errors behind the first `count` ones if the current value is unchanged from the old
   * object. Without ratcheting it does nothing. `count` is the number of errors before the value
   * was read.
   */
  dropIfUnchanged(count: number, value: Json): void {
    if (this.errors.length === count || this.#unchanged === undefined) return
    if (this.#unchanged(this.path, value)) this.errors.length = count
  }

  /** The current path as text: `spec.ports[0].name`. */
  pathText(): string {
    return this.path.reduce<string>((text, step) => {
      if (typeof step === 'number') return `${text}[${step}]`
      return text === '' ? step : `${text}.${step}`
    }, '')
  }

  /** Adds an error about the current value. Its message names the path: `Invalid value: 3: spec.size in body <problem>`. */
  addInvalid(value: unknown, problem: string, reason: CauseReason = 'FieldValueInvalid'): void {
    if (!this.#isReported()) return
    const formatted = formatValueWithTypes(value)
    this.addError(reason, `Invalid value: ${formatted}: ${this.#shownPath()} in body ${problem}`)
  }

  /** Adds the error of a property of the current value that its schema does not allow. */
  addForbiddenProperty(name: string): void {
    const problem = `${this.#shownPath()}.${name} in body is a forbidden property`
    this.addError('FieldValueInvalid', `Invalid value: ${formatValueWithTypes(name)}: ${problem}`)
  }

  /** Adds the error that the schema of the current value asks for multiples of what is not above 0. */
  addBadFactor(factor: number): void {
    const reason = `factor MultipleOf declared for ${this.#shownPath()} must be positive: ${factor}`
    this.addError('FieldValueInvalid', `Invalid value: ${factor}: ${reason}`)
  }

  /** Adds an error about the current value, or about a property of it. */
  addError(reason: CauseReason, message: string, property?: string): void {
    if (!this.#isReported()) return
    this.errors.push(this.#errorAt(reason, message, property))
  }

  /** Adds an error about the current value, an embedded resource, or about a property of it. */
  addEmbeddedError(reason: CauseReason, message: string, property?: string): void {
    if (this.#embeddedErrors.length >= maxErrors) return
    this.#embeddedErrors.push(this.#errorBelowKeys(reason, message, property))
  }

  /**
   * Refuses the type of the current value, a part of an embedded resource: the body is no object of its kind. What is applied is told of
   * like any other error.
   */
  refuseType(given: Json, why: string, isMetadata = false): void {
    const { typeErrors, malformedMetadata } = this.#report
    if (typeErrors === undefined || typeErrors.length >= maxErrors) return
    if (this.keepsNulls && !isMetadata) return
    const path = this.pathText()
    const message = `Invalid value: ${formatValueWithTypes(given)}: `
    const told = `${path}: ${message}`
    if (isMetadata && malformedMetadata === undefined && typeErrors.length === 0)
      this.#report.malformedMetadata = { told, given }
    if (this.keepsNulls) this.addEmbeddedError('FieldValueInvalid', `${message}${why}`)
    else typeErrors.push({ path, reason: 'FieldValueTypeInvalid', message: `${told}${why}` })
  }

  /** True if the type of this property was refused. */
  isRefused(property: string): boolean {
    const path = this.#pathOf(property)
    return this.#report.malformedMetadata?.told.startsWith(`${path}: `) === true
  }

  /** Adds an error about the current value, which stands twice in its list. */
  addListError(reason: CauseReason, message: string): void {
    if (this.#listErrors.length >= maxErrors) return
    this.#listErrors.push(this.#errorBelowKeys(reason, message))
  }

  /** Reports a property that the schema does not declare. */
  addUnknownField(property: string): void {
    if (this.unknownFields.length < maxErrors) {
      this.unknownFields.push(truncate(this.#pathOf(property)))
    }
  }

  /** Adds an error about the alternatives of the current value. It has no path of its own: the message names it. */
  addAlternativesError(problem: string): void {
    if (!this.#isReported()) return
    const message = `Invalid value: "": ${quoted(this.#shownPath())} ${problem}`
    this.errors.push({ path: '', reason: 'FieldValueInvalid', message: truncate(message) })
  }

  /** The number of errors that `check` finds. None of them is reported, and none becomes text. */
  countErrors(check: () => void): number {
    const outer = this.#counted
    this.#counted = 0
    check()
    const count = this.#counted
    this.#counted = outer
    return count
  }

  /** Reports the errors that `check` finds; `count` is their number from `countErrors`, which saves a second check. */
  addErrorsOf(count: number, check: () => void): void {
    const { matchCount } = this
    if (this.#counted === undefined) check()
    else this.#counted += count
    this.matchCount = matchCount
  }

  /**
   * Spends work; false if that is more than is left. Every later call is false as well; the caller
   * then leaves out what it was about to do.
   */
  spend(work = 1): boolean {
    if (this.#work <= this.#maxWork) this.#work += work
    return this.#work <= this.#maxWork
  }

  /**
   * True if the pattern matches, or if no steps are left to find out. No false error is told for a
   * lack of steps: `finish` tells of that once.
   */
  matches(pattern: RE2JS, text: string): boolean {
    const { found, left } = searchWithin(pattern, text, this.#patternSteps)
    this.#patternSteps = left
    return found !== false
  }

  /**
   * Ends the reading: adds the errors about embedded resources, those about lists, and one if it was
   * too costly to read everything. These errors come on top of `maxErrors`, or a value could be
   * accepted whose checks were left out.
   */
  finish(): void {
    this.errors.push(...this.#embeddedErrors, ...this.#listErrors)
    this.finishSchema()
  }

  /**
   * Ends the reading of a default: what an embedded resource lacks is told instead of all other errors,
   * and nothing of lists. True if it lacks something.
   */
  finishDefault(): boolean {
    const lacks = this.#embeddedErrors.length > 0
    if (lacks) this.errors.splice(0, this.errors.length, ...this.#embeddedErrors)
    this.finishSchema()
    return lacks
  }

  /** Ends the reading as `finish` does, without the errors about embedded resources and lists. */
  finishSchema(): void {
    if (this.#work > this.#maxWork) {
      this.#addTooCostly(
        `its alternatives (allOf, anyOf, oneOf, not), defaults and lists of names ask for more than ${this.#maxWork} steps`,
      )
    }
    if (this.#patternSteps <= 0) {
      this.#addTooCostly(`its patterns ask for more than ${maxPatternSteps} steps`)
    }
  }

  #addTooCostly(reason: string): void {
    const message = `Invalid value: "": too costly to validate: ${reason}`
    this.errors.push({ path: '', reason: 'FieldValueInvalid', message })
  }

  /** False for an error that is only counted, which this does, or that is one too many. */
  #isReported(): boolean {
    if (this.#counted === undefined) return this.errors.length < maxErrors
    this.#counted++
    return false
  }

  #errorAt(reason: CauseReason, message: string, property?: string): FieldError {
    const path = property === undefined ? this.pathText() : this.#pathOf(property)
    return { path: truncate(path), reason, message: truncate(message) }
  }

  /** Errors about embedded resources and lists have the keys of maps in brackets: `spec.templates[web].kind`. */
  #errorBelowKeys(reason: CauseReason, message: string, property?: string): FieldError {
    const keys = new Set(this.mapKeys)
    const steps = property === undefined ? this.path : [...this.path, property]
    const path = steps.reduce<string>((text, step, at) => {
      if (typeof step === 'number' || keys.has(at)) return `${text}[${step}]`
      return text === '' ? step : `${text}.${step}`
    }, '')
    return { path: truncate(path), reason, message: truncate(message) }
  }

  /** The path in the messages of release 1.29, which puts a dot before the key of a map that has no name itself. */
  #shownPath(): string {
    const path = this.pathText()
    return this.mapKeys[0] === 0 ? `.${path}` : path
  }

  #pathOf(property: string): string {
    const parent = this.pathText()
    return parent === '' ? property : `${parent}.${property}`
  }
}

/** Bound on paths and messages, in characters: names, patterns and enumerations may be long, and a report repeats them. */
export const maxTextLength = 4096

function truncate(text: string): string {
  return text.length > maxTextLength ? `${text.slice(0, maxTextLength)}...` : text
}
