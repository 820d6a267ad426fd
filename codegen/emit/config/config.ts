/**
 * Emits the tables of configuration types: what readers do not say about a field. One module for each schema file,
 * beside its types, and one that finds the kinds of configuration files by name.
 */

import { isConfig } from '../../schema/files/layout.ts'
import type { NamedType, StructType, Type } from '../../schema/named-type.ts'
import type { ModuleArtefact, Specifiers } from '../artefact.ts'
import { constant } from '../code/constant.ts'
import { type Imports, importsOf } from '../code/imports.ts'
import { code } from '../code/literal.ts'
import { lowerFirst, modulePath } from '../code/names.ts'
import type { Model } from '../model/model.ts'
import { ruleTableOf } from '../scheme/validation-rules.ts'
import { filesOf } from '../types/types-module.ts'

/** The schema files of configuration types; none if none of those is the root of a file. */
export function configFiles(model: Model): readonly string[] {
  return configRoots(model).length === 0 ? [] : filesOf(model).filter(isConfig)
}

/** The structs that are whole configuration files, by name. */
function configRoots({ types }: Model): readonly StructType[] {
  const roots = structsOf(types).filter(({ root, at }) => root && isConfig(at.file))
  return [...roots].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Only structs have tables: what enums, unions and scalars accept is known to readers. */
function structsOf(types: readonly NamedType[]): readonly StructType[] {
  return types.filter((type) => type.is === 'struct')
}

/** The module of the tables of a struct's file. */
export function configTablePath(struct: NamedType): string {
  return modulePath(struct).replace(/\.ts$/, '.table.ts')
}

/** The constant of a configuration file's kind. */
export function configName(struct: StructType): string {
  return lowerFirst(struct.name)
}

/**
 * The constant of a struct's table.
 * For a struct `LeaderElection`: `leaderElectionTable`.
 */
function tableName(struct: StructType): string {
  return `${lowerFirst(struct.name)}Table`
}

/**
 * The tables of a file's types; those of other files are imported.
 * Tables refer to each other by functions, since structs may contain themselves:
 *
 *   struct: () => genericControllerManagerConfigurationTable,
 */
export function configModule(file: string, model: Model, specifiers: Specifiers): ModuleArtefact {
  const structs = structsOf(model.typesIn('file', file))
  const path = structs[0] === undefined ? '' : configTablePath(structs[0])
  const imports = importsOf(path, specifiers)
  const others = new Map<string, Set<string>>()
  const tableOf = (struct: StructType): string => {
    const name = tableName(struct)
    const home = configTablePath(struct)
    if (home !== path) others.set(home, (others.get(home) ?? new Set()).add(name))
    return name
  }
  const structType = imports.kernel('options/config-kind', 'ConfigStruct', true)
  const statements = structs.flatMap((struct) => [
    constant(
      tableName(struct),
      structType,
      structTable(struct, model, tableOf),
      `The fields of ${struct.name}.`,
    ),
    ...(struct.root ? [kindConstant(struct, model, imports)] : []),
  ])
  const local = [...others].map(([home, names]) => ({
    moduleSpecifier: specifiers.local(home, path),
    namedImports: [...names].sort(),
  }))
  return {
    is: 'module',
    path,
    from: [file],
    statements,
    imports: [...imports.structures(), ...local],
  }
}

/**
 * The descriptor of a configuration file: its kind, reader, table and rules.
 * The reader gives the defaults and refusals; the table is for merging, messages and `orch
 * explain`.
 */
function kindConstant(struct: StructType, model: Model, imports: Imports) {
  const facts = {
    apiVersion: apiVersionOf(struct),
    kind: struct.name,
    read: code(imports.reader(struct)),
    type: code(tableName(struct)),
    validations: ruleTableOf(struct, model, imports),
  }
  const type = imports.kernel('options/config-kind', 'ConfigKind', true)
  return constant(configName(struct), type, facts, struct.description)
}

/** The same form as for kinds: a version of the empty group stands alone. */
function apiVersionOf({ group, version }: StructType): string {
  return group === '' ? version : `${group}/${version}`
}

/**
 * The fields of a struct with what defaulting, merging and explaining need of each.
 * Left out are bounds and patterns: they are in the reader. A struct of
 * another tree or outside the configuration files has no table, so its fields are plain values
 * here.
 */
function structTable(
  { name, description, constraints, fields, at }: StructType,
  model: Model,
  tableOf: (struct: StructType) => string,
) {
  const rows = fields.map((field) => {
    const { shape, of } = shapeOf(field.type, model)
    const known = of !== undefined && isConfig(of.at.file) && of.external === undefined
    return [
      field.name,
      {
        shape,
        type: typeName(field.type, model),
        description: field.description,
        required: field.required ? true : undefined,
        default: field.default,
        struct: known ? code(`() => ${tableOf(of)}`) : undefined,
        list: field.list,
        keys: field.keys,
      },
    ] as const
  })
  return { name, declaredIn: at.file, description, constraints, fields: Object.fromEntries(rows) }
}

/**
 * Whether a field holds a struct, a list or map of them, or a plain value.
 * A list of lists, or a map of lists, counts as a list or map of plain values.
 */
function shapeOf(type: Type, model: Model) {
  if (type.is === 'list') return { shape: 'list', of: model.struct(type.items) } as const
  if (type.is === 'map') return { shape: 'map', of: model.struct(type.values) } as const
  const of = model.struct(type)
  return { shape: of === undefined ? 'value' : 'struct', of } as const
}

/**
 * The type as messages and `orch explain` state it.
 * Such as `list of string`, `int32` or, for a reference to a struct, its name; an enum is a
 * `string`, a scalar goes by its own name (`duration`).
 */
function typeName(type: Type, model: Model): string {
  switch (type.is) {
    case 'integer':
      return type.format
    case 'list':
      return `list of ${typeName(type.items, model)}`
    case 'map':
      return `map of ${typeName(type.values, model)}`
    case 'ref': {
      const named = model.type(type.to)
      if (named.is === 'enum') return 'string'
      return named.is === 'scalar' ? named.scalar : named.name
    }
    default:
      return type.is
  }
}

/**
 * The module that finds the kinds of configuration files.
 * One line for each root; modules load on demand, so that a lookup reads no table but its own.
 *
 *   'apiserver.config.orch.io/v1/EncryptionConfiguration': async () => (await import(...)).encryption...
 */
export function configIndex(model: Model, specifiers: Specifiers): ModuleArtefact {
  const roots = configRoots(model)
  const path = 'config.ts'
  const imports = importsOf(path, specifiers)
  const rows = roots.map((struct) => {
    const from = specifiers.local(configTablePath(struct), path)
    const load = `async () => (await import('${from}')).${configName(struct)}`
    return [`${apiVersionOf(struct)}/${struct.name}`, code(load)] as const
  })
  const type = `Readonly<Record<string, () => Promise<${imports.kernel('options/config-kind', 'ConfigKind', true)}>>>`
  const doc =
    'The kinds of configuration files by apiVersion and kind, each loaded when it is asked for.'
  const table = Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1)))
  return {
    is: 'module',
    path,
    from: [...new Set(roots.map(({ at }) => at.file))].sort(),
    statements: [constant('configKinds', type, table, doc)],
    imports: imports.structures(),
  }
}
