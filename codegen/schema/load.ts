import type { Platform } from '../../runtime/kernel/platform.ts'
import type { Report } from './finding.ts'
import type { Node } from './node.ts'
import { type Parse, parse } from './parse.ts'
import type { FileParts } from './parts.ts'
import { readPlatform, substituteFrom, verbatim } from './platform.ts'
import { platformName, type Sources } from './sources.ts'

/** What was read: the platform's names, and every document by its name, in order of names. */
export interface Documents {
  readonly platform: Platform
  readonly documents: ReadonlyMap<string, Node>
  readonly parts: Recall['parts']
}

/** What an earlier run in which nothing was wrong is known to have made of the same texts. */
export interface Recall {
  /** Parses, or gives the document of a text that is as it was. */
  readonly parse: Parse
  /** What became of a file; undefined if that may be something else by now. */
  readonly parts: (file: string) => FileParts | undefined
}

/** What is known, for those who parse what is not. */
export type Recalling = (otherwise: Parse) => Recall

/** Nothing. */
export const blank: Recall = { parse, parts: () => undefined }

/** Parses the sources, with the platform's names filled in. */
export function load(sources: Sources, report: Report, recall = blank): Documents {
  const text = sources.get(platformName) ?? ''
  const names = parse(platformName, text, verbatim, report)
  const at = { file: platformName, line: 1, column: 1 }
  const platform = readPlatform(names ?? { is: 'map', entries: [], at }, report)
  const substitute = substituteFrom(platform)
  const documents = new Map<string, Node>()
  for (const [file, text] of [...sources].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (file === platformName) continue
    const node = recall.parse(file, text, substitute, report)
    if (node !== undefined) documents.set(file, node)
  }
  return { platform, documents, parts: recall.parts }
}
