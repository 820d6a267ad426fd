import type { Platform } from '../../../runtime/kernel/descriptors/platform.ts'
import type { BuiltFile } from '../build/built-file.ts'
import type { Report } from '../finding.ts'
import type { YamlNode } from '../yaml/node.ts'
import { type Parse, parse } from '../yaml/parse.ts'
import { keepText, readPlatform, substituteFrom } from './platform.ts'
import { platformName, type Sources } from './sources.ts'

/** What was read: the platform's names, and every document by its name, in order of names. */
export interface Documents {
  readonly platform: Platform
  readonly documents: ReadonlyMap<string, YamlNode>
  readonly builtFile: DocumentCache['builtFile']
}

/** What an earlier run in which nothing was wrong is known to have made of the same texts. */
export interface DocumentCache {
  /** Parses, or gives the document of a text that is as it was. */
  readonly parse: Parse
  /** What became of a file; undefined if that may be something else by now. */
  readonly builtFile: (file: string) => BuiltFile | undefined
}

/** What is known, for those who parse what is not. */
export type OpenDocumentCache = (otherwise: Parse) => DocumentCache

/** Nothing. */
export const noDocumentCache: DocumentCache = { parse, builtFile: () => undefined }

/** Parses the sources, with the platform's names filled in. */
export function load(sources: Sources, report: Report, recall = noDocumentCache): Documents {
  const text = sources.get(platformName) ?? ''
  const names = parse(platformName, text, keepText, report)
  const at = { file: platformName, line: 1, column: 1 }
  const platform = readPlatform(names ?? { is: 'map', entries: [], at }, report)
  const substitute = substituteFrom(platform)
  const documents = new Map<string, YamlNode>()
  for (const [file, text] of [...sources].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (file === platformName) continue
    const node = recall.parse(file, text, substitute, report)
    if (node !== undefined) documents.set(file, node)
  }
  return { platform, documents, builtFile: recall.builtFile }
}
