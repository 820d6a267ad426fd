/** What a flag takes from the field of the configuration file that it overrides. */
import type { OptionFacts } from '../ir.ts'
import type { Field, NamedType, StructType, Type } from '../named-type.ts'

/** A field, or why a path leads to none. */
interface Found {
  readonly field?: Field
  /** The step that names no field; `among` are the names that it could have been. */
  readonly missing: string
  readonly among: readonly string[]
}

/** The field at a path such as `Generic.Port`. */
export function fieldAt(path: string, root: StructType, types: readonly NamedType[]): Found {
  let struct: StructType | undefined = root
  let field: Field | undefined
  for (const step of path.split('.')) {
    const among: readonly string[] = struct?.fields.map(({ name }) => name) ?? []
    field = struct?.fields.find(({ name }) => name === step)
    if (field === undefined) return { missing: step, among }
    struct = structOf(field.type, types)
  }
  return { ...(field === undefined ? {} : { field }), missing: '', among: [] }
}

/** Paths do not lead through lists and maps: their items have no setting of their own. */
function structOf(type: Type, types: readonly NamedType[]): StructType | undefined {
  const named = type.is === 'ref' ? types.find(({ id }) => id === type.to) : undefined
  return named?.is === 'struct' ? named : undefined
}

/** Type, default, range and description of a field as facts of a flag. A type that no flag can have gives no type. */
export function factsOfField(field: Field, types: readonly NamedType[]): Partial<OptionFacts> {
  const { description, default: value } = field
  return {
    ...typeFacts(field.type, types),
    ...(value === undefined ? {} : { default: value }),
    description,
  }
}

/**
 * The types of flags are few: lists and maps of anything but texts (and maps to booleans) have
 * none.
 */
function typeFacts(type: Type, types: readonly NamedType[]): Partial<OptionFacts> {
  switch (type.is) {
    case 'string':
      return { type: 'string', ...valuesOf(type.bounds.values) }
    case 'boolean':
      return { type: 'bool' }
    case 'integer':
      return { type: type.format, ...range(type.bounds) }
    case 'number':
      return { type: 'float', ...range(type.bounds) }
    case 'list':
      return type.items.is === 'string' ? { type: 'strings' } : {}
    case 'map':
      if (type.values.is === 'boolean') return { type: 'stringToBool' }
      return type.values.is === 'string' ? { type: 'stringToString' } : {}
    case 'ref': {
      const named = types.find(({ id }) => id === type.to)
      if (named?.is === 'enum') return { type: 'string', ...valuesOf(named.values) }
      return named?.is === 'scalar' && named.scalar === 'duration' ? { type: 'duration' } : {}
    }
  }
}

function valuesOf(values: readonly string[] | undefined): Partial<OptionFacts> {
  return values === undefined ? {} : { values }
}

/** Exclusive bounds have no counterpart in flags and are left out. */
function range({ minimum, maximum }: { minimum?: number; maximum?: number }): Partial<OptionFacts> {
  return {
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
  }
}
