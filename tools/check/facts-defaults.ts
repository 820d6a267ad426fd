/** Compares defaults with a facts file, by reading an empty value of each field's type as the generated reader would. */
import type { Api } from '../../codegen/schema/ir.ts'
import type { NamedType, StructType, Type } from '../../codegen/schema/named-type.ts'
import type { DefaultFact, Facts } from './facts-file.ts'

/** What differs between the schemas' defaults and those of a facts file that hold whatever else an object says. */
export function defaultDifferences(api: Api, { defaults }: Facts): readonly string[] {
  const types = new Map(api.types.map((type) => [type.id, type]))
  return defaults
    .filter(({ when, value }) => when === undefined && !isProse(value))
    .flatMap((fact) => difference(fact, types))
}

/** Values such as `= containerPort` say how a default is found, not what it is. */
function isProse(value: unknown): boolean {
  return typeof value === 'string' && / /.test(value)
}

function difference(
  { type, path, value }: DefaultFact,
  types: ReadonlyMap<string, NamedType>,
): readonly string[] {
  const [steps, name] = [path.split('.').slice(0, -1), path.split('.').at(-1) ?? '']
  let holder = structOf(types.get(type))
  const above: StructType[] = []
  for (const step of steps) {
    if (holder !== undefined) above.push(holder)
    const field: StructType['fields'][number] | undefined = holder?.fields.find(
      (one) => one.name === step.replace('[*]', ''),
    )
    holder = field && structOf(types.get(innermost(field.type) ?? ''))
  }
  const field = holder?.fields.find((one) => one.name === name.replace('[*]', ''))
  const ours = field?.default ?? inherited(above, steps, name)
  const same = JSON.stringify(ours) === JSON.stringify(value)
  const shown = ours === undefined ? 'not in the schema' : JSON.stringify(ours)
  return same ? [] : [`${type}.${path}: default is ${shown}, should be ${JSON.stringify(value)}`]
}

/** A default that a field further up gives. */
function inherited(above: readonly StructType[], steps: readonly string[], name: string): unknown {
  for (const [index, struct] of above.entries()) {
    const field = struct.fields.find((one) => one.name === steps[index])
    const value = [...steps.slice(index + 1), name].reduce<unknown>(
      (part, step) => (part as Readonly<Record<string, unknown>> | undefined)?.[step],
      field?.default,
    )
    if (value !== undefined) return value
  }
  return undefined
}

function structOf(type: NamedType | undefined): StructType | undefined {
  return type?.is === 'struct' ? type : undefined
}

function innermost(type: Type): string | undefined {
  if (type.is === 'list') return innermost(type.items)
  if (type.is === 'map') return innermost(type.values)
  return type.is === 'ref' ? type.to : undefined
}
