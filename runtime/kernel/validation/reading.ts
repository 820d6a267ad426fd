import type { FieldError } from './field-error.ts'

/**
 * What reading an object found, for the checks that follow: they ask what was refused, and say which fields are not looked at, and which
 * go by another path in errors.
 */
export class Reading {
  readonly #errors: readonly FieldError[]
  readonly #told = new Map<string, string | undefined>()
  readonly #first = new Set<string>()
  #refused: ReadonlyMap<string, readonly FieldError[]> | undefined

  constructor(errors: readonly FieldError[] = []) {
    this.#errors = errors
  }

  /** True if nothing was refused: then no path has to be made. */
  get clean(): boolean {
    return this.#errors.length === 0
  }

  /** True if something was refused at the path or below it. */
  refusedAt(path: string): boolean {
    return this.#byPlace().has(path)
  }

  /** What was refused at the path or below it is not told: it is not looked at. */
  passOver(path: string): void {
    this.#told.set(path, undefined)
  }

  /** What was refused at the path or below it, each error once; who takes it tells it. */
  taken(path: string): readonly FieldError[] {
    this.passOver(path)
    const found = this.#byPlace().get(path) ?? []
    return [...new Map(found.map((error) => [`${error.path}: ${error.message}`, error])).values()]
  }

  /** What was refused at the path or below it is told at another. */
  tellAt(path: string, told: string): void {
    this.#told.set(path, told)
  }

  /** The path is looked at before all else: with an error there nothing else is told. */
  lookFirst(path: string): void {
    this.#first.add(path)
  }

  /** The errors of readers as they are told. */
  toldOf(errors: readonly FieldError[]): readonly FieldError[] {
    if (this.#told.size + this.#first.size === 0) return errors
    return errors.flatMap((error) => this.#toldAs(error) ?? [])
  }

  /** What was refused at each path or below it: found once, for a list may be asked about item by item. */
  #byPlace(): ReadonlyMap<string, readonly FieldError[]> {
    if (this.#refused !== undefined) return this.#refused
    const refused = new Map<string, FieldError[]>()
    for (const error of this.#errors) {
      for (const place of placesOf(error.path)) {
        const known = refused.get(place)
        if (known === undefined) refused.set(place, [error])
        else known.push(error)
      }
    }
    this.#refused = refused
    return refused
  }

  #toldAs(error: FieldError): FieldError | undefined {
    const places = placesOf(error.path)
    const place = places.find((one) => this.#told.has(one))
    const first = places.some((one) => this.#first.has(one)) ? ({ first: true } as const) : {}
    if (place === undefined) return { ...error, ...first }
    const told = this.#told.get(place)
    if (told === undefined) return undefined
    return { ...error, ...first, path: told + error.path.slice(place.length) }
  }
}

/** A path and what holds it: `a.b[0]`, `a.b` and `a`. */
function placesOf(path: string): readonly string[] {
  return [path, ...[...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index))]
}
