import { join } from 'node:path'
import { packageRoot } from '../../codegen/main.ts'
import { readSources, type Sources } from '../../codegen/schema/files/sources.ts'
import type { Api } from '../../codegen/schema/ir.ts'
import { type ReadResult, readApi } from '../../codegen/schema/read.ts'

/** Orch's own schemas, as a user's root sees them. */
export const ownSources: Sources = await readSources(
  [{ folder: join(packageRoot, 'schemas'), prefix: 'orch:' }],
  join(packageRoot, 'schemas/platform/orch.yaml'),
)

/** The documents that small schema files lean on; all of orch's own would only make a test slow. */
const needed = /^platform$|^orch:(markers|groups|meta\/v1\/(object-meta|scalars))/
const base = [...ownSources].filter(([file]) => needed.test(file))

/** Those documents with one more at `place`. */
export function sourcesWith(text: string, place: string): Sources {
  return new Map([...base, [place, text]])
}

/** Reads definitions, written as they stand under `definitions`, as the schema file `demo.yaml`. */
export function readDefinitions(definitions: string, group = 'demo.example.com'): ReadResult {
  const lines = definitions.split('\n').map((line) => `  ${line}`)
  const text = `group: '${group}'\nversion: v1\ndefinitions:\n${lines.join('\n')}\n`
  return readApi(sourcesWith(text, 'demo.yaml'), ({ file }) => `elsewhere/${file.slice(5)}`)
}

/** The representation of definitions that are right; fails with the findings of wrong ones. */
export function apiOf(definitions: string, group?: string): Api {
  const { api, findings } = readDefinitions(definitions, group)
  if (api === undefined) throw new Error(findings.map(({ message }) => message).join('\n'))
  return api
}
