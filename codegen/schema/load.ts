import type { Platform } from '../../runtime/kernel/platform.ts'
import type { Report } from './finding.ts'
import type { Node } from './node.ts'
import { parse } from './parse.ts'
import { readPlatform, substituteFrom, verbatim } from './platform.ts'
import { platformName, type Sources } from './sources.ts'

/** What was read: the platform's names, and every document by its name, in order of names. */
export interface Documents {
  readonly platform: Platform
  readonly documents: ReadonlyMap<string, Node>
}

/** Parses the sources, with the platform's names filled in. */
export function load(sources: Sources, report: Report): Documents {
  const names = parse(platformName, sources.get(platformName) ?? '', verbatim, report)
  const at = { file: platformName, line: 1, column: 1 }
  const platform = readPlatform(names ?? { is: 'map', entries: [], at }, report)
  const substitute = substituteFrom(platform)
  const documents = new Map<string, Node>()
  for (const [file, text] of [...sources].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (file === platformName) continue
    const node = parse(file, text, substitute, report)
    if (node !== undefined) documents.set(file, node)
  }
  return { platform, documents }
}
