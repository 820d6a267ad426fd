/** Parses the sources of a run, or takes them from a cache. */
import type { Platform } from '../../../runtime/kernel/descriptors/platform.ts'
import type { BuiltFile } from '../build/built-file.ts'
import type { Report } from '../finding.ts'
import { wholeFile } from '../position.ts'
import type { YamlNode } from '../yaml/node.ts'
import { type Parse, parse } from '../yaml/parse.ts'
import { keepText, readPlatform, substituteFrom } from './platform.ts'
import { platformName, type Sources } from './sources.ts'

/** The platform's names, and every other document by its name, in order of names. */
export interface Documents {
  readonly platform: Platform
  readonly documents: ReadonlyMap<string, YamlNode>
  /** What was built from a file; undefined if that may be different by now. */
  readonly builtFile: DocumentCache['builtFile']
}

/** What an earlier run without findings made of the same texts. */
export interface DocumentCache {
  /** Parses a document, or gives the cached one of a text that did not change. */
  readonly parse: Parse
  /** What became of a file; undefined if that may be something else by now. */
  readonly builtFile: (file: string) => BuiltFile | undefined
}

/** A document cache over a parser for what is not cached. */
export type OpenDocumentCache = (otherwise: Parse) => DocumentCache

/** No cache: every document is parsed, every file is built. */
export const noDocumentCache: DocumentCache = { parse, builtFile: () => undefined }

/**
 * Parses the sources, with the platform's names filled in.
 * Without a platform file every name is reported as missing from `platform`.
 */
export function load(sources: Sources, report: Report, recall = noDocumentCache): Documents {
  const text = sources.get(platformName) ?? ''
  const names = parse(platformName, text, keepText, report)
  const at = wholeFile(platformName)
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
