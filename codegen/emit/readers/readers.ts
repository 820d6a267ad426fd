/**
 * Emits the readers of one schema file: for each struct a function that walks the input's own keys into a `switch`, and
 * then builds the result in declaration order. The functions that it calls are in
 * `runtime/kernel/validation/readers.ts`.
 */

import { extensionPrefixes } from '../../../runtime/kernel/descriptors/platform.ts'
import { apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import type {
  EnumType,
  Field,
  NamedType,
  ScalarType,
  StructType,
  UnionType,
} from '../../schema/named-type.ts'
import { jsonTypeOf } from '../../schema/union-members.ts'
import type { Specifiers, TextArtefact } from '../artefact.ts'
import { type Imports, importsOf } from '../code/imports.ts'
import { literal } from '../code/literal.ts'
import { lowerFirst, quote, readerName, readerPath } from '../code/names.ts'
import type { Model } from '../model/model.ts'
import { fieldReader, type HoistedConstants, hoistedConstants, typeReader } from './field-reader.ts'
import { fieldResult } from './field-result.ts'

/**
 * The module of a schema file's readers.
 * Text, not structures: readers are long, and printing them through a compiler would take much of a run. Hoisted constants stand before the functions that use them.
 */
export function readersModule(file: string, model: Model, specifiers: Specifiers): TextArtefact {
  const types = model.typesIn('file', file)
  const path = readerPath(types[0]!)
  const imports = importsOf(path, specifiers, types.map(readerName))
  const hoisted = hoistedConstants()
  const bodies = types.map((type) => readerOf(type, model, imports, hoisted))
  const head = [...importLines(imports), reading(specifiers, path)]
  const parts = [head.join('\n'), hoisted.lines.join('\n'), ...bodies]
  const text = `${parts.filter((part) => part !== '').join('\n\n')}\n`
  return { is: 'text', path, from: [file], text }
}

/** All readers of the kernel are used as `r.<name>`, so that no generated name can hide one. */
function reading(specifiers: Specifiers, path: string): string {
  return `import * as r from ${quote(specifiers.kernel('validation/readers', path))}`
}

function importLines(imports: Imports): readonly string[] {
  return imports.structures().map(({ moduleSpecifier, isTypeOnly, namedImports }) => {
    const names = (namedImports as readonly { name: string; alias?: string }[])
      .map(({ name, alias }) => (alias === undefined ? name : `${name} as ${alias}`))
      .sort()
    const keyword = isTypeOnly ? 'import type' : 'import'
    return `${keyword} { ${names.join(', ')} } from ${quote(moduleSpecifier)}`
  })
}

/** A struct has a function of two arguments; every other type a constant, an `r.FieldReader`. */
function readerOf(
  type: NamedType,
  model: Model,
  imports: Imports,
  hoisted: HoistedConstants,
): string {
  if (type.is === 'struct') return structReader(type, model, imports, hoisted)
  const head = `export const ${readerName(type)}: r.FieldReader<${imports.type(type)}> =`
  if (type.is === 'union') return `${head} ${unionReader(type, model, imports, hoisted)}`
  return `${head} ${type.is === 'enum' ? enumReader(type) : scalarReader(type)}`
}

/** Open sets accept any text. */
function enumReader(type: EnumType): string {
  if (!type.closed) return 'r.string'
  const { refusal, refusalOrder } = type
  const how = { ...(refusalOrder && { order: refusalOrder }), ...(refusal && { refusal }) }
  const told = Object.keys(how).length === 0 ? '' : `, ${literal(how)}`
  return `r.oneOf([${type.values.map(quote).join(', ')}]${told})`
}

/**
 * The readers of a union's members, by the JSON type of the value.
 * Members have different JSON types: the type of the value picks one.
 */
function unionReader(
  type: UnionType,
  model: Model,
  imports: Imports,
  hoisted: HoistedConstants,
): string {
  const parts = type.members.map((member) => {
    const read = typeReader(member.type, model, imports, hoisted, lowerFirst(type.name))
    const struct = model.struct(member.type) !== undefined
    return `${jsonTypeOf(member.type, model.type)}: ${struct ? `(v, report, name) => r.struct(v, report, name, ${read})` : read}`
  })
  return `r.union<${imports.type(type)}>({ ${parts.join(', ')} })`
}

/** The kernel's readers of scalars. */
const scalars: Readonly<Record<ScalarType['scalar'], string>> = {
  time: 'r.time',
  'micro-time': 'r.microTime',
  duration: 'r.duration',
  quantity: 'r.quantity',
  'int-or-string': 'r.intOrString',
  'raw-extension': 'r.raw',
  'fields-v1': 'r.object',
  any: 'r.any',
}

function scalarReader(type: ScalarType): string {
  return scalars[type.scalar]
}

/**
 * `kind` and `apiVersion` of a kind are known and only skipped; those of a root without a kind
 * are fields.
 * Fields are locals (`f0`, `f1`, ...) and not properties while the input is read, because the
 * result must have its keys in declaration order whatever order they were sent in.  The first lines of a
 * function:
 *
 *   export function readConfigMap(input: unknown, report: r.ReadReport): ConfigMap {
 *     let f0: ConfigMap['metadata'] | undefined
 */
function structReader(
  struct: StructType,
  model: Model,
  imports: Imports,
  hoisted: HoistedConstants,
): string {
  const type = imports.type(struct)
  const names = struct.fields.map((field, index) => ({ field, local: `f${index}` }))
  const rooted = struct.root && model.kindOf(struct) === undefined
  const all = [...(rooted ? rootFields : []), ...names]
  const lines = [
    `export function ${readerName(struct)}(input: unknown, report: r.ReadReport): ${type} {`,
    ...all.map(({ field, local }) => `  let ${local}: ${localType(field, type)}`),
    ...(struct.preserveUnknown ? ['  const rest: Record<string, unknown> = {}'] : []),
    '  const fields = r.fields(input, report)',
    '  for (const key in fields) {',
    '    const value = fields[key]',
    '    switch (key) {',
    ...(struct.root && !rooted
      ? ["      case 'kind':", "      case 'apiVersion':", '        break']
      : []),
    ...all.flatMap(({ field, local }) => caseOf(field, local, struct, model, imports, hoisted)),
    '      default:',
    struct.preserveUnknown
      ? '        r.define(rest, key, value)'
      : '        r.unknownField(report, key)',
    '    }',
    '  }',
    `  const out = {} as r.Writable<${type}>`,
    ...head(struct, model),
    ...all.flatMap(({ field, local }) =>
      fieldResult(field, local, struct, model, imports, hoisted),
    ),
    struct.preserveUnknown ? '  return r.merged(out, rest)' : '  return out',
    '}',
  ]
  return lines.join('\n')
}

/** The lines that give a kind its `kind` and `apiVersion`, whatever was sent. */
function head(struct: StructType, model: Model): readonly string[] {
  const kind = model.kindOf(struct)
  if (kind === undefined) return []
  return [`  out.kind = ${quote(kind.kind)}`, `  out.apiVersion = ${quote(apiVersionOf(kind))}`]
}

/**
 * The `case` of a field.
 *   case 'data':
 *     f2 = r.map(value, report, 'data', r.string, '')
 *     break
 */
function caseOf(
  field: Field,
  local: string,
  struct: StructType,
  model: Model,
  imports: Imports,
  hoisted: HoistedConstants,
): readonly string[] {
  const read = fieldReader(field, struct, model, imports, hoisted)
  const names = [field.name, ...otherNames(field.name, model)]
  const labels = names.map((name) => `      case ${quote(name)}:`)
  return [...labels, `        ${local} = ${read}`, '        break']
}

/** The other names of a field: an extension key is understood under the public ecosystem's prefix too. */
function otherNames(name: string, { api }: Model): readonly string[] {
  const [own, ...others] = extensionPrefixes(api.platform).map((prefix) => `x-${prefix}-`)
  if (own === undefined || !name.startsWith(own)) return []
  return others.map((prefix) => `${prefix}${name.slice(own.length)}`)
}

/** `kind` and `apiVersion` of a root that no tree stores: texts like any other. */
const rootFields = ['kind', 'apiVersion'].map((name) => ({
  local: name,
  field: {
    name,
    description: '',
    type: { is: 'string', bounds: {} },
    required: false,
    zero: 'omit',
    checkAbsent: false,
    at: { file: '', line: 0, column: 0 },
  } satisfies Field,
}))

/** Only required lists and maps remember that null was sent. */
function localType(field: Field, type: string): string {
  const nullable =
    field.required && !field.absentIsZero && (field.type.is === 'list' || field.type.is === 'map')
  return `${type}[${quote(field.name)}] | ${nullable ? 'null | ' : ''}undefined`
}
