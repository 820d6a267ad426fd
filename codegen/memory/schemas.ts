/**
 * What is kept of schema files: a line for each, of columns with tabs between them, none of which is read before it is
 * needed: name, digest of the text, what became of its definitions, the digests of their types, and the packed document.
 */
import type { Recalling } from '../schema/load.ts'
import type { Node } from '../schema/node.ts'
import type { FileParts } from '../schema/parts.ts'
import { platformName } from '../schema/sources.ts'
import { filesAsBefore } from '../schema/unchanged.ts'
import { pack, unpackText } from './documents.ts'

interface Line {
  readonly text: string
  readonly digest: string
  readonly parts: string
  readonly marks: string
  readonly packed: string
}

export interface SchemaMemory {
  readonly recall: Recalling
  /** What is to be kept of a run in which nothing was wrong; undefined if that is kept already. */
  readonly print: (parts: ReadonlyMap<string, FileParts>) => string | undefined
}

/** Of what was kept, what the same texts gave. `inputs` are the digests of texts; types get theirs in `digests`. */
export function schemaMemory(
  kept: string,
  inputs: Readonly<Record<string, string>>,
  digests: WeakMap<object, string>,
): SchemaMemory {
  const lines = new Map(kept.split('\n').filter(Boolean).map(lineOf))
  const same = new Map([...lines].filter(([file, { digest }]) => digest === inputs[file]))
  const parsed = new Map<string, Node>()
  const known = knownParts(lines, same, inputs, digests)
  const recall: Recalling = (otherwise) => ({
    parts: (file) => known.get(file),
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
  const lineFor = (file: string, parts: FileParts | undefined): string | undefined => {
    const line = same.get(file)
    if (line !== undefined && parts === known.get(file)) return line.text
    const node = parsed.get(file)
    const packed = line?.packed ?? (node && JSON.stringify(pack(node)))
    if (packed === undefined) return undefined
    const columns = [JSON.stringify(parts ?? null), marksOf(parts, digests).join(' '), packed]
    return [JSON.stringify(file), inputs[file], ...columns].join('\t')
  }
  return {
    recall,
    print(parts) {
      const files = Object.keys(inputs).filter((file) => file !== platformName)
      const texts = files.flatMap((file) => lineFor(file, parts.get(file)) ?? [])
      const text = texts.map((each) => `${each}\n`).join('')
      return text === kept ? undefined : text
    },
  }
}

function lineOf(text: string): [string, Line] {
  const [file = '', digest = '', parts = '', marks = '', packed = ''] = text.split('\t')
  return [JSON.parse(file), { text, digest, parts, marks, packed }]
}

/** The parts of files that mean what they meant. */
function knownParts(
  lines: ReadonlyMap<string, Line>,
  same: ReadonlyMap<string, Line>,
  inputs: Readonly<Record<string, string>>,
  digests: WeakMap<object, string>,
): ReadonlyMap<string, FileParts> {
  const parts = new Map<string, FileParts>()
  for (const [file, line] of same) {
    const found = JSON.parse(line.parts) as FileParts | null
    if (found === null) continue
    parts.set(file, found)
    const marks = line.marks.split(' ')
    for (const [index, type] of typesOf(found).entries()) digests.set(type, marks[index] as string)
  }
  const names = [...lines.keys(), ...Object.keys(inputs)].filter((file) => file !== platformName)
  const refs = new Map([...parts].map(([file, found]) => [file, found.refs]))
  const asBefore = filesAsBefore(
    refs,
    names.filter((file) => !same.has(file)),
  )
  return new Map([...parts].filter(([file]) => asBefore.has(file)))
}

/** A digest for each type of a file. */
function marksOf(parts: FileParts | undefined, digests: WeakMap<object, string>) {
  return typesOf(parts).map((type) => digests.get(type) ?? '')
}

function typesOf(parts: FileParts | undefined): readonly object[] {
  return parts?.is === 'types' ? parts.parts.flatMap(({ types }) => types) : []
}
