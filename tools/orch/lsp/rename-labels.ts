/** A rename of a label as a change of the files of a folder that have it. */
import { readFileSync } from 'node:fs'
import type { TextDocumentEdit, WorkspaceEdit } from 'vscode-languageserver'
import {
  type LabelledText,
  type LabelSubject,
  Lines,
  labelAt,
  labelRenaming,
  maxTextLength,
  outlineOf,
} from '../../../runtime/editor/editor.ts'
import type { AnswerSources, Asked } from './asked.ts'
import { lineRange, nameOf, uriOf } from './places.ts'

/** The label at an offset of the text. */
export function labelIn({ name, outline }: Asked, offset: number): LabelSubject | undefined {
  return labelAt({ file: name, documents: outline }, offset)
}

/** The change, or why there is none. */
export function renameLabelIn(
  asked: Asked,
  subject: LabelSubject,
  fresh: string,
  sources: AnswerSources,
): WorkspaceEdit | { readonly refused: string } {
  const open = new Map(sources.documents().map((one) => [nameOf(one.uri), one]))
  const texts = textsWith(asked, subject.key, (name) => open.get(name)?.getText())
  const outlines = [...texts].map(([file, text]): LabelledText => {
    return { file, documents: file === asked.name ? asked.outline : outlineOf(text) }
  })
  const done = labelRenaming(subject, fresh, outlines)
  if ('refused' in done) return done
  const documentChanges = [...new Set(done.places.map(({ file }) => file))].map(
    (file): TextDocumentEdit => {
      const text = texts.get(file) ?? ''
      const lines = new Lines(text)
      const document = open.get(file)
      const places = done.places.filter((one) => one.file === file)
      return {
        textDocument: { uri: document?.uri ?? uriOf(file), version: document?.version ?? null },
        edits: places.map(({ start, end }) => ({
          range: lineRange(lines.range(start, end)),
          newText: written(fresh, text[start]),
        })),
      }
    },
  )
  return { documentChanges }
}

/** The texts of the folder that may have the label. */
function textsWith(
  { folder, name, text }: Asked,
  key: string,
  openText: (name: string) => string | undefined,
): ReadonlyMap<string, string> {
  const texts = new Map([[name, text]])
  for (const file of folder.facts.keys()) {
    if (texts.has(file)) continue
    const found = openText(file) ?? readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
    if (found.length <= maxTextLength && found.includes(key)) texts.set(file, found)
  }
  return texts
}

/** In the quotes that are there; what YAML takes for another type gets some. */
function written(text: string, before: string | undefined): string {
  if (before === '"' || before === "'") return before + text + before
  const isText = /^[A-Za-z]/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text)
  return isText ? text : `"${text}"`
}
