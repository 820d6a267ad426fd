/**
 * The front half of the generator: from the text of schema files to the intermediate representation.
 *
 * It is the only part of the generator that can fail on input, and it fails with all findings at once. Its promises:
 *
 * 1. Without findings the representation is whole: every reference resolves, every marker is where it may be, every
 *    default is a value of its type. Emitters have no error paths.
 * 2. The order of keys in a schema file does not matter, except that fields keep the order of `properties`.
 * 3. Positions are those of the file that a person edits, names filled in from the platform file or not.
 */

import { build } from './build/build.ts'
import type { BuiltFile } from './build/built-file.ts'
import type { Definition } from './build/definitions.ts'
import { type DocumentCache, load, noDocumentCache, type OpenDocumentCache } from './files/load.ts'
import type { Sources } from './files/sources.ts'
import { type Finding, type Report, sortFindings } from './finding.ts'
import type { Api } from './ir.ts'
import { lint } from './lint/lint.ts'
import { parse } from './yaml/parse.ts'

/** What was read. `api` is fit for emitters if there are no findings; `parts` is what became of each file then. */
export interface ReadResult {
  readonly api?: Api
  readonly files?: ReadonlyMap<string, BuiltFile>
  readonly findings: readonly Finding[]
}

/** After these, part of a document is missing: further findings would only follow from that. */
const broken = ['yaml-syntax', 'yaml-alias']

type SpecifierOf = (definition: Definition) => string

/**
 * Reads sources; `specifierOf` says where the generated module of another tree's definition is. What an earlier run found
 * sound is not checked again, unless something is wrong: then everything is, so that the findings are all there are.
 */
export function readApi(
  sources: Sources,
  specifierOf: SpecifierOf,
  recalling?: OpenDocumentCache,
): ReadResult {
  const recall = recalling?.(parse) ?? noDocumentCache
  const reading = readOnce(sources, specifierOf, recall)
  if (recall === noDocumentCache || reading.findings.length === 0) return reading
  return readOnce(sources, specifierOf, { ...recall, builtFile: noDocumentCache.builtFile })
}

function readOnce(sources: Sources, specifierOf: SpecifierOf, recall: DocumentCache): ReadResult {
  const findings: Finding[] = []
  const report: Report = (at, code, message) => void findings.push({ at, code, message })
  const documents = load(sources, report, recall)
  if (findings.some(({ code }) => broken.includes(code)))
    return { findings: sortFindings(findings) }
  const built = build(documents, specifierOf, report)
  lint(built, report)
  if (findings.length > 0) return { findings: sortFindings(findings) }
  return { api: built.api, files: built.files, findings }
}
