/** Places of findings and schemas as the protocol has them, and names of files as it has them. */
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Location, Position, Range } from 'vscode-languageserver'
import type { TextDocument } from 'vscode-languageserver-textdocument'
import type { SchemaPlace } from '../../../runtime/editor/editor.ts'
import type { TextRange } from '../../../runtime/serializer/serializer.ts'
import type { Place } from '../../../runtime/validate/validate.ts'

/** The path of a file, or the address itself of what is in no file. */
export function nameOf(uri: string): string {
  if (!uri.startsWith('file:')) return uri
  try {
    return fileURLToPath(uri)
  } catch {
    return uri
  }
}

/** The address of a name. */
export function uriOf(name: string): string {
  return /^[a-z][a-z0-9+.-]+:/i.test(name) && !/^[a-z]:[\\/]/i.test(name)
    ? name
    : pathToFileURL(name).href
}

/** A range that stands on one line, as names do. */
export function lineRange({ line, column, offset, end }: TextRange): Range {
  const start = { line: line - 1, character: column - 1 }
  const length = offset < 0 ? 1 : Math.max(0, end - offset)
  return { start, end: { line: start.line, character: start.character + length } }
}

/** Where something stands in a file. */
export function locationOf({ file, at }: Pick<Place, 'file' | 'at'>): Location {
  return { uri: uriOf(file), range: lineRange(at) }
}

/** The beginning of a line of a schema. */
export function schemaLocation({ path, line }: SchemaPlace): Location | undefined {
  if (path === undefined) return undefined
  const start = { line: line - 1, character: 0 }
  return { uri: uriOf(path), range: { start, end: start } }
}

/** Places of a text that are asked for in its order: those of a line look its beginning up once. */
export class Positions {
  readonly #document: TextDocument
  #line = 0
  #from = 0
  #to = 0

  constructor(document: TextDocument) {
    this.#document = document
  }

  /** The place of an offset. */
  at(offset: number): Position {
    if (offset < this.#from || offset >= this.#to) {
      const { line, character } = this.#document.positionAt(offset)
      this.#line = line
      this.#from = offset - character
      this.#to = this.#document.offsetAt({ line: line + 1, character: 0 })
    }
    return { line: this.#line, character: offset - this.#from }
  }

  /** The range between two offsets. */
  range(start: number, end: number): Range {
    return { start: this.at(start), end: this.at(end) }
  }
}
