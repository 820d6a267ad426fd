/** The catalogue of `orch lsp`: kinds of platforms and of definitions in the workspace, daemons' files, gates and flags. */

import { get, items, text } from '../../../codegen/schema/yaml/node.ts'
import { configKinds } from '../../../generated/config.ts'
import { features } from '../../../generated/features.ts'
import { optionTables } from '../../../generated/options.ts'
import {
  type Catalogue,
  type CatalogueKind,
  definedSchema,
  type FieldSchema,
  type FlagFacts,
  fieldOf,
  type GateFacts,
  type PublishedSchema,
  publishedSchema,
  statedSchema,
  type ValueSchema,
} from '../../../runtime/editor/editor.ts'
import { definedReferences } from '../../../runtime/kernel/descriptors/defined-references.ts'
import {
  currentRelease,
  type FeatureGate,
} from '../../../runtime/kernel/descriptors/feature-gate.ts'
import type { FieldTypes } from '../../../runtime/kernel/descriptors/field-types.ts'
import { optionsOf } from '../../../runtime/kernel/options/option-table.ts'
import { isObject, type Json } from '../../../runtime/kernel/values/json.ts'
import {
  type KnownKind,
  type KnownPlatform,
  plainValue,
} from '../../../runtime/validate/validate.ts'
import type { SchemaFiles } from './schema-files.ts'

/** The file and the name of a configuration type. */
interface ConfigType {
  readonly file: string
  readonly name: string
}

/** What the catalogue keeps of configuration kinds and flags, which are loaded once. */
export interface DaemonFacts {
  readonly types: ReadonlyMap<string, ConfigType>
  readonly flags: ReadonlyMap<string, readonly FlagFacts[]>
}

/** Loads the tables of daemons. */
export async function loadDaemonFacts(): Promise<DaemonFacts> {
  const kinds = await Promise.all(
    Object.entries(configKinds).map(async ([key, load]) => {
      const { declaredIn: file, name } = (await load()).type
      return [key, { file, name }] as const
    }),
  )
  const tables = await Promise.all(Object.values(optionTables).map((load) => load()))
  const flags = tables.map((table) => {
    const rows = optionsOf(table).filter(({ hidden }) => hidden !== true)
    return [
      table.daemon,
      rows.map(({ flag, type, description, values = [], deprecated, ...more }): FlagFacts => {
        const initial = more.default
        const isShown = initial !== undefined && typeof initial !== 'object'
        return {
          ...{ flag, type, description: description.replaceAll('`', ''), values },
          ...(isShown && { default: String(initial) }),
          isDeprecated: deprecated !== undefined,
        }
      }),
    ] as const
  })
  return { types: new Map(kinds), flags: new Map(flags) }
}

/** A platform and the files that its types are declared in: those of users before our own. */
export interface CataloguePlatform {
  readonly known: KnownPlatform
  readonly files: readonly SchemaFiles[]
}

/** A catalogue over what is known now. It is made anew when that changes. */
export class OpenCatalogue implements Catalogue {
  readonly #platforms: readonly CataloguePlatform[]
  readonly #daemons: DaemonFacts
  readonly #own: SchemaFiles
  readonly #kinds: ReadonlyMap<string, CatalogueKind>
  readonly #known: ReadonlyMap<string, readonly [KnownKind, CataloguePlatform]>
  readonly #roots = new Map<string, ValueSchema | undefined>()
  readonly #types = new Map<string, FieldTypes>()
  #gates: readonly GateFacts[] | undefined
  #since: ReadonlyMap<string, string> | undefined

  /** `own` has the files of this package, under the names of orch. */
  constructor(platforms: readonly CataloguePlatform[], daemons: DaemonFacts, own: SchemaFiles) {
    this.#platforms = platforms
    this.#daemons = daemons
    this.#own = own
    const known = platforms.flatMap((platform) =>
      platform.known.kinds.map((kind) => [keyOf(kind), [kind, platform] as const] as const),
    )
    this.#known = new Map([...known].reverse())
    const files = [...daemons.types.keys()].map((key): readonly [string, CatalogueKind] => {
      const at = key.lastIndexOf('/')
      const [apiVersion, kind] = [key.slice(0, at), key.slice(at + 1)]
      const state = { is: 'served' } as const
      const form = { isNamespaced: false, nameFormat: 'dns-subdomain' } as const
      return [key, { apiVersion, kind, ...form, state, isConfiguration: true }]
    })
    const served = known.map(([key, [kind]]) => [key, { ...kind, isConfiguration: false }] as const)
    this.#kinds = new Map([...files, ...served])
  }

  kinds(): readonly CatalogueKind[] {
    return [...this.#kinds.values()]
  }

  kind(apiVersion: string, kind: string): CatalogueKind | undefined {
    return this.#kinds.get(`${apiVersion}/${kind}`)
  }

  root(apiVersion: string, kind: string): ValueSchema | undefined {
    const key = `${apiVersion}/${kind}`
    if (!this.#roots.has(key)) this.#roots.set(key, this.#readRoot(key))
    return this.#roots.get(key)
  }

  /** The types by which references are found in a kind: those of its platform, or what its definition declares. */
  types(apiVersion: string, kind: string): FieldTypes | undefined {
    const key = `${apiVersion}/${kind}`
    const [{ definition } = {}, platform] = this.#known.get(key) ?? []
    const base = platform?.known.types
    if (base === undefined || definition === undefined) return base
    const types = this.#types.get(key) ?? typesDefined(plainValue(definition.root), base)
    this.#types.set(key, types)
    return types
  }

  gates(): readonly GateFacts[] {
    this.#gates ??= features.map(gateOf)
    return this.#gates
  }

  flags(daemon: string): readonly FlagFacts[] | undefined {
    return this.#daemons.flags.get(daemon)
  }

  since(apiVersion: string): string | undefined {
    this.#since ??= new Map(this.#platforms.flatMap(({ files }) => files.flatMap(sinceIn)))
    return this.#since.get(apiVersion)
  }

  /** The JSON Schema of whole objects of a kind, for tools of others. */
  published(apiVersion: string, kind: string): PublishedSchema | undefined {
    const key = `${apiVersion}/${kind}`
    const found = this.#known.get(key)
    if (found === undefined) {
      const type = this.#daemons.types.get(key)
      const schema = type && this.#own.named(type.file, type.name)
      const settings = { nullIsAbsent: true, statesRequired: true }
      return schema && publishedSchema({ apiVersion, kind, schema, ...settings })
    }
    const [{ definition }, { known, files }] = found
    if (definition !== undefined) {
      const schema = statedSchema(definition, versionIn(apiVersion))
      const metadata = firstOf(files, (one) => one.named('meta/v1/object-meta.yaml', 'ObjectMeta'))
      return schema && publishedSchema({ apiVersion, kind, schema, nullIsAbsent: false }, metadata)
    }
    const type = known.types.kinds[key]
    const schema = type === undefined ? undefined : firstOf(files, (one) => one.namedType(type))
    return schema && publishedSchema({ apiVersion, kind, schema, nullIsAbsent: true })
  }

  #readRoot(key: string): ValueSchema | undefined {
    const found = this.#known.get(key)
    if (found === undefined) {
      const type = this.#daemons.types.get(key)
      return type && this.#own.definition(type.file, type.name)
    }
    const [{ apiVersion, definition }, { known, files }] = found
    if (definition !== undefined) {
      return definedSchema(definition, versionIn(apiVersion), this.#metadata)
    }
    const type = known.types.kinds[key]
    return type === undefined ? undefined : firstOf(files, (one) => one.type(type))
  }

  /** What every object has: taken from one of the smallest kinds. */
  get #metadata(): FieldSchema | undefined {
    const schema = this.#own.type('core/v1.ConfigMap')
    return schema && fieldOf(schema, 'metadata')
  }
}

function gateOf(feature: FeatureGate): GateFacts {
  const { since, stage, default: isOn, locked } = currentRelease(feature)
  const state = `${isOn ? 'on' : 'off'}${locked ? ', locked' : ' by default'}`
  const { gate, description } = feature
  return { gate, isOn, description, stage: `${stage} since ${since}, ${state}` }
}

function typesDefined(definition: Json, base: FieldTypes): FieldTypes {
  return isObject(definition) ? definedReferences(definition, base).types : base
}

function keyOf({ apiVersion, kind }: KnownKind): string {
  return `${apiVersion}/${kind}`
}

function versionIn(apiVersion: string): string {
  return apiVersion.slice(apiVersion.lastIndexOf('/') + 1)
}

function firstOf<T, R>(all: readonly T[], of: (one: T) => R | undefined): R | undefined {
  for (const one of all) {
    const found = of(one)
    if (found !== undefined) return found
  }
  return undefined
}

/** The releases that brought versions of groups. */
function sinceIn(files: SchemaFiles): readonly (readonly [string, string])[] {
  return items(get(files.document('groups.yaml'), 'groups')).flatMap((row) => {
    const group = text(get(row, 'group'))
    const since = get(row, 'since')
    if (group === undefined || since?.is !== 'map') return []
    return since.entries.flatMap(({ key, value }) => {
      const release = text(value)
      const apiVersion = group === '' ? key : `${group}/${key}`
      return release === undefined ? [] : [[apiVersion, release] as const]
    })
  })
}
