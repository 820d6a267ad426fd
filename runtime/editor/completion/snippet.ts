/** What is inserted for a field: its key, its default or the choice of its values, and what it must have below. */
import type { Json } from '../../kernel/values/json.ts'
import type { FieldSchema, ValueSchema } from '../schema/value-schema.ts'
import { escaped, scalarText } from './item.ts'

/** The form of a document at a place. */
export interface Form {
  readonly isJson: boolean
  /** In braces: everything stands on one line. */
  readonly isFlow: boolean
}

/** Deeper required fields are not written. */
const maxDepth = 4

/** The snippet of a field. */
export function fieldSnippet(field: FieldSchema, form: Form): string {
  return new SnippetWriter(form).field(field, '', 0)
}

/** The snippet of a value below `indent`, which begins on the line that it is on. */
export function valueSnippet(schema: ValueSchema, form: Form, indent: string): string {
  return new SnippetWriter(form).inside(schema, indent, 0)
}

class SnippetWriter {
  readonly #form: Form
  #places = 0

  constructor(form: Form) {
    this.#form = form
  }

  field({ name, schema }: FieldSchema, indent: string, depth: number): string {
    const key = escaped(this.#form.isJson ? JSON.stringify(name) : name)
    if (this.#form.isFlow || isScalar(schema)) return `${key}: ${this.#value(schema)}`
    return `${key}:\n${indent}  ${this.inside(schema, `${indent}  `, depth + 1)}`
  }

  /** The parts of an object or list that must be there, or a place for them. */
  inside(schema: ValueSchema, indent: string, depth: number): string {
    if (isScalar(schema)) return this.#value(schema)
    if (schema.shape === 'list') {
      const { part } = schema
      return `- ${part === undefined ? this.#place() : this.inside(part, `${indent}  `, depth)}`
    }
    const required = depth >= maxDepth ? [] : schema.fields.filter(({ isRequired }) => isRequired)
    if (required.length === 0) return this.#place()
    return required.map((one) => this.field(one, indent, depth)).join(`\n${indent}`)
  }

  #value(schema: ValueSchema): string {
    if (schema.shape === 'object' || schema.shape === 'map') return `{${this.#place()}}`
    if (schema.shape === 'list') return `[${this.#place()}]`
    const initial = schema.default
    const choice = choiceOf(schema, initial)
    if (choice.length > 1)
      return `\${${++this.#places}|${choice.map((one) => this.#choice(one)).join(',')}|}`
    if (initial !== undefined && typeof initial !== 'object') {
      return `\${${++this.#places}:${escaped(this.#scalar(initial))}}`
    }
    const inQuotes = this.#form.isJson && schema.shape === 'string'
    return inQuotes ? `"${this.#place()}"` : this.#place()
  }

  #scalar(value: Json): string {
    return typeof value === 'string' ? scalarText(value, this.#form) : String(value)
  }

  #choice(value: Json): string {
    return this.#scalar(value).replace(/[\\$},|]/g, '\\$&')
  }

  #place(): string {
    return `$${++this.#places}`
  }
}

function isScalar({ shape }: ValueSchema): boolean {
  return shape !== 'object' && shape !== 'map' && shape !== 'list'
}

/** The values to choose from, the default first. */
function choiceOf(
  { shape, values, isOpen }: ValueSchema,
  initial: Json | undefined,
): readonly Json[] {
  const all: readonly Json[] = shape === 'boolean' ? [true, false] : isOpen ? [] : values
  if (initial === undefined || !all.includes(initial)) return all
  return [initial, ...all.filter((one) => one !== initial)]
}
