/** Emits the TypeScript declaration of a named type. */
import type {
  InterfaceDeclarationStructure,
  PropertySignatureStructure,
  StatementStructures,
  TypeAliasDeclarationStructure,
} from 'ts-morph'
import { apiVersionOf } from '../../../runtime/kernel/meta/object.ts'
import { isConfig } from '../../schema/files/layout.ts'
import type {
  EnumType,
  Field,
  NamedType,
  Scalar,
  StructType,
  Type,
} from '../../schema/named-type.ts'
import type { Imports } from '../code/imports.ts'
import { literal } from '../code/literal.ts'
import { property, quote } from '../code/names.ts'
import { structure } from '../code/structures.ts'
import type { Model } from '../model/model.ts'
import { clusterMetadataType } from './object-metadata.ts'

/** An interface for a struct, an alias for everything else. */
export function typeStatement(
  type: NamedType,
  model: Model,
  imports: Imports,
): StatementStructures {
  if (type.is === 'struct') return interfaceOf(type, model, imports)
  if (type.is === 'enum') return alias(type, enumText(type))
  if (type.is === 'union') {
    const members = type.members.map((member) => typeText(member.type, model, imports))
    return alias(type, members.join(' | '))
  }
  return alias(type, scalarText(type.scalar, imports))
}

/** The text may begin with a line break: a long union has one member a line. */
function alias(type: NamedType, text: string): TypeAliasDeclarationStructure {
  return {
    kind: structure.alias,
    name: type.name,
    isExported: true,
    docs: docs(type.description),
    type: text,
  }
}

/**
 *   export interface ConfigMap {
 *     readonly kind: 'ConfigMap'
 */
function interfaceOf(
  struct: StructType,
  model: Model,
  imports: Imports,
): InterfaceDeclarationStructure {
  const fields = struct.fields.map((field) => fieldOf(field, struct, model, imports))
  return {
    kind: structure.interface,
    name: struct.name,
    isExported: true,
    docs: docs(struct.description),
    properties: [...rootFields(struct, model), ...fields, ...reasonsField(struct, imports)],
    ...(struct.preserveUnknown && { indexSignatures: [indexSignature] }),
  }
}

/** The pairs of a condition's type and reason, for the compiler alone: no object has the field. */
function reasonsField(
  { conditions }: StructType,
  imports: Imports,
): readonly PropertySignatureStructure[] {
  if (conditions === undefined) return []
  const pairs = Object.entries(conditions).map(
    ([type, { reasons }]) =>
      `readonly ${property(type)}: ${Object.keys(reasons).map(quote).join(' | ')}`,
  )
  return [
    {
      kind: structure.property,
      name: `[${imports.kernel('meta/condition-reasons', 'conditionReasons', true)}]`,
      isReadonly: true,
      hasQuestionToken: true,
      type: `{ ${pairs.join('; ')} }`,
      docs: ['The reasons of each type. It is never set: only the compiler reads it.'],
    },
  ]
}

/** What a struct that preserves unknown fields has beside its own. */
const indexSignature = {
  isReadonly: true,
  keyName: 'key',
  keyType: 'string',
  returnType: 'unknown',
}

/** `kind` and `apiVersion`: exact for a kind, any text for the machinery's own roots (Status, DeleteOptions). */
function rootFields(struct: StructType, model: Model): readonly PropertySignatureStructure[] {
  if (!struct.root) return []
  const kind = model.kindOf(struct)
  const field = (name: string, value: string | undefined): PropertySignatureStructure => ({
    kind: structure.property,
    name,
    isReadonly: true,
    hasQuestionToken: value === undefined,
    type: value === undefined ? 'string' : quote(value),
  })
  return [field('kind', kind?.kind), field('apiVersion', kind && apiVersionOf(kind))]
}

/**
 * All properties are read-only: objects are shared between caches, and changed by making new
 * ones.
 */
function fieldOf(
  field: Field,
  struct: StructType,
  model: Model,
  imports: Imports,
): PropertySignatureStructure {
  return {
    kind: structure.property,
    name: property(field.name),
    isReadonly: true,
    hasQuestionToken: !isPresent(field, struct, model),
    type: fieldType(field, struct, model, imports),
    docs: docs(field.description, field.default),
  }
}

function fieldType(field: Field, struct: StructType, model: Model, imports: Imports): string {
  const text =
    clusterMetadataType(field, struct, model, imports) ?? typeText(field.type, model, imports)
  return isNullable(field, model) ? `${text} | null` : text
}

/**
 * True for a field that every object of the type has: one that the schema requires, and a kind's metadata.
 * Configurations are made by readers only, so theirs also have what readers fill in.
 */
export function isPresent(field: Field, struct: StructType, model: Model): boolean {
  if (field.name === 'metadata' && model.kindOf(struct) !== undefined) return true
  if (isConfig(struct.at.file) && (field.default !== undefined || field.checkAbsent)) return true
  return field.required && field.default === undefined
}

/** True for a field that is written as null when it has no value. */
export function isNullable(field: Field, model: Model): boolean {
  if (field.zero === 'null') return true
  if (field.zero !== 'keep' || field.required || field.default !== undefined) return false
  if (field.type.is === 'list' || field.type.is === 'map') return true
  const named = field.type.is === 'ref' ? model.type(field.type.to) : undefined
  return (
    named?.is === 'scalar' &&
    ['time', 'micro-time', 'raw-extension', 'fields-v1', 'any'].includes(named.scalar)
  )
}

/** The TypeScript of a type where it is used. */
export function typeText(type: Type, model: Model, imports: Imports): string {
  switch (type.is) {
    case 'string':
      return type.bounds.values?.map(quote).join(' | ') ?? 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'list':
      return `readonly ${operand(typeText(type.items, model, imports))}[]`
    case 'map':
      return `Readonly<Record<string, ${typeText(type.values, model, imports)}>>`
    case 'ref':
      return imports.type(model.type(type.to))
  }
}

/** A union or `readonly` text in front of the brackets needs parentheses. */
function operand(text: string): string {
  return / /.test(text) ? `(${text})` : text
}

/** An open set keeps its values as hints for editors, beside any other text. */
function enumText(type: EnumType): string {
  const values = type.values.map(quote)
  const members = type.closed ? values : [...values, '(string & {})']
  const flat = members.join(' | ')
  if (`export type ${type.name} = ${flat}`.length <= 100) return flat
  return `\n${members.map((member) => `  | ${member}`).join('\n')}`
}

/**
 * Times, durations and quantities stay text, as they were sent: parsing them is left to those
 * that compute with them.
 */
function scalarText(scalar: Scalar, imports: Imports): string {
  switch (scalar) {
    case 'int-or-string':
      return 'number | string'
    case 'raw-extension':
    case 'fields-v1':
      return imports.kernel('values/json', 'JsonObject', true)
    case 'any':
      return imports.kernel('values/json', 'Json', true)
    default:
      return 'string'
  }
}

/** The description, with the default if it does not mention one. */
function docs(description: string, value?: unknown): string[] {
  const stated = /default/i.test(description)
  const text = description.replace(/\*\//g, '*\\/')
  if (value === undefined || stated) return text === '' ? [] : [text]
  return [`${text} Default: ${literal(value)}.`.trimStart()]
}
