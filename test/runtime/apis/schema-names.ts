import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

/** The names that one kind of a schema file uses. */
export interface KindNames {
  readonly strategies: readonly string[]
  readonly cells: readonly string[]
  readonly reviews: readonly string[]
}

interface Definition {
  readonly 'x-orch-kind'?: {
    readonly strategies?: readonly string[]
    readonly review?: string
    readonly columns?: readonly { readonly cell: string }[]
  }
}

/** The names that all kinds of `schemas/api` use, read from the files themselves. */
export function kindFacts(): readonly KindNames[] {
  const root = join(projectRoot(), 'schemas', 'api')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => kindsIn(readFileSync(join(root, file), 'utf8')))
}

function kindsIn(text: string): readonly KindNames[] {
  const { definitions = {} } = parse(text) as { definitions?: Record<string, Definition> }
  return Object.values(definitions).flatMap(({ 'x-orch-kind': kind }) => {
    if (kind === undefined) return []
    const { strategies = [], columns = [], review } = kind
    const cells = columns.map(({ cell }) => cell)
    return [{ strategies, cells, reviews: review === undefined ? [] : [review] }]
  })
}

/** The first folder upward that holds schemas: the tests run from a build folder inside the project. */
function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!readdirSync(folder).includes('schemas')) {
    const parent = dirname(folder)
    if (parent === folder) throw new Error('no folder with schemas above this test')
    folder = parent
  }
  return folder
}
