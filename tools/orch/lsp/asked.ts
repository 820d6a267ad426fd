import type { TextDocument } from 'vscode-languageserver-textdocument'
import type { EditorContext, OutlineDocument } from '../../../runtime/editor/editor.ts'
import type { Folder, Folders } from './folders.ts'

/** What answers are made of. */
export interface AnswerSources {
  readonly document: (uri: string) => TextDocument | undefined
  readonly documents: () => readonly TextDocument[]
  readonly folders: () => Promise<Folders>
}

/** A text that something is asked about. */
export interface Asked {
  readonly document: TextDocument
  readonly name: string
  readonly text: string
  readonly outline: readonly OutlineDocument[]
  readonly folder: Folder
  readonly folders: Folders
  readonly context: EditorContext
}
