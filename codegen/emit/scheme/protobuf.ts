/** Emits the tables of protobuf messages: one module for each package, and the one that loads them. */
import type {
  MessageField,
  MessageShape,
  MessageType,
} from '../../../runtime/kernel/descriptors/protobuf-tables.ts'
import { apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import type { KindFacts } from '../../schema/ir.ts'
import type { Field, Scalar, StructType, Type, UnionType } from '../../schema/named-type.ts'
import type { Artefact, ModuleArtefact, Specifiers, TextArtefact } from '../artefact.ts'
import { importsOf } from '../code/imports.ts'
import { property, quote } from '../code/names.ts'
import type { Model } from '../model/model.ts'
import { referencesOf } from '../model/references.ts'

/**
 * The modules; none for a tree without messages.
 * A row is the number, the JSON name, the type and, for all but plain optional fields, the shape:
 *
 *   'core/v1.ConfigMap': [
 *     [1, 'metadata', 'meta/v1.ObjectMeta', 'kept'],
 */
export function protobufModules(model: Model, specifiers: Specifiers): readonly Artefact[] {
  const messages = messagesOf(model)
  if (messages.length === 0) return []
  const packages = [...new Set(messages.map((message) => message.package))].sort()
  const modules = packages.map((name) => {
    const own = messages.filter((message) => message.package === name)
    return tableModule(pathOf(name), own, model, specifiers)
  })
  return [...modules, loaderOf(packages, specifiers)]
}

/** True if anything in the tree has a protobuf form. */
export function hasMessages(model: Model): boolean {
  return model.types.some((type) => type.is === 'struct' && model.isMessage(type.id))
}

/** The message of a kind; undefined if a type in it has no protobuf form. */
export function messageOf(kind: KindFacts, model: Model): string | undefined {
  return model.isMessage(kind.type) ? kind.type : undefined
}

/** Structs whose fields have numbers, and structs without fields and unions that one of these holds. */
function messagesOf(model: Model): readonly (StructType | UnionType)[] {
  const structs = model.types
    .filter((type) => type.is === 'struct')
    .filter(({ id }) => model.isMessage(id))
  const held = new Set(structs.flatMap(referencesOf))
  return model.types.filter((type) => {
    if (type.is === 'union') return held.has(type.id)
    return (
      type.is === 'struct' &&
      model.isMessage(type.id) &&
      (type.fields.length > 0 || held.has(type.id))
    )
  }) as readonly (StructType | UnionType)[]
}

/** `core/v1` has `protobuf/core-v1.ts`. */
function pathOf(name: string): string {
  return `protobuf/${name.replaceAll('/', '-')}.ts`
}

/**
 * `kinds` leads from apiVersion and kind to the id of a message.
 */
function tableModule(
  path: string,
  types: readonly (StructType | UnionType)[],
  model: Model,
  specifiers: Specifiers,
): TextArtefact {
  const type = quote(specifiers.kernel('descriptors/protobuf-tables', path))
  const kinds = types.filter((one) => one.is === 'struct').filter((struct) => struct.root)
  const lines = [
    `import type { ProtobufTables } from ${type}`,
    '',
    "export const kinds: ProtobufTables['kinds'] = {",
    ...kinds.map(
      (kind) => `  ${property(`${apiVersionOf(kind)}/${kind.name}`)}: ${quote(kind.id)},`,
    ),
    '}',
    '',
    "export const messages: ProtobufTables['messages'] = {",
    ...types.flatMap((one) => [
      `  ${quote(one.id)}: [`,
      ...(one.is === 'union' ? membersOf(one, model) : fieldsOf(one, model)).map(
        (field) => `    [${field.map(printed).join(', ')}],`,
      ),
      '  ],',
    ]),
    '}',
  ]
  const from = [...new Set(types.map((one) => one.at.file))].sort()
  return { is: 'text', path, from, text: `${lines.join('\n')}\n` }
}

function printed(part: MessageField[number]): string {
  return typeof part === 'string' ? quote(part) : String(part)
}

/** A message's fields in ascending order of numbers. An inlined struct is a message of its own, in one field. */
function fieldsOf(struct: StructType, model: Model): readonly MessageField[] {
  const own = struct.fields.filter(({ inline }) => inline?.proto === undefined)
  const inlined = new Map(
    struct.fields.flatMap(({ inline }) =>
      inline?.proto === undefined ? [] : [[inline.proto, inline.type as MessageType]],
    ),
  )
  return [
    ...own.map((field) => fieldOf(field, model)),
    ...[...inlined].map(([number, type]): MessageField => [number, '', type, 'inline']),
  ].sort(([a], [b]) => a - b)
}

/** The members of a union in ascending order of numbers; they have no names in JSON. */
function membersOf({ members }: UnionType, model: Model): readonly MessageField[] {
  return members
    .map(({ proto, type }): MessageField => {
      const [of, shape] =
        type.is === 'list' ? [type.items, 'member list' as const] : [type, 'member' as const]
      return [proto as number, '', typeOf(of, model), shape]
    })
    .sort(([a], [b]) => a - b)
}

function fieldOf(field: Field, model: Model): MessageField {
  const number = field.proto as number
  const { type, shape } = held(field, model)
  return shape === undefined ? [number, field.name, type] : [number, field.name, type, shape]
}

/**
 * The type and shape of a field: what is written, and what its absence means.
 * A list in a message of its own (`protoMessage`) can be absent or empty, which a repeated field
 * cannot.
 */
function held(
  field: Field,
  model: Model,
): { readonly type: MessageType; readonly shape?: MessageShape } {
  const { type, required } = field
  if (type.is === 'list' && field.protoMessage) return { type: 'strings', shape: 'tracked' }
  if (type.is === 'list') {
    return { type: typeOf(type.items, model), shape: required ? 'required list' : 'list' }
  }
  if (type.is === 'map') {
    return { type: typeOf(type.values, model), shape: required ? 'required map' : 'map' }
  }
  const shape = shapeOf(field)
  return { type: typeOf(type, model), ...(shape && { shape }) }
}

/**
 * `tracked` fields differ from zero when absent; `kept` ones are always in JSON. One that is kept and has a default is not:
 * where it is absent or zero on the wire, the reader gives the default.
 */
function shapeOf({ required, zero, pointer, default: given }: Field): MessageShape | undefined {
  if (pointer || zero === 'null' || (zero === 'tracked' && !required)) return 'tracked'
  if (zero === 'keep' && given !== undefined) return undefined
  return required || zero === 'keep' ? 'kept' : undefined
}

/** The forms of scalars, which the serializer knows by name. */
const scalars: Readonly<Record<Scalar, MessageType>> = {
  time: 'time',
  'micro-time': 'micro-time',
  duration: 'duration',
  quantity: 'quantity',
  'int-or-string': 'int-or-string',
  'raw-extension': 'json',
  'fields-v1': 'json',
  any: 'json',
}

/**
 * A list or map inside another one is written as a message of texts.
 */
function typeOf(type: Type, model: Model): MessageType {
  switch (type.is) {
    case 'string':
      return type.format === 'byte' ? 'bytes' : type.format === 'date-time' ? 'time' : 'string'
    case 'integer':
      return type.format
    case 'number':
      return 'double'
    case 'boolean':
      return 'bool'
    case 'ref':
      return namedType(type.to, model)
    case 'list':
    case 'map':
      return 'strings'
  }
}

function namedType(id: string, model: Model): MessageType {
  const named = model.type(id)
  if (named.is === 'enum') return 'string'
  return named.is === 'scalar' ? scalars[named.scalar] : (id as MessageType)
}

/** The tables of all packages are loaded together and merged. */
function loaderOf(packages: readonly string[], specifiers: Specifiers): ModuleArtefact {
  const path = 'protobuf.ts'
  const imports = importsOf(path, specifiers)
  const type = imports.kernel('descriptors/protobuf-tables', 'ProtobufTables', true)
  const merge = imports.kernel('descriptors/protobuf-tables', 'mergeProtobufTables')
  const loads = packages.map(
    (name) => `    import(${quote(specifiers.local(pathOf(name), path))}),`,
  )
  const text = `/** How objects are written in protobuf. */
export async function protobuf(): Promise<${type}> {
  const tables = await Promise.all([
${loads.join('\n')}
  ])
  return ${merge}(tables)
}`
  return {
    is: 'module',
    path,
    from: [],
    imports: imports.structures(),
    statements: [text],
  }
}
