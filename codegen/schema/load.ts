import type { Platform } from '../../runtime/kernel/platform.ts'
import type { Report } from './finding.ts'
import type { Node } from './node.ts'
import { type Parse, parse } from './parse.ts'
import { readPlatform, substituteFrom, verbatim } from './platform.ts'
import { platformName, type Sources } from './sources.ts'

/** What was read: the platform's names, and every document by its name, in order of names. */
export interface Documents {
  readonly platform: Platform
  readonly documents: ReadonlyMap<string, Node>
}

/** How documents are read on the platform of the given text. */
export type Parsing = (platform: string, otherwise: Parse) => Parse

/** Parses the sources, with the platform's names filled in. */
export function load(sources: Sources, report: Report, parsing?: Parsing): Documents {
  const text = sources.get(platformName) ?? ''
  const names = parse(platformName, text, verbatim, report)
  const at = { file: platformName, line: 1, column: 1 }
  const platform = readPlatform(names ?? { is: 'map', entries: [], at }, report)
  const substitute = substituteFrom(platform)
  const read = parsing?.(text, parse) ?? parse
  const documents = new Map<string, Node>()
  for (const [file, text] of [...sources].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (file === platformName) continue
    const node = read(file, text, substitute, report)
    if (node !== undefined) documents.set(file, node)
  }
  return { platform, documents }
}
