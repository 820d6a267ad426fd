/**
 * What is cached of schema files: a line for each, with columns between tabs that are parsed only when they are needed:
 * name, digest of the text, what was built from it, the digests of its types, and the packed document.
 */

import type { BuiltFile } from '../schema/build/built-file.ts'
import { unchangedFiles } from '../schema/build/unchanged-files.ts'
import type { OpenDocumentCache } from '../schema/files/load.ts'
import { ownPrefix, platformName } from '../schema/files/sources.ts'
import type { YamlNode } from '../schema/yaml/node.ts'
import { pack, unpackText } from './packed-documents.ts'

/** The columns of a line, and the line as it was read. */
interface Line {
  readonly text: string
  readonly digest: string
  readonly parts: string
  readonly marks: string
  readonly packed: string
}

/** The cached schema files of one output folder. */
export interface SchemaCache {
  readonly documents: OpenDocumentCache
  /** The text to be saved after a run without findings; undefined if it is what was read. */
  readonly print: (parts: ReadonlyMap<string, BuiltFile>) => string | undefined
  /** The part of it about orch's own schemas that a user's lean on; empty if they are none. */
  readonly printOwn: (parts: ReadonlyMap<string, BuiltFile>) => string
}

/**
 * What is known of files whose texts are as they were. `kept` is the text of the cache, `inputs` are the digests of the
 * texts now; types get their digests in `digests`.
 */
export function openSchemaCache(
  kept: string,
  inputs: Readonly<Record<string, string>>,
  digests: WeakMap<object, string>,
): SchemaCache {
  const lines = new Map(kept.split('\n').filter(Boolean).map(lineOf))
  const same = new Map([...lines].filter(([file, { digest }]) => digest === inputs[file]))
  const parsed = new Map<string, YamlNode>()
  const known = unchangedBuiltFiles(lines, same, inputs, digests)
  const recall: OpenDocumentCache = (otherwise) => ({
    builtFile: (file) => known.get(file),
    parse(file, source, substitute, report) {
      const line = same.get(file)
      if (line !== undefined) {
        return unpackText(line.packed, file, () => otherwise(file, source, substitute, () => {}))
      }
      const node = otherwise(file, source, substitute, report)
      if (node !== undefined) parsed.set(file, node)
      return node
    },
  })
  const lineFor = (file: string, parts: BuiltFile | undefined): string | undefined => {
    const line = same.get(file)
    if (line !== undefined && parts === known.get(file)) return line.text
    const node = parsed.get(file)
    const packed = line?.packed ?? (node && JSON.stringify(pack(node)))
    if (packed === undefined) return undefined
    const columns = [JSON.stringify(parts ?? null), marksOf(parts, digests).join(' '), packed]
    return [JSON.stringify(file), inputs[file], ...columns].join('\t')
  }
  const linesOf = (files: readonly string[], parts: ReadonlyMap<string, BuiltFile>): string => {
    const texts = files.flatMap((file) => lineFor(file, parts.get(file)) ?? [])
    return texts.map((each) => `${each}\n`).join('')
  }
  const files = Object.keys(inputs).filter((file) => file !== platformName)
  return {
    documents: recall,
    print(parts) {
      const text = linesOf(files, parts)
      return text === kept ? undefined : text
    },
    printOwn: (parts) =>
      linesOf(
        files.filter((file) => file.startsWith(ownPrefix)),
        parts,
      ),
  }
}

/** One line by the name of its file. */
function lineOf(text: string): [string, Line] {
  const [file = '', digest = '', parts = '', marks = '', packed = ''] = text.split('\t')
  return [JSON.parse(file), { text, digest, parts, marks, packed }]
}

/** What was built from files that mean what they meant: neither they nor the files that they refer to changed. */
function unchangedBuiltFiles(
  lines: ReadonlyMap<string, Line>,
  same: ReadonlyMap<string, Line>,
  inputs: Readonly<Record<string, string>>,
  digests: WeakMap<object, string>,
): ReadonlyMap<string, BuiltFile> {
  const parts = new Map<string, BuiltFile>()
  for (const [file, line] of same) {
    const found = JSON.parse(line.parts) as BuiltFile | null
    if (found === null) continue
    parts.set(file, found)
    const marks = line.marks.split(' ')
    for (const [index, type] of typesOf(found).entries()) digests.set(type, marks[index] as string)
  }
  const names = [...lines.keys(), ...Object.keys(inputs)].filter((file) => file !== platformName)
  const refs = new Map([...parts].map(([file, found]) => [file, found.refs]))
  const asBefore = unchangedFiles(
    refs,
    names.filter((file) => !same.has(file)),
  )
  return new Map([...parts].filter(([file]) => asBefore.has(file)))
}

/** A digest for each type of a file, in their order; empty where it is not known. */
function marksOf(parts: BuiltFile | undefined, digests: WeakMap<object, string>) {
  return typesOf(parts).map((type) => digests.get(type) ?? '')
}

function typesOf(parts: BuiltFile | undefined): readonly object[] {
  return parts?.is === 'types' ? parts.definitions.flatMap(({ types }) => types) : []
}
