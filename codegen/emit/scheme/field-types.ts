/** Emits the table of field types, by which a body is refused whose values have other ones. */
import type { FieldType, FieldTypeRow } from '../../../runtime/kernel/descriptors/field-types.ts'
import { apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import type { NamedType, Scalar, StructType, Type, UnionType } from '../../schema/named-type.ts'
import type { Specifiers, TextArtefact } from '../artefact.ts'
import { literal } from '../code/literal.ts'
import { property, quote } from '../code/names.ts'
import type { Model } from '../model/model.ts'
import { closureOf } from '../model/references.ts'

/** The module of the table; none for a tree without kinds. */
export function fieldTypesModule(model: Model, specifiers: Specifiers): readonly TextArtefact[] {
  if (!hasFieldTypes(model)) return []
  const path = 'field-types.ts'
  const type = quote(specifiers.kernel('descriptors/field-types', path))
  const types = closureOf(model, rootsOf(model))
  const structs = types.filter((each) => each.is === 'struct')
  const unions = types.filter((each) => each.is === 'union')
  const lines = [
    `import type { FieldTypes } from ${type}`,
    '',
    'export const fieldTypes: FieldTypes = {',
    '  structs: {',
    ...structs.flatMap((each) => structLines(each, model)),
    '  },',
    ...orderLines(structs),
    ...referenceLines(structs),
    ...sinceLines(structs),
    '  unions: {',
    ...unions.map((each) => unionLine(each, model)),
    '  },',
    '  kinds: {',
    ...structs.filter(({ root }) => root).map(kindLine),
    '  },',
    '}',
  ]
  const from = [...new Set([...structs, ...unions].map(({ at }) => at.file))].sort()
  return [{ is: 'text', path, from, text: `${lines.join('\n')}\n` }]
}

/** True for a tree that serves kinds. */
export function hasFieldTypes(model: Model): boolean {
  return model.kinds.length > 0
}

/** What clients send: kinds, bodies of subresources, and the options of the machinery. */
function rootsOf(model: Model): readonly string[] {
  const bodies = model.api.bodies.filter(({ external }) => !external)
  const options = model.types.filter((type) => type.is === 'struct' && type.root && inMeta(type))
  return [...[...model.kinds, ...bodies].map(({ type }) => type), ...options.map(({ id }) => id)]
}

function inMeta(type: NamedType): boolean {
  return type.package.startsWith('meta/')
}

function structLines({ id, fields }: StructType, model: Model): readonly string[] {
  const rows = fields.map(({ name, type, typeName }) => {
    const row = typeOf(type, model)
    return `      ${property(name)}: ${printed(typeName === undefined ? row : [row, typeName])},`
  })
  return [`    ${quote(id)}: {`, ...rows, '    },']
}

function orderLines(structs: readonly StructType[]): readonly string[] {
  const lines = structs.flatMap(({ id, errorOrder }) =>
    errorOrder ? [`    ${quote(id)}: [${errorOrder.map(quote).join(', ')}],`] : [],
  )
  return lines.length === 0 ? [] : ['  errorOrders: {', ...lines, '  },']
}

function referenceLines(structs: readonly StructType[]): readonly string[] {
  const rows = structs.flatMap(({ id, references }) => (references ? [[id, references]] : []))
  return rows.length === 0 ? [] : [`  references: ${literal(Object.fromEntries(rows), 2)},`]
}

function sinceLines(structs: readonly StructType[]): readonly string[] {
  const rows = structs.flatMap(({ id, fields }) => {
    const newer = fields.flatMap(({ name, since }) => (since === undefined ? [] : [[name, since]]))
    return newer.length === 0 ? [] : [[id, Object.fromEntries(newer)]]
  })
  return rows.length === 0 ? [] : [`  since: ${literal(Object.fromEntries(rows), 2)},`]
}

function unionLine({ id, members }: UnionType, model: Model): string {
  const types = members.map(({ type }) => quote(typeOf(type, model)))
  return `    ${quote(id)}: [${types.join(', ')}],`
}

function kindLine(struct: StructType): string {
  return `    ${quote(`${apiVersionOf(struct)}/${struct.name}`)}: ${quote(struct.id)},`
}

function printed(row: FieldTypeRow): string {
  return typeof row === 'string' ? quote(row) : `[${row.map(quote).join(', ')}]`
}

function typeOf(type: Type, model: Model): FieldType {
  switch (type.is) {
    case 'string':
      return stringTypes[type.format ?? ''] ?? 'string'
    case 'integer':
      return type.format
    case 'number':
      return 'float64'
    case 'boolean':
      return 'bool'
    case 'list':
      return `[]${typeOf(type.items, model)}`
    case 'map':
      return `map[string]${typeOf(type.values, model)}`
    case 'ref': {
      const named = model.type(type.to)
      return named.is === 'scalar' ? (named.scalar satisfies Scalar) : type.to
    }
  }
}

/** Texts that are decoded. */
const stringTypes: Readonly<Record<string, FieldType>> = { byte: 'bytes', 'date-time': 'time' }
