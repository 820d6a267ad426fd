import type { FieldError } from '../../kernel/validation/field-error.ts'
import { invalid, required } from '../../kernel/validation/field-errors.ts'

/** What a handler refuses of a request, and how a Status says it. */
export class Refusals {
  readonly #object: unknown
  readonly #messages: string[] = []
  readonly #errors: FieldError[] = []

  constructor(object: unknown) {
    this.#object = object
  }

  get isEmpty(): boolean {
    return this.#messages.length === 0 && this.#errors.length === 0
  }

  readonly refuse = (first: string, second?: string): void => {
    if (second === undefined) this.#messages.push(first)
    else this.#errors.push(this.#errorOf(first, second))
  }

  /** A Status: Invalid where fields are named, else Forbidden. `what` is the object: `Website.web.example.com "blog"`. */
  status(what: string): object {
    const causes = this.#errors.map(({ path: field, reason, message }) => ({
      ...{ reason, message, field },
    }))
    if (causes.length === 0) return failure(403, 'Forbidden', this.#messages.join('; '))
    const texts = causes.map(({ field, message }) => `${field}: ${message}`)
    const all = [...texts, ...this.#messages]
    const list = all.length === 1 ? all[0] : `[${all.join(', ')}]`
    return { ...failure(422, 'Invalid', `${what} is invalid: ${list}`), details: { causes } }
  }

  #errorOf(field: string, message: string): FieldError {
    const value = valueAt(this.#object, field)
    return value === undefined ? required(field, message) : invalid(field, value, message)
  }
}

function failure(code: number, reason: string, message: string) {
  return { status: 'Failure', code, reason, message }
}

/** The value of a field as errors name it: `spec.ports[0].name`, `metadata.labels[app.example.com/name]`. */
function valueAt(object: unknown, field: string): unknown {
  let at = object
  for (const step of stepsOf(field)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Readonly<Record<string, unknown>>)[step]
  }
  return at
}

function stepsOf(field: string): readonly string[] {
  const steps: string[] = []
  for (let at = 0; at < field.length; ) {
    const isKey = field[at] === '['
    const close = isKey ? field.indexOf(']', at) : -1
    const stop = close < 0 ? endOfName(field, at + 1) : close
    const step = field.slice(isKey ? at + 1 : at, stop).replace(/^\./, '')
    if (step !== '') steps.push(step)
    at = close < 0 ? stop : close + 1
  }
  return steps
}

function endOfName(field: string, from: number): number {
  for (let at = from; at < field.length; at++) {
    if (field[at] === '.' || field[at] === '[') return at
  }
  return field.length
}
