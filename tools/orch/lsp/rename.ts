/** A rename as a change of the files that have the name. */
import { readFileSync } from 'node:fs'
import type { TextDocumentEdit, TextEdit, WorkspaceEdit } from 'vscode-languageserver'
import {
  entryOf,
  Lines,
  objectAt,
  outlineOf,
  renaming,
  type Subject,
  spotAt,
} from '../../../runtime/editor/editor.ts'
import type { ObjectFacts, Place } from '../../../runtime/validate/validate.ts'
import type { AnswerSources, Asked } from './asked.ts'
import { lineRange, nameOf, uriOf } from './places.ts'

/** The change, or why there is none. */
export function renameIn(
  { context }: Asked,
  subject: Subject,
  fresh: string,
  sources: AnswerSources,
): WorkspaceEdit | { readonly refused: string } {
  const open = new Map(sources.documents().map((one) => [nameOf(one.uri), one]))
  const textOf = (name: string) => open.get(name)?.getText() ?? readFileSync(name, 'utf8')
  const done = renaming(subject, fresh, context, (object, key) => keyPlace(object, key, textOf))
  if ('refused' in done) return done
  const edits = new Map<string, TextEdit[]>()
  const texts = new Map<string, string>()
  for (const { file, at } of done.places) {
    const text = texts.get(file) ?? textOf(file)
    texts.set(file, text)
    const given = text.replace(/^\uFEFF/, '').slice(at.offset, at.end)
    const known = subject.key ?? subject.name
    const quote = /^["']/.exec(given)?.[0] ?? ''
    if (given !== `${quote}${known}${quote}`) {
      return { refused: `${file}:${at.line}: the name is written in another form here` }
    }
    const edit = { range: lineRange(at), newText: `${quote}${fresh}${quote}` }
    edits.set(file, [...(edits.get(file) ?? []), edit])
  }
  const documentChanges = [...edits].map(([file, own]): TextDocumentEdit => {
    const document = open.get(file)
    const textDocument = { uri: document?.uri ?? uriOf(file), version: document?.version ?? null }
    return { textDocument, edits: own }
  })
  return { documentChanges }
}

/** Where an object declares a key of its data. */
function keyPlace(
  { place }: ObjectFacts,
  key: string,
  textOf: (name: string) => string,
): Place | undefined {
  const text = textOf(place.file).replace(/^\uFEFF/, '')
  const spot = spotAt(outlineOf(text), place.at.offset)
  if (spot === undefined) return undefined
  const { node } = objectAt(spot.document, spot.path)
  const lines = new Lines(text)
  for (const field of ['data', 'binaryData', 'stringData']) {
    const entry = entryOf(entryOf(node, field)?.value, key)
    if (entry !== undefined) return { ...place, at: lines.range(entry.start, entry.keyEnd) }
  }
  return undefined
}
