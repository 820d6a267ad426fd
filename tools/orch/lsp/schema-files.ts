/** The schema files of a platform, each read when something in it is asked for. */
import { isAbsolute, join, relative } from 'node:path'
import { packageRoot } from '../../../codegen/main.ts'
import { packageOf, resolveRef } from '../../../codegen/schema/files/layout.ts'
import { load } from '../../../codegen/schema/files/load.ts'
import {
  ownPrefix,
  platformName,
  readSources,
  type Sources,
} from '../../../codegen/schema/files/sources.ts'
import type { Position } from '../../../codegen/schema/position.ts'
import { entry, get, text, type YamlNode } from '../../../codegen/schema/yaml/node.ts'
import {
  jsonSchema,
  type NamedSchema,
  type SchemaDialect,
  type SchemaPlace,
  type ValueSchema,
} from '../../../runtime/editor/editor.ts'
import { platformFiles } from '../validate/platforms.ts'

/** The folder of orch's own schema files. */
const own = join(packageRoot, 'schemas')

/** Reads them. */
export class SchemaFiles {
  readonly #sources: Sources
  readonly #folder: string
  readonly #documents = new Map<string, YamlNode | undefined>()
  readonly #packages = new Map<string, readonly string[]>()
  readonly #dialects = new Map<string, SchemaDialect<Position>>()

  private constructor(folder: string, sources: Sources) {
    this.#folder = folder
    this.#sources = sources
    for (const [file, text] of sources) {
      if (file === platformName || !/^definitions:/m.test(text)) continue
      const group = /^group: *['"]?([^'"#\n]*)/m.exec(text)?.[1] ?? ''
      const version = /^version: *['"]?([\w]*)/m.exec(text)?.[1] ?? ''
      const name = packageOf(file, group, version)
      this.#packages.set(name, [...(this.#packages.get(name) ?? []), file])
    }
  }

  /** The files of a folder, or orch's own, with the names of a platform. */
  static async open(folder: string | undefined, platform: string): Promise<SchemaFiles> {
    const roots = folder === undefined ? [{ folder: own, prefix: '' as const }] : []
    const user =
      folder === undefined
        ? []
        : [
            { folder, prefix: '' as const },
            { folder: own, prefix: ownPrefix as 'orch:' },
          ]
    return new SchemaFiles(folder ?? own, await readSources([...roots, ...user], platform))
  }

  /** The schema of a type such as `apps/v1.Deployment`. */
  type(id: string): ValueSchema | undefined {
    const found = this.namedType(id)
    return found && jsonSchema(found.node, found.dialect, found.at)
  }

  /** The same as it stands in its file. */
  namedType(id: string): NamedSchema<Position> | undefined {
    const dot = id.lastIndexOf('.')
    const [name, type] = [id.slice(0, dot), id.slice(dot + 1)]
    const form = new RegExp(`^ {2}${type}:`, 'm')
    const file = this.#packages.get(name)?.find((one) => form.test(this.#sources.get(one) ?? ''))
    return file === undefined ? undefined : this.named(file, type)
  }

  /** The schema of a definition of a file. */
  definition(file: string, name: string): ValueSchema | undefined {
    const found = this.named(file, name)
    return found && jsonSchema(found.node, found.dialect, found.at)
  }

  /** A document; undefined if there is none. */
  document(file: string): YamlNode | undefined {
    if (this.#documents.has(file)) return this.#documents.get(file)
    const needed = [file, platformName].flatMap((name) => {
      const text = this.#sources.get(name)
      return text === undefined ? [] : [[name, text] as const]
    })
    const document = load(new Map(needed), () => {}).documents.get(file)
    this.#documents.set(file, document)
    return document
  }

  /** Where a node stands. */
  place({ file, line }: Position): SchemaPlace {
    const isOwn = file.startsWith(ownPrefix)
    const path = isOwn ? join(own, file.slice(ownPrefix.length)) : join(this.#folder, file)
    const near = relative(packageRoot, path)
    return { file: near.startsWith('..') || isAbsolute(near) ? path : near, path, line }
  }

  /** The same as it stands in its file. */
  named(file: string, name: string): NamedSchema<Position> | undefined {
    const found = entry(get(this.document(file), 'definitions'), name)
    return found && { name, node: found.value, at: found.keyAt, dialect: this.#dialect(file) }
  }

  #dialect(file: string): SchemaDialect<Position> {
    const known = this.#dialects.get(file)
    if (known !== undefined) return known
    const dialect: SchemaDialect<Position> = {
      prefix: 'x-orch-',
      absentIsZero: text(get(this.document(file), 'absent')) === 'zero',
      place: (at) => this.place(at),
      resolve: (ref) => {
        const target = resolveRef(ref, file)
        return target && this.named(target.file, target.name)
      },
    }
    this.#dialects.set(file, dialect)
    return dialect
  }
}

/** The schema files of platforms, those of users before our own. */
export interface PlatformFiles {
  /** The files of this package, under the names of orch. */
  readonly own: SchemaFiles
  /** Of each platform, by its marks. */
  readonly byMarks: ReadonlyMap<string, readonly SchemaFiles[]>
}

/** Opens the schema files of both platforms, or of the one that is named. */
export async function openPlatformFiles(
  platform: string,
  schemas: readonly string[],
): Promise<PlatformFiles> {
  const opened = platformFiles(platform).map(async ({ marks, file }) => {
    const user = schemas.map((folder) => SchemaFiles.open(folder, file))
    const files = await Promise.all([SchemaFiles.open(undefined, file), ...user])
    return [marks.join(), files] as const
  })
  return {
    own: await SchemaFiles.open(undefined, join(own, 'platform/orch.yaml')),
    byMarks: new Map(await Promise.all(opened)),
  }
}
