/**
 * The heavy half of the generator, with everything it imports: a check that finds nothing changed never loads it.
 */
import { emit } from './emit/emit.ts'
import { printDiff } from './print/diff.ts'
import { printAll } from './print/print.ts'
import { type Layout, specifiersOf } from './print/specifiers.ts'
import { printFindings } from './schema/finding.ts'
import { moduleOf } from './schema/layout.ts'
import { readApi } from './schema/read.ts'
import type { Sources } from './schema/sources.ts'

export { printDiff, printFindings }

/** The files of a tree, or what is wrong with its schemas. */
export async function run(sources: Sources, layout: Layout, external: string) {
  const { api, findings } = readApi(sources, ({ file }) => `${external}/${moduleOf(file)}`)
  if (api === undefined) return { files: new Map<string, string>(), findings }
  const artefacts = await emit(api, specifiersOf(layout))
  return { files: printAll(artefacts), findings }
}
