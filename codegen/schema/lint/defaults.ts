/** Lint: defaults. */
import type { NamedType, Type } from '../named-type.ts'
import { type LintRule, typesById } from './lint-rule.ts'

/** A default is a value that its own field would accept. */
export const checkDefaults: LintRule = (built, report) => {
  const types = typesById(built)
  for (const type of built.api.types) {
    if (type.is !== 'struct') continue
    for (const field of type.fields) {
      if (field.default === undefined) continue
      const wanted = refusal(field.type, field.default, types)
      if (wanted === undefined) continue
      const value = JSON.stringify(field.default)
      report(field.at, 'bad-default', `the default of "${field.name}" is ${value}; ${wanted}`)
    }
  }
}

type Types = ReadonlyMap<string, NamedType>

/**
 * Why a type refuses a value, as what was expected instead; undefined if it accepts it. Unions
 * accept everything.
 * Lengths, patterns and numbers of items are not looked at: a default that breaks one of them is
 * found when the generated reader meets it.
 */
export function refusal(type: Type, value: unknown, types: Types): string | undefined {
  switch (type.is) {
    case 'string':
      if (typeof value !== 'string') return 'expected a string'
      return type.bounds.values && unlisted(type.bounds.values, value)
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'expected true or false'
    case 'integer':
      return Number.isInteger(value) ? outside(type.bounds, value as number) : 'expected an integer'
    case 'number':
      return typeof value === 'number' ? outside(type.bounds, value) : 'expected a number'
    case 'list':
      if (!Array.isArray(value)) return 'expected a list'
      return value.map((each) => refusal(type.items, each, types)).find((each) => each)
    case 'map':
      if (!isRecord(value)) return 'expected a mapping'
      return Object.values(value)
        .map((each) => refusal(type.values, each, types))
        .find((each) => each)
    case 'ref':
      return refusalOf(types.get(type.to), value, types)
  }
}

function refusalOf(type: NamedType | undefined, value: unknown, types: Types): string | undefined {
  switch (type?.is) {
    case 'enum':
      if (typeof value !== 'string') return 'expected a string'
      return type.closed ? unlisted(type.values, value) : undefined
    case 'scalar':
      return scalarRefusal(type.scalar, value)
    case 'struct': {
      if (!isRecord(value)) return 'expected a mapping'
      const fields = new Map(type.fields.map((field) => [field.name, field.type]))
      const wrong = Object.entries(value).map(([name, each]) => {
        const field = fields.get(name)
        return field === undefined
          ? `"${name}" is not a field of "${type.id}"`
          : refusal(field, each, types)
      })
      return wrong.find((each) => each)
    }
    case 'union':
    case undefined:
      return undefined
  }
}

/** The form of texts (a quantity, a time) is not checked here. */
function scalarRefusal(scalar: string, value: unknown): string | undefined {
  if (scalar === 'any') return undefined
  if (scalar === 'raw-extension' || scalar === 'fields-v1') {
    return isRecord(value) ? undefined : 'expected a mapping'
  }
  if (scalar === 'int-or-string' && typeof value !== 'string') {
    return Number.isInteger(value) ? undefined : 'expected an integer or a string'
  }
  return typeof value === 'string' ? undefined : 'expected a string'
}

/** The message for a value that is not among those allowed. */
function unlisted(values: readonly string[], value: string): string | undefined {
  if (values.includes(value)) return undefined
  return `expected one of ${values.map((each) => `"${each}"`).join(', ')}`
}

/**
 * The message for a number out of range.
 * Exclusive bounds are not compared.
 */
function outside(
  bounds: { readonly minimum?: number; readonly maximum?: number },
  value: number,
): string | undefined {
  if (bounds.minimum !== undefined && value < bounds.minimum)
    return `expected at least ${bounds.minimum}`
  if (bounds.maximum !== undefined && value > bounds.maximum)
    return `expected at most ${bounds.maximum}`
  return undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
