/**
 * The walker of validation: it goes from an object to its fields and brings along the path, the old value and the checks
 * that the schema names for them. A path becomes text only when there is an error to report.
 */
import type { Checks } from '../descriptors/kind.ts'
import { invariant } from '../errors/invariant.ts'
import type { FieldError } from '../validation/field-error.ts'
import * as errors from '../validation/field-errors.ts'
import type { Reading } from '../validation/reading.ts'
import { deepEqual } from '../values/deep-equal.ts'
import { valueAtPath } from '../values/dotted-path.ts'
import type { Loose } from './loose.ts'

/** Reports what is wrong with one value of the generated type `T`. */
export type Check<T> = (field: Field<T>) => void

/** A check of values of any type: what a table holds. */
// biome-ignore lint/suspicious/noExplicitAny: each check knows the type of its own values
export type AnyCheck = Check<any>

/** What all fields of one object share while it is validated. */
export interface Validation {
  readonly errors: FieldError[]
  /** The checks that the schema of the kind names. */
  readonly checks: ReadonlyMap<string, AnyCheck>
  /** What reading the object found. */
  readonly reading?: Reading | undefined
  /** The domain of the platform, by which its own names are known. */
  readonly domain?: string | undefined
}

type Present<T> = Exclude<T, null | undefined>
type Key<T> = keyof Present<T> & string
type Child<T, K extends Key<T>> = Present<Present<T>[K]>
type Item<L> = L extends readonly (infer I)[]
  ? I
  : L extends Readonly<Record<string, infer V>>
    ? V
    : never

/** A path from a field on: empty for the field itself, else one that begins with a name in it. */
type Path<T> = '' | Key<T> | `${Key<T>}.${string}` | `${Key<T>}[${string}` | `[${string}`

type Fields = Readonly<Record<string, unknown>>

/** Where a field stands: in which one, under which name, and at which index or key of the list or map there. */
interface Position {
  readonly parent: Position | undefined
  readonly step: string
  readonly index?: number | string
}

/** One value of an object that is validated, and where it stands. */
export class Field<T> {
  /** An absent struct is empty. */
  readonly value: Loose<Present<T>>
  /** What the value replaces; undefined in a new object, and for items of lists. */
  readonly old: Loose<Present<T>> | undefined
  readonly #validation: Validation
  readonly #checks: Checks | undefined
  readonly #position: Position | undefined

  constructor(
    value: unknown,
    old: unknown,
    validation: Validation,
    checks?: Checks,
    position?: Position,
  ) {
    this.value = value as Loose<Present<T>>
    this.old = (old ?? undefined) as Loose<Present<T>> | undefined
    this.#validation = validation
    this.#checks = checks
    this.#position = position
  }

  /** The domain of the platform; empty where values are looked at by themselves. */
  get domain(): string {
    return this.#validation.domain ?? ''
  }

  /** The struct in a field; an empty one if it is absent. */
  child<K extends Key<T>>(key: K): Field<Child<T, K>> {
    return this.#child(key, this.#get(key) ?? {}) as Field<Child<T, K>>
  }

  /** Checks the value of a field, if there is one. */
  when<K extends Key<T>>(key: K, check: Check<Child<T, K>>) {
    const value = this.#get(key)
    if (value !== undefined && value !== null) check(this.#child(key, value) as Field<Child<T, K>>)
  }

  /** Checks every item of the list, or value of the map, in a field. */
  each<K extends Key<T>>(
    key: K,
    check: (item: Field<Item<Child<T, K>>>, index: number, name: string) => void,
  ) {
    const list = this.#get(key)
    if (typeof list !== 'object' || list === null) return
    const checks = this.#checks?.fields?.[key]?.items?.()
    if (Array.isArray(list)) {
      for (let at = 0; at < list.length; at++) check(this.#item(key, at, list[at], checks), at, '')
      return
    }
    for (const [at, [name, value]] of Object.entries(list).entries()) {
      check(this.#item(key, name, value, checks), at, name)
    }
  }

  /** The items of the list in a field, for a check that runs in steps. */
  *items<K extends Key<T>>(key: K): Iterable<Field<Item<Child<T, K>>>> {
    const list = (this.#get(key) ?? []) as readonly unknown[]
    const checks = this.#checks?.fields?.[key]?.items?.()
    for (const [at, value] of list.entries()) yield this.#item(key, at, value, checks)
  }

  #item<I>(step: string, index: number | string, value: unknown, checks?: Checks): Field<I> {
    const position = { parent: this.#position, step, index }
    return new Field<I>(value, undefined, this.#validation, checks, position)
  }

  /** Another value in the place of this one, with the same checks. */
  with(value: unknown): Field<T> {
    return new Field<T>(value, this.old, this.#validation, this.#checks, this.#position)
  }

  /** Runs the checks that the schema names for some fields, and for what lies below them. */
  visit(...keys: readonly Key<T>[]) {
    for (const key of keys) {
      const checks = this.#checks?.fields?.[key]
      if (checks === undefined) this.#refuseVisit(key)
      else this.#visitField(key, checks)
    }
  }

  /** The same of one field, whose errors are told under another name. */
  visitAs(key: Key<T>, told: string) {
    const checks = this.#checks?.fields?.[key]
    if (checks !== undefined) this.#visitField(key, checks, told)
  }

  /** The same, and whether they found an error. */
  finds(...keys: readonly Key<T>[]): boolean {
    const { errors } = this.#validation
    const before = errors.length
    this.visit(...keys)
    return errors.length > before
  }

  /** Runs checks, and tells whether something is wrong with this value: what they report, or what its reader refused. */
  isFaulty(run: () => void): boolean {
    const before = this.#validation.errors.length
    run()
    return (
      this.#validation.errors.length > before || this.#refusals?.refusedAt(this.path()) === true
    )
  }

  /** Runs checks of a second round: what they report is told after all else of this value. */
  afterwards(run: () => void): void {
    const { errors } = this.#validation
    const before = errors.length
    run()
    for (let at = before; at < errors.length; at++) {
      errors[at] = { after: this.path(), ...errors[at]! }
    }
  }

  /** Runs checks whose errors the order of the schema may name apart: `operator Later`. */
  later(run: () => void): void {
    const { errors } = this.#validation
    const before = errors.length
    run()
    for (let at = before; at < errors.length; at++) errors[at] = { ...errors[at]!, later: true }
  }

  /** Runs checks that an update is judged by once more, among what it may not change, and at the end of this value. */
  again(run: () => void): void {
    const { errors } = this.#validation
    const before = errors.length
    run()
    for (let at = before; at < errors.length; at++) {
      errors[at] = { after: this.path(), ...errors[at]!, besideMissing: true, again: true }
    }
  }

  /** Runs checks whose errors are told only where the object is judged as a new one would be. */
  asNew(run: () => void): void {
    const { errors } = this.#validation
    const before = errors.length
    run()
    for (let at = before; at < errors.length; at++) errors[at] = { ...errors[at]!, asNew: true }
  }

  /** One error for each problem with a text, which an absent one has, too, beside being missing. */
  judgeMissing(path: Path<T>, problemsOf: (text: string) => readonly string[]): void {
    const text = this.#at(path) ?? ''
    if (typeof text !== 'string') return
    const found = errors.invalidAll(this.path(path), text, problemsOf(text))
    this.report(...found.map((error) => ({ ...error, besideMissing: true as const })))
  }

  /** Runs checks of what is looked at before all else: with an error there, or of a reader in `keys`, nothing else is told. */
  first(keys: readonly Key<T>[], run: () => void): void {
    const { errors } = this.#validation
    const before = errors.length
    run()
    for (let at = before; at < errors.length; at++) errors[at] = { ...errors[at]!, first: true }
    for (const key of keys) this.#refusals?.lookFirst(this.path(key))
  }

  /** What a reader refuses of a field is not told: the field is not looked at. */
  passOver(path: Path<T>): void {
    this.#refusals?.passOver(this.path(path))
  }

  /** What a reader refuses of a field is told at another path, below `holder`. */
  tellAt(path: Path<T>, holder: { path(below: string): string }, below: string): void {
    this.#refusals?.tellAt(this.path(path), holder.path(below))
  }

  /** The same, behind what checks have reported so far; without another path at its own. */
  tellHere(path: Path<T>, told?: string): void {
    const refusals = this.#refusals
    if (refusals === undefined) return
    const at = this.path(path)
    for (const error of refusals.taken(at)) {
      this.report({ ...error, path: (told ?? at) + error.path.slice(at.length) })
    }
  }

  /** Runs checks of this value whose errors are told as if they were about `holder`. */
  tellAs(holder: { path(): string }, run: () => void): void {
    const { errors } = this.#validation
    const before = errors.length
    run()
    const own = this.path()
    for (let at = before; at < errors.length; at++) {
      const error = errors[at]!
      if (error.path.startsWith(own)) {
        errors[at] = { ...error, path: holder.path() + error.path.slice(own.length) }
      }
    }
  }

  /** What reading the object found, if it refused anything. */
  get #refusals(): Reading | undefined {
    const { reading } = this.#validation
    return reading?.clean ? undefined : reading
  }

  /** Runs all checks that the schema names below this value, in the order of its fields. */
  visitAll() {
    for (const [key, checks] of Object.entries(this.#checks?.fields ?? {})) {
      this.#visitField(key, checks)
    }
  }

  /** Apart from `visit`, so that a path becomes text only here. */
  #refuseVisit(key: string): never {
    invariant(false, `the schema names no check at or below ${this.path(key)}`)
  }

  #visitField(key: string, checks: Checks, step = key): void {
    const value = this.#get(key)
    for (const name of checks.checks ?? []) this.#run(name, this.#child(key, value, step))
    if (value === undefined || value === null) return
    if (checks.value) this.#child(key, value, step).#visitValue()
    if (checks.items) this.each(key as Key<T>, (item) => item.#visitValue())
  }

  /** The checks of a type look after its fields themselves; without any, each field is visited. */
  #visitValue(): void {
    const names = this.#checks?.checks
    if (names === undefined) this.visitAll()
    else for (const name of names) this.#run(name, this)
  }

  #run<U>(name: string, field: Field<U>): void {
    const check = this.#validation.checks.get(name)
    if (check === undefined) invariant(false, `the check ${name} is not loaded`)
    check(field)
  }

  /** The path of this field, or of one below it: `spec.ports[0].name`. */
  path(below = ''): string {
    let path = below
    for (let at = this.#position; at !== undefined; at = at.parent) {
      const step = at.index === undefined ? at.step : `${at.step}[${at.index}]`
      path = path === '' || path.startsWith('[') ? step + path : `${step}.${path}`
    }
    return path
  }

  /** Reports errors that another function made, with their paths as they are. */
  report(...found: readonly FieldError[]): void {
    this.#validation.errors.push(...found)
  }

  /** The value is absent although it has to be there; the detail says when it has to. */
  required(path: Path<T>, detail?: string): void {
    this.report(errors.required(this.path(path), detail))
  }

  /** The same in a second round, where the first has told it. */
  requiredAgain(path: Path<T>): void {
    this.report({ ...errors.required(this.path(path)), besideMissing: true })
  }

  /** The value is not acceptable. */
  invalid(path: Path<T>, detail: string, value: unknown = this.#at(path)): void {
    this.report(errors.invalid(this.path(path), value, detail))
  }

  /** One error for each problem with the value. */
  invalidAll(path: Path<T>, details: readonly string[], value?: unknown): void {
    for (const detail of details) this.invalid(path, detail, value ?? this.#at(path))
  }

  /** One error for each problem that a text has; none if it is absent or empty. */
  checkText(path: Path<T>, problemsOf: (text: string) => readonly string[]): void {
    const text = this.#at(path)
    if (typeof text === 'string' && text !== '') this.invalidAll(path, problemsOf(text), text)
  }

  /** One error for each problem that a text has; an absent one is empty. */
  judge(path: Path<T>, problemsOf: (text: string) => readonly string[]): void {
    const text = this.#at(path) ?? ''
    if (typeof text === 'string') this.invalidAll(path, problemsOf(text), text)
  }

  /** The value is none of a closed set. */
  unsupported(path: Path<T>, supported: readonly string[], value: unknown = this.#at(path)): void {
    this.report(errors.unsupported(this.path(path), value, supported))
  }

  /** The field may not be set, or not be changed. */
  forbidden(path: Path<T>, detail: string): void {
    this.report(errors.forbidden(this.path(path), detail))
  }

  /** The value stands twice where it may stand once. */
  duplicate(path: Path<T>, value: unknown = this.#at(path)): void {
    this.report(errors.duplicate(this.path(path), value))
  }

  /** Reports a value that `seen` holds, and adds it; an absent or empty one is never a duplicate. */
  unique(path: Path<T>, seen: Set<unknown>, value: unknown = this.#at(path)): void {
    if (value) this.distinct(path, seen, value)
  }

  /** The same, where an empty value is one like any other. */
  distinct(path: Path<T>, seen: Set<unknown>, value: unknown = this.#at(path) ?? ''): void {
    if (seen.has(value)) this.duplicate(path, value)
    seen.add(value)
  }

  /** The value names something that is not there. */
  notFound(path: Path<T>, value: unknown = this.#at(path)): void {
    this.report(errors.notFound(this.path(path), value))
  }

  /** The value has more than `most` bytes. */
  tooLong(path: Path<T>, most: number): void {
    this.report(errors.tooLong(this.path(path), most))
  }

  /** The list in a field may not have more than `most` items. */
  tooMany(path: Path<T>, most: number): void {
    const count = (this.#at(path) as readonly unknown[] | null | undefined)?.length ?? 0
    if (count <= most) return
    const message = `Too many: ${count}: must have at most ${most} items`
    this.report({ path: this.path(path), reason: 'FieldValueTooMany', message })
  }

  /** The fields keep the values that they were created with. */
  immutable(...keys: readonly Key<T>[]): void {
    if (this.old === undefined) return
    for (const key of keys) {
      if (!deepEqual(this.#get(key), (this.old as Fields)[key])) {
        this.invalid(key, 'field is immutable')
      }
    }
  }

  #child(key: string, value: unknown, step = key): Field<unknown> {
    const old = (this.old as Fields | undefined)?.[key]
    const checks = this.#checks?.fields?.[key]?.value?.()
    return new Field(value, old, this.#validation, checks, { parent: this.#position, step })
  }

  #get(key: string): unknown {
    return (this.value as Fields)[key]
  }

  #at(path: string): unknown {
    if (path === '') return this.value
    const own = this.#get(path)
    return own === undefined && path.includes('.') ? valueAtPath(this.value, path) : own
  }
}

/** Every error that a check finds in a value at a path, for callers that are no strategies. */
export function errorsOf<T>(
  check: Check<T>,
  value: unknown,
  path = '',
  domain?: string,
): readonly FieldError[] {
  const errors: FieldError[] = []
  const validation = { errors, checks: new Map(), domain }
  const position = path === '' ? undefined : { parent: undefined, step: path }
  check(new Field<T>(value, undefined, validation, undefined, position))
  return errors
}
