/** From definitions to the types of the intermediate representation. */

import type { DeclaredConditions } from '../../../runtime/kernel/descriptors/declared-conditions.ts'
import type { ReferenceRow } from '../../../runtime/kernel/descriptors/reference-row.ts'
import type { SettingConstraint } from '../../../runtime/kernel/options/setting-constraints.ts'
import { isObject } from '../../../runtime/kernel/values/json.ts'
import type { Report } from '../finding.ts'
import { referenceShape } from '../keys/reference-keys.ts'
import type { Field, NamedType, Scalar, StructType, Type, UnionType } from '../named-type.ts'
import type { Position } from '../position.ts'
import type { BuiltDefinition } from './built-file.ts'
import { orderedConstraint } from './constraints.ts'
import { readConditions } from './declared-conditions.ts'
import { type Definition, type Definitions, reportDangling } from './definitions.ts'
import { isStruct, type Located, marker, type Property, type Schema } from './json-schema.ts'
import { canonical, inOrder } from './mapping-shape.ts'
import { enumOf, markersOf, stringOf, wellKnownOf } from './schema-facts.ts'
import { expressionsOf, structRules } from './validation-rules.ts'

/** The type of what could not be resolved: it was reported, and rules pass over it. */
const unresolved: Type = { is: 'ref', to: '' }

/** What building a type needs. */
export interface TypeContext {
  readonly definitions: Definitions
  readonly report: Report
  /** The module specifier of a definition that another tree generates. */
  readonly specifierOf: (definition: Definition) => string
}

/** The named types of a definition, those of structs without a name in it too. */
export function typesOf(definition: Definition, context: TypeContext): readonly NamedType[] {
  return new TypeBuilder(context, definition).build()
}

/** Every named type, sorted by id. A struct without a name whose made-up name is taken is reported. */
export function allTypes(parts: readonly BuiltDefinition[], report: Report): readonly NamedType[] {
  const ids = new Map<string, NamedType>()
  for (const type of parts.flatMap(({ types }) => types)) {
    if (ids.has(type.id)) {
      const message = `the struct inside this field needs the name "${type.name}", which is taken`
      report(type.at, 'duplicate-definition', message)
    }
    ids.set(type.id, type)
  }
  return [...ids.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** True for a definition that only gives a plain type another name: references to it are references to that type. */
export function isAlias({ name, schema, built }: Definition): boolean {
  return built === undefined ? !isNamed(schema) : !built.types.some((type) => type.name === name)
}

/** Rows with their keys in a fixed order: the order in a document must not show in the output. */
function orderedReferences(rows: readonly ReferenceRow[]): readonly ReferenceRow[] {
  return rows.filter(isObject).map((row) => inOrder(row as ReferenceRow, referenceShape))
}

/** Everything that emitters declare: scalars, sets of values, unions and structs. */
function isNamed(schema: Schema): boolean {
  return (
    schema.markers.has('scalar') ||
    schema.markers.has('known-values') ||
    schema.enum !== undefined ||
    schema.oneOf.length > 0 ||
    isStruct(schema)
  )
}

/** Builds the types of one definition: its own, and those of structs without a name in it. */
class TypeBuilder {
  readonly #context: TypeContext
  readonly #definition: Definition
  /** The definitions that led here by being only another way to write this one. */
  readonly #inside: ReadonlySet<string>
  readonly #found: NamedType[] = []

  constructor(
    context: TypeContext,
    definition: Definition,
    inside: ReadonlySet<string> = new Set(),
  ) {
    this.#context = context
    this.#definition = definition
    this.#inside = new Set([...inside, definition.id])
  }

  /** The types of the definition. */
  build(): readonly NamedType[] {
    const { schema, name, at } = this.#definition
    if (isNamed(schema)) this.#named(schema, name, at)
    else this.#type(schema, name)
    return this.#found
  }

  /**
   * Adds a named type, and gives its id.
   * A struct without a name inside a field gets that of the struct around it and the field's,
   * with a capital: `template` of `JobSpec` gives `JobSpecTemplate`.
   */
  #named(schema: Schema, name: string, at: Position): string {
    const { package: packageName, group, version, foreign, file } = this.#definition
    const rules = structRules(schema, file, this.#context.definitions)
    const base = {
      id: `${packageName}.${name}`,
      name,
      package: packageName,
      group,
      version,
      description: schema.description,
      at,
      ...(rules.length > 0 && { rules }),
      ...(foreign ? { external: this.#context.specifierOf(this.#definition) } : {}),
    }
    const scalar = marker<Scalar>(schema, 'scalar')
    if (scalar !== undefined) this.#found.push({ ...base, is: 'scalar', scalar })
    else if (schema.oneOf.length > 0) this.#found.push({ ...base, ...this.#union(schema, name) })
    else if (isStruct(schema)) this.#found.push({ ...base, ...this.#struct(schema, name) })
    else this.#found.push({ ...base, ...enumOf(schema) })
    return base.id
  }

  #struct(
    schema: Schema,
    name: string,
  ): Pick<
    StructType,
    | 'is'
    | 'fields'
    | 'root'
    | 'preserveUnknown'
    | 'checks'
    | 'constraints'
    | 'conditions'
    | 'errorOrder'
    | 'references'
    | 'unions'
  > {
    const mapType = marker<StructType['mapType']>(schema, 'map-type')
    const constraints = marker<readonly SettingConstraint[]>(schema, 'constraints')
    const checks = marker<readonly string[]>(schema, 'check')
    const errorOrder = marker<readonly string[]>(schema, 'error-order')
    const conditions = this.#conditions(schema)
    const unions = marker<readonly object[]>(schema, 'unions')
    const references = marker<readonly ReferenceRow[]>(schema, 'references')
    return {
      is: 'struct',
      fields: this.#fields(schema, name, new Set([this.#definition.id])),
      ...(mapType === undefined ? {} : { mapType }),
      root: schema.markers.has('kind'),
      preserveUnknown: marker<boolean>(schema, 'preserve-unknown-fields') === true,
      ...(checks === undefined ? {} : { checks }),
      ...(errorOrder === undefined ? {} : { errorOrder }),
      ...(conditions === undefined ? {} : { conditions }),
      ...(constraints === undefined ? {} : { constraints: constraints.map(orderedConstraint) }),
      ...(references === undefined ? {} : { references: orderedReferences(references) }),
      ...(unions === undefined ? {} : { unions: unions.map((each) => canonical(each) as object) }),
    }
  }

  #conditions(schema: Schema): DeclaredConditions | undefined {
    const keyword = 'condition-reasons'
    const stated = schema.markers.get(keyword)
    if (stated === undefined) return undefined
    const { conditions, problems } = readConditions(stated.value)
    for (const problem of problems) this.#report(stated.at, keyword, problem)
    return conditions
  }

  /** Members keep their order, by which two trees are compared. */
  #union(schema: Schema, name: string): Pick<UnionType, 'is' | 'members'> {
    const members = schema.oneOf.map((member) => {
      const proto = marker<number>(member, 'proto')
      const protoName = marker<string>(member, 'proto-name')
      return {
        type: this.#type(member, name),
        ...(proto === undefined ? {} : { proto }),
        ...(protoName === undefined ? {} : { protoName }),
      }
    })
    return { is: 'union', members }
  }

  /** Own fields, and those of inlined structs at the position that their protobuf number gives them. */
  #fields(schema: Schema, name: string, inside: ReadonlySet<string>): readonly Field[] {
    const required = new Set(schema.required.map((each) => each.value))
    const own = (schema.properties ?? []).map((each) => this.#field(each, name, required))
    const fields = [...own]
    for (const part of schema.inline) {
      const proto = marker<number>(part, 'proto')
      const later = fields.findIndex(
        (each) => each.inline === undefined && (proto === undefined || (each.proto ?? 0) > proto),
      )
      fields.splice(later < 0 ? fields.length : later, 0, ...this.#inlined(part, inside))
    }
    return fields
  }

  /** The fields of a struct in `allOf`; a struct that is inlined into itself is reported. */
  #inlined(part: Schema, inside: ReadonlySet<string>): readonly Field[] {
    if (part.ref === undefined) {
      this.#report(part.at, 'wrong-value', 'allOf takes references to structs')
      return []
    }
    const target = this.#find(part.ref)
    if (target === undefined) return []
    if (inside.has(target.id)) {
      this.#report(part.ref.at, 'circular-ref', `"${target.name}" is inlined into itself`)
      return []
    }
    const proto = marker<number>(part, 'proto')
    const inline = {
      name: marker<string>(part, 'inline') ?? '',
      ...(proto === undefined ? {} : { proto }),
      type: target.id,
    }
    const builder = new TypeBuilder(this.#context, target)
    return builder
      .#fields(target.schema, target.name, new Set([...inside, target.id]))
      .map((field) => ({
        ...field,
        inline: field.inline === undefined ? inline : { ...inline, inner: field.inline },
      }))
  }

  #field({ name, at, schema }: Property, struct: string, required: ReadonlySet<string>): Field {
    return {
      name,
      description: schema.description,
      type: this.#type(schema, struct + name.charAt(0).toUpperCase() + name.slice(1)),
      required: required.has(name),
      ...(required.has(name) && this.#absentIsZero(schema) && { absentIsZero: true }),
      zero: marker<Field['zero']>(schema, 'zero') ?? 'tracked',
      checkAbsent: marker<boolean>(schema, 'check-absent') === true,
      ...markersOf(schema),
      at,
    }
  }

  /** `x-orch-zero: tracked` tells absent from zero. */
  #absentIsZero(schema: Schema): boolean {
    return this.#definition.absentIsZero && marker<string>(schema, 'zero') !== 'tracked'
  }

  /** The type of a schema; a struct without a name gets `name`. */
  #type(schema: Schema, name: string): Type {
    if (isStruct(schema)) return { is: 'ref', to: this.#named(schema, name, schema.at) }
    const type = this.#plainType(schema, name)
    const declared = schema.ref === undefined && schema.markers.has('known-values')
    const own = declared ? [] : expressionsOf(schema)
    return own.length === 0 || type === unresolved
      ? type
      : { ...type, rules: [...(type.rules ?? []), ...own] }
  }

  #plainType(schema: Schema, name: string): Type {
    if (schema.ref !== undefined) return this.#refType(schema.ref)
    const wellKnown = wellKnownOf(schema)
    if (wellKnown !== undefined) return { is: 'ref', to: `meta/v1.${wellKnown}` }
    if (schema.markers.has('known-values')) {
      return { is: 'ref', to: this.#named(schema, name, schema.at) }
    }
    switch (schema.type?.value) {
      case 'string':
        return stringOf(schema)
      case 'boolean':
        return { is: 'boolean' }
      case 'number':
        return { is: 'number', bounds: schema.number }
      case 'integer': {
        const format = schema.format?.value === 'int32' ? 'int32' : 'int64'
        return { is: 'integer', format, bounds: schema.number }
      }
      case 'array':
        return {
          is: 'list',
          items: this.#inner(schema.items, schema, 'items', name),
          ...schema.list,
        }
      case 'object':
        return {
          is: 'map',
          values: this.#inner(schema.values, schema, 'additionalProperties', name),
        }
    }
    this.#reportType(schema)
    return unresolved
  }

  /** `additionalProperties` gives a map's values; every list and map has to say what is in it. */
  #inner(inner: Schema | undefined, outer: Schema, keyword: string, name: string): Type {
    if (inner !== undefined) return this.#type(inner, name)
    const what = keyword === 'items' ? 'a list' : 'an object without properties'
    this.#report(outer.at, 'missing-keyword', `${what} needs "${keyword}"`)
    return unresolved
  }

  /** A reference to an alias is the alias's own type: what is wrong with that is reported at its definition. */
  #refType(ref: Located<string>): Type {
    const target = this.#find(ref)
    if (target === undefined) return unresolved
    if (!isAlias(target)) return { is: 'ref', to: target.id }
    if (this.#inside.has(target.id)) {
      this.#report(ref.at, 'circular-ref', `"${target.name}" is only a way back to itself`)
      return unresolved
    }
    const report: Report = (at, code, message) => {
      if (code === 'circular-ref') this.#report(at, code, message)
    }
    const quiet: TypeContext = { ...this.#context, report }
    const builder = new TypeBuilder(quiet, target, this.#inside)
    return builder.#type(target.schema, target.name)
  }

  /** A reference that leads nowhere is reported here, once for each place that uses it. */
  #find(ref: Located<string>): Definition | undefined {
    const { definitions, report } = this.#context
    const found = definitions.find(ref.value, this.#definition.file)
    if (found === undefined) reportDangling(definitions, ref, this.#definition.file, report)
    return found
  }

  /** A schema without a type is reported here; unknown types are reported by lint. */
  #reportType(schema: Schema): void {
    if (schema.type !== undefined) return
    this.#report(schema.at, 'missing-keyword', 'a schema needs "type" or "$ref"')
  }

  #report(at: Position, code: string, message: string): void {
    this.#context.report(at, code, message)
  }
}
