/**
 * The front half of the generator: from the text of schema files to the intermediate representation.
 *
 * It is the only room that can fail on input, and it fails with all findings at once. Its promises:
 *
 * 1. Without findings the representation is whole: every reference resolves, every marker is where it may be, every
 *    default is a value of its type. Emitters have no error paths.
 * 2. The order of keys in a schema file does not matter, except that fields keep the order of `properties`.
 * 3. Positions are those of the file that a person edits, names filled in from the platform file or not.
 */

import { build } from './build.ts'
import type { Definition } from './definitions.ts'
import { type Finding, type Report, sortFindings } from './finding.ts'
import type { Api } from './ir.ts'
import { lint } from './lint.ts'
import { load, type Parsing } from './load.ts'
import type { Sources } from './sources.ts'

/** What was read. `api` is fit for emitters if there are no findings. */
export interface Reading {
  readonly api?: Api
  readonly findings: readonly Finding[]
}

/** After these, part of a document is missing: further findings would only follow from that. */
const broken = ['yaml-syntax', 'yaml-alias']

/** Reads sources; `specifierOf` says where the generated module of another tree's definition is. */
export function readApi(
  sources: Sources,
  specifierOf: (definition: Definition) => string,
  parsing?: Parsing,
): Reading {
  const findings: Finding[] = []
  const report: Report = (at, code, message) => void findings.push({ at, code, message })
  const documents = load(sources, report, parsing)
  if (findings.some(({ code }) => broken.includes(code)))
    return { findings: sortFindings(findings) }
  const built = build(documents, specifierOf, report)
  lint(built, report)
  return findings.length > 0 ? { findings: sortFindings(findings) } : { api: built.api, findings }
}
