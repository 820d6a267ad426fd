/** `orch import --types`: bare types of a JSON Schema, for what is no kind of a server. */
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { errorText } from '../../runtime/kernel/errors/error-text.ts'
import { isObject, type Json, type JsonObject } from '../../runtime/kernel/values/json.ts'

/** What a JSON Schema cannot be made types of for, in words that say what to do. */
export class TypesError extends Error {}

const library = 'json-schema-to-typescript'

interface Compiler {
  compile(schema: object, name: string, options: object): Promise<string>
}

/**
 * Writes the types of the JSON Schema or OpenAPI-like document `content`, which came from `source`, into the file `target`.
 * References lead to files beside a schema that is a file, and never to other hosts.
 *
 * @throws TypesError if the library is not installed, or the document is no JSON Schema.
 */
export async function writeTypes(source: string, content: string, target: string): Promise<void> {
  const schema = await parsed(source, content)
  const isFile = source !== '-' && !/^https?:\/\//.test(source)
  const compiler = await installedCompiler()
  const options = {
    bannerComment: `/** Types of ${isFile ? basename(source) : 'a JSON Schema'}, made by orch import --types. */`,
    cwd: isFile ? dirname(resolve(source)) : process.cwd(),
    format: false,
    $refOptions: { resolve: { http: false, ...(!isFile && { file: false }) } },
  }
  try {
    const text = await compiler.compile(referringWhole(schema), typeNameOf(schema, source), options)
    await mkdir(dirname(resolve(target)), { recursive: true })
    await writeFile(target, text)
  } catch (error) {
    throw new TypesError(`${source}: ${errorText(error)}`, { cause: error })
  }
}

/** Keywords whose values are data, and no schemas. */
const data: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'example', 'examples'])

/** The schema with each reference alone: with a description beside it the library makes another type of what it refers to. */
function referringWhole(schema: JsonObject): JsonObject {
  const { $ref, ...beside } = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, data.has(key) ? value : inside(value)]),
  )
  if (typeof $ref !== 'string') return $ref === undefined ? beside : { ...beside, $ref }
  if (Object.keys(beside).length === 0 || 'allOf' in beside) return { ...beside, $ref }
  return { ...beside, allOf: [{ $ref }] }
}

function inside(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => inside(item) as Json)
  return isObject(value) ? referringWhole(value) : value
}

async function parsed(source: string, content: string): Promise<JsonObject> {
  const { parse } = await import('yaml')
  try {
    const schema: unknown = parse(content)
    if (isObject(schema)) return schema
  } catch (cause) {
    throw new TypesError(`${source}: ${errorText(cause)}`, { cause })
  }
  throw new TypesError(`${source}: a JSON Schema is an object`)
}

/** The library of the project that asks, so that programs without such schemas do not install it. */
async function installedCompiler(): Promise<Compiler> {
  const require = createRequire(join(process.cwd(), 'package.json'))
  let path: string
  try {
    path = require.resolve(library)
  } catch {
    throw new TypesError(`--types needs a library: npm install --save-dev ${library}`)
  }
  const module = await import(pathToFileURL(path).href)
  return (module.compile ? module : module.default) as Compiler
}

/** The title of the schema, else the name of its file, as a type is called. */
function typeNameOf({ title }: { readonly title?: unknown }, source: string): string {
  if (typeof title === 'string' && title !== '') return title
  const { pathname } = new URL(source, 'file:///')
  const name = basename(pathname, extname(pathname)).replace(/\.schema$/, '')
  return /[a-z]/i.test(name) && source !== '-' ? name : 'Root'
}
