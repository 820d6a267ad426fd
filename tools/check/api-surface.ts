/**
 * The public surface of the package as text: every export of each entry point of package.json with its declaration, so that a
 * change of what users import is a change of a file that a review sees. `node dist/tools/check/api-surface.js --write` records it.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Node, Project, type SourceFile } from 'ts-morph'

/** An entry point and the declaration files that it stands for. */
interface EntryPoint {
  readonly name: string
  readonly files: readonly string[]
}

/** One file for each entry point. */
const golden = 'test/golden/api'

/** Where the recorded surface differs from that of the build: a line for each export that came, went or changed. */
export function checkApiSurface(root: string): readonly string[] {
  return surfaces(root).flatMap(({ name, text }) => {
    const path = join(root, golden, `${name}.txt`)
    const recorded = existsSync(path) ? readFileSync(path, 'utf8') : ''
    return recorded === text ? [] : differences(name, blocks(recorded), blocks(text))
  })
}

/** A line for each declaration that only one side has, or that reads otherwise. */
function differences(
  name: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  const all = [...new Set([...before.keys(), ...after.keys()])].sort()
  return all.flatMap((key) => {
    if (before.get(key) === after.get(key)) return []
    const change = !before.has(key) ? 'is new' : !after.has(key) ? 'is gone' : 'is another one'
    return [`${name}: ${key} ${change}`]
  })
}

/** Declarations by the heading that stands above each. */
function blocks(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((block) => {
        const end = block.indexOf('\n')
        return [block.slice(0, end), block.slice(end + 1)] as const
      }),
  )
}

/** The surface of each entry point, read from the declaration files of the build. */
function surfaces(root: string): readonly { readonly name: string; readonly text: string }[] {
  const project = new Project({
    compilerOptions: { module: 199, moduleResolution: 99, target: 9, types: [] },
    skipAddingFilesFromTsConfig: true,
    skipFileDependencyResolution: false,
  })
  const points = entryPoints(root)
  // All of them first: a file that is added later makes the compiler begin again.
  const files = new Set(points.flatMap((point) => point.files))
  const sources = new Map([...files].map((file) => [file, project.addSourceFileAtPath(file)]))
  return points.map(({ name, files }) => {
    const parts = files.map((file) => {
      const module = relative(join(root, 'dist/runtime'), file).replace(/\.d\.ts$/, '')
      return declarationsOf(sources.get(file)!, files.length > 1 ? `${module}: ` : '')
    })
    return { name, text: `${parts.flat().join('\n')}` }
  })
}

/** The entry points of package.json with types of ours; the generated ones are facts of the schemas, compared as such. */
function entryPoints(root: string): readonly EntryPoint[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly types?: string }>>
  }
  return Object.entries(exports).flatMap(([key, target]) => {
    const types = typeof target === 'string' ? undefined : target.types
    if (types === undefined || key.startsWith('./generated/')) return []
    const name = key === '.' ? 'orch' : key.replace(/^\.\//, '').replace('/*', '')
    return [{ name, files: matching(root, types) }]
  })
}

/** The files of a pattern with one star; built files without a source are left out. */
function matching(root: string, pattern: string): readonly string[] {
  const [before, after] = pattern.split('*')
  if (after === undefined) return [join(root, pattern)]
  const folder = dirname(join(root, `${before}x`))
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((file) => join(folder, file))
    .filter((file) => file.endsWith(after) && existsSync(sourceOf(root, file)))
}

/** The source of a built declaration file: what is gone may still lie in `dist`. */
function sourceOf(root: string, file: string): string {
  return join(root, relative(join(root, 'dist'), file).replace(/\.d\.ts$/, '.ts'))
}

/** A block for each exported name, with all its declarations. */
function declarationsOf(source: SourceFile, prefix: string): readonly string[] {
  return [...source.getExportedDeclarations()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, declarations]) => {
      const texts = declarations.map((declaration) => printed(declaration))
      return `## ${prefix}${name}\n${[...new Set(texts)].join('\n')}\n`
    })
}

/** A declaration without its comments, laid out by lines that hold something. */
function printed(declaration: Node): string {
  const statement = Node.isVariableDeclaration(declaration)
    ? (declaration.getVariableStatement() ?? declaration)
    : declaration
  return statement
    .getText()
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .join('\n')
}

const [, program, option] = process.argv
if (program !== undefined && realpathSync(program) === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../../../', import.meta.url))
  if (option === '--write') {
    mkdirSync(join(root, golden), { recursive: true })
    for (const { name, text } of surfaces(root)) {
      writeFileSync(join(root, golden, `${name}.txt`), text)
    }
  } else for (const line of checkApiSurface(root)) console.log(line)
}
