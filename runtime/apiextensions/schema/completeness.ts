import type { Steps } from '../../kernel/async/slices.ts'
import type { FieldError } from '../../kernel/validation/field-error.ts'
import { required } from '../../kernel/validation/field-errors.ts'
import { alternativeSchemas, maxSchemaErrors, type Schema } from './schema.ts'

/** The errors for properties and items that an alternative names and the structure outside of it does not declare. */
export function* validateCompleteness(root: Schema, path: string): Steps<FieldError[]> {
  const validation = new CompletenessValidation()
  yield* validation.run(root, path)
  return validation.errors
}

/** A node of the structure, undefined where it declares none, and its path. */
interface Declared {
  readonly schema: Schema | undefined
  readonly path: string
}

class CompletenessValidation {
  readonly errors: FieldError[] = [];

  /** Holds the alternatives of the root against it. Those of nodes below are not looked at, as in release 1.29. */
  *run(root: Schema, path: string): Steps<void> {
    yield* this.#alternativesOf(root, path, { schema: root, path })
  }

  *#alternativesOf(schema: Schema, path: string, declared: Declared): Steps<void> {
    for (const { step, schema: alternative } of alternativeSchemas(schema)) {
      yield* this.#nested(alternative, `${path}.${step}`, declared)
    }
  }

  /** Checks a node inside an alternative against the declared node of the same values. */
  *#nested(schema: Schema, path: string, declared: Declared): Steps<void> {
    if (this.errors.length >= maxSchemaErrors) return
    yield 1
    if (declared.schema === undefined) {
      this.errors.push(required(declared.path, `because it is defined in ${path}`))
      return
    }
    yield* this.#alternativesOf(schema, path, declared)
    const { items, properties } = declared.schema
    if (schema.items) {
      const declaredItems = { schema: items, path: `${declared.path}.items` }
      yield* this.#nested(schema.items, `${path}.items`, declaredItems)
    }
    for (const [name, child] of schema.properties) {
      const step = `.properties[${name}]`
      const declaredChild = { schema: properties.get(name), path: `${declared.path}${step}` }
      yield* this.#nested(child, `${path}${step}`, declaredChild)
    }
  }
}
