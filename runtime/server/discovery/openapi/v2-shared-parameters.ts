/** Parameters of a Swagger document that many operations take stand in it once; operations refer to them. */
import { createHash } from 'node:crypto'

type Value = Readonly<Record<string, unknown>>

/** Command-line tools look for these among the parameters of an operation and follow no reference. */
const inPlace: ReadonlySet<string> = new Set(['dryRun', 'fieldValidation'])

/** Collects the parameters that are shared, by their names in the document. */
export class SharedParameters {
  readonly #found = new Map<string, Value>()

  /** The parameters by name. */
  get all(): ReadonlyMap<string, Value> {
    return this.#found
  }

  /** The item of a path, with references in the place of shared parameters. */
  share(item: Value): Value {
    const entries = Object.entries(item).map(([word, value]) => [
      word,
      word === 'parameters'
        ? this.#references(value as readonly Value[])
        : this.#within(value as Value),
    ])
    return Object.fromEntries(entries)
  }

  #within(operation: Value): Value {
    const { parameters } = operation
    if (parameters === undefined) return operation
    return { ...operation, parameters: this.#references(parameters as readonly Value[]) }
  }

  #references(parameters: readonly Value[]): readonly Value[] {
    return parameters.map((parameter) => {
      if (!isShared(parameter)) return parameter
      const text = JSON.stringify(parameter)
      const hash = createHash('sha256').update(text).digest('base64url').slice(0, 8)
      const name = `${parameter.name}-${hash}`
      this.#found.set(name, parameter)
      return { $ref: `#/parameters/${name}` }
    })
  }
}

/** Names of objects are described by their kind, and bodies are the kind's own, but for what the machinery sends. */
function isShared({ name, in: place, schema }: Value): boolean {
  if (place === 'body') return String((schema as Value).$ref).includes('.apis.meta.')
  return place === 'query' ? !inPlace.has(String(name)) : name === 'namespace'
}
