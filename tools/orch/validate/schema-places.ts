/** Where the schema files of this package declare types and fields, and what is generated of them. */
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { LineCounter, parseDocument } from 'yaml'
import { packageRoot } from '../../../codegen/main.ts'
import { yamlFiles } from '../../../codegen/schema/files/sources.ts'
import type { Declaration, Finding } from '../../../runtime/validate/validate.ts'

const schemas = join(packageRoot, 'schemas')

/** Lines of a file by `Type` and `Type.field`. */
type Lines = ReadonlyMap<string, number>

/** Finds places; each schema file is read once, when it is first needed. */
export class SchemaPlaces {
  readonly #groups = new Map<string, Promise<readonly (readonly [file: string, lines: Lines])[]>>()

  /** Findings with the place and the generated type of what they are about, as far as these are known. */
  async placed(findings: readonly Finding[]): Promise<readonly Finding[]> {
    return Promise.all(
      findings.map(async (finding) => {
        const { declared } = finding
        if (declared === undefined || declared.file !== undefined) return finding
        return { ...finding, declared: await this.#place(declared) }
      }),
    )
  }

  async #place(declared: Declaration): Promise<Declaration> {
    const dot = declared.type.lastIndexOf('.')
    const [group, type] = [declared.type.slice(0, dot), declared.type.slice(dot + 1)]
    const known = this.#groups.get(group) ?? linesOf(group)
    this.#groups.set(group, known)
    const found = (await known).find(([, lines]) => lines.has(type))
    if (found === undefined) return declared
    const [file, lines] = found
    const name = declared.field === undefined ? type : `${type}.${declared.field}`
    const line = lines.get(name) ?? lines.get(type)
    const generated = `generated/${file.replace(/^(?:api\/)?/, 'apis/').replace(/\.yaml$/, '.ts')}`
    return {
      ...declared,
      file: relative('', join(schemas, file)),
      ...(line !== undefined && { line }),
      symbol: `${generated} ${name}`,
    }
  }
}

/** The schema files of a group version such as `apps/v1`. */
async function linesOf(group: string): Promise<readonly (readonly [string, Lines])[]> {
  const folders = group.startsWith('meta/') ? [group] : [`api/${group}`]
  const files: string[] = []
  for (const folder of folders) {
    if (existsSync(join(schemas, `${folder}.yaml`))) files.push(`${folder}.yaml`)
    if (!existsSync(join(schemas, folder))) continue
    files.push(...(await yamlFiles(join(schemas, folder))).map((file) => `${folder}/${file}`))
  }
  return files.map((file) => [file, linesIn(readFileSync(join(schemas, file), 'utf8'))] as const)
}

function linesIn(text: string): Lines {
  const counter = new LineCounter()
  const { contents } = parseDocument(text, { lineCounter: counter, keepSourceTokens: false })
  const found = new Map<string, number>()
  for (const [type, typeAt, definition] of entriesOf(at(contents, 'definitions'))) {
    found.set(type, counter.linePos(typeAt).line)
    for (const [field, fieldAt] of entriesOf(at(definition, 'properties'))) {
      found.set(`${type}.${field}`, counter.linePos(fieldAt).line)
    }
  }
  return found
}

interface Pairs {
  readonly items: readonly { readonly key: unknown; readonly value: unknown }[]
}

function entriesOf(node: unknown): readonly (readonly [string, number, unknown])[] {
  const { items = [] } = (node ?? {}) as Partial<Pairs>
  return items.map(({ key, value }) => {
    const scalar = key as { readonly value: unknown; readonly range: readonly number[] }
    return [String(scalar.value), scalar.range[0] ?? 0, value] as const
  })
}

function at(node: unknown, key: string): unknown {
  return entriesOf(node).find(([name]) => name === key)?.[2]
}
