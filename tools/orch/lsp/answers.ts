/** What the editor asks, in the words of the protocol. */
import {
  type CodeAction,
  CodeActionKind,
  type CompletionItem,
  CompletionItemKind,
  CompletionItemTag,
  type Connection,
  type DocumentSymbol,
  ErrorCodes,
  type FoldingRange,
  InsertTextFormat,
  InsertTextMode,
  type Location,
  MarkupKind,
  ResponseError,
  SymbolKind,
  type TextDocumentPositionParams,
  type TextEdit,
  type WorkspaceEdit,
} from 'vscode-languageserver'
import type { TextDocument } from 'vscode-languageserver-textdocument'
import {
  type Completion,
  complete,
  hoverAt,
  Lines,
  maxTextLength,
  type OutlineDocument,
  objectAt,
  objectOf,
  outlinedFacts,
  outlineOf,
  prunedTo,
  quickFixes,
  referencesTo,
  type Subject,
  schemaAt,
  spotAt,
  subjectAt,
  symbolsOf,
  type TextSymbol,
  type ValueSchema,
} from '../../../runtime/editor/editor.ts'
import type { Finding } from '../../../runtime/validate/validate.ts'
import { edited } from '../edited-files.ts'
import type { AnswerSources, Asked } from './asked.ts'
import { diagnosticOf } from './diagnostics.ts'
import { factsIn } from './folders.ts'
import { locationOf, nameOf, Positions, schemaLocation, uriOf } from './places.ts'
import { renameIn } from './rename.ts'
import { labelIn, renameLabelIn } from './rename-labels.ts'

/** Answers the requests of a connection. A text that is too large gets none, and neither does one that is not open. */
export function serveAnswers(connection: Connection, sources: AnswerSources): void {
  const outlines = new WeakMap<TextDocument, readonly [number, readonly OutlineDocument[]]>()
  const asked = async (uri: string): Promise<Asked | undefined> => {
    const document = sources.document(uri)
    if (document === undefined) return undefined
    const text = document.getText()
    if (text.length > maxTextLength) return undefined
    const known = outlines.get(document)
    const outline = known?.[0] === document.version ? known[1] : outlineOf(text)
    outlines.set(document, [document.version, outline])
    const folders = await sources.folders()
    const name = nameOf(uri)
    const folder = folders.of(name)
    return { document, name, text, outline, folder, folders, context: folders.context(folder) }
  }
  /** The same, with what is being edited in place of what was checked. */
  const askedNow = async (uri: string): Promise<Asked | undefined> => {
    const found = await asked(uri)
    if (found === undefined) return undefined
    const open = sources.documents().map((one) => [nameOf(one.uri), one.getText()] as const)
    const { folders, folder } = found
    const small = open.filter(([, text]) => text.length <= maxTextLength)
    return { ...found, context: folders.contextNow(folder, new Map(small)) }
  }
  connection.onCompletion(async ({ textDocument: { uri }, position }) => {
    const document = sources.document(uri)
    if (document === undefined) return []
    const folders = await sources.folders()
    const name = nameOf(uri)
    const context = folders.context(folders.of(name))
    const offset = document.offsetAt(position)
    return complete(name, document.getText(), offset, context).map((one) => itemOf(one, document))
  })
  connection.onHover(async ({ textDocument: { uri }, position }) => {
    const found = await asked(uri)
    const { document, outline, context } = found ?? {}
    const hover =
      document && outline && context && hoverAt(outline, document.offsetAt(position), context)
    if (document === undefined || hover === undefined) return null
    const range = rangeOf(document, hover.start, hover.end)
    return { contents: { kind: MarkupKind.Markdown, value: hover.text }, range }
  })
  connection.onDefinition(async (params) =>
    definition(await asked(params.textDocument.uri), params, 'place'),
  )
  connection.onTypeDefinition(async (params) => {
    const found = await asked(params.textDocument.uri)
    return found === undefined ? null : schemaPlace(found, params, 'typePlace')
  })
  connection.onReferences(async (params) => {
    const found = await askedNow(params.textDocument.uri)
    const subject = found && subjectOf(found, params)
    if (found === undefined || subject === undefined) return []
    const declared = subject.key === undefined ? objectOf(subject, found.context) : undefined
    const own = params.context.includeDeclaration && declared ? [declared.place] : []
    return [...own, ...referencesTo(subject, found.context)].map(locationOf)
  })
  connection.onPrepareRename(async (params) => {
    const found = await askedNow(params.textDocument.uri)
    const subject = found && subjectOf(found, params)
    const label = found && labelIn(found, found.document.offsetAt(params.position))
    if (found !== undefined && label !== undefined) {
      const { start, end, is } = label
      return { range: rangeOf(found.document, start, end), placeholder: label[is] }
    }
    if (
      found === undefined ||
      subject === undefined ||
      objectOf(subject, found.context) === undefined
    ) {
      return null
    }
    const { at, key, name } = { ...subject, at: subject.at.at }
    return { range: rangeOf(found.document, at.offset, at.end), placeholder: key ?? name }
  })
  connection.onRenameRequest(async (params) => {
    const found = await askedNow(params.textDocument.uri)
    const subject = found && subjectOf(found, params)
    const label = found && labelIn(found, found.document.offsetAt(params.position))
    const none = 'there is no name of an object, key or label at this place'
    const done =
      found && label
        ? renameLabelIn(found, label, params.newName, sources)
        : found && subject
          ? renameIn(found, subject, params.newName, sources)
          : { refused: none }
    if ('refused' in done) throw new ResponseError(ErrorCodes.InvalidRequest, done.refused)
    return done
  })
  connection.onDocumentSymbol(async ({ textDocument: { uri } }) => {
    const found = await asked(uri)
    if (found === undefined) return []
    const positions = new Positions(found.document)
    return symbolsOf(found.outline).map((one) => symbolOf(one, positions))
  })
  connection.onFoldingRanges(async ({ textDocument: { uri } }) => {
    const found = await asked(uri)
    if (found === undefined) return []
    const positions = new Positions(found.document)
    return symbolsOf(found.outline).flatMap((one) => foldsOf(one, positions))
  })
  connection.onDocumentLinks(async ({ textDocument: { uri } }) => {
    const found = await askedNow(uri)
    if (found === undefined) return []
    const { document, context } = found
    return factsIn(found.name, found.text, context).flatMap(({ references }) =>
      references.flatMap((one) => {
        const { namespace, name, at } = one
        const target = context.objects.object(one, namespace, name)?.place
        if (target === undefined) return []
        const range = rangeOf(document, at.offset, at.end)
        return [{ range, target: `${uriOf(target.file)}#L${target.at.line}` }]
      }),
    )
  })
  connection.onCodeAction(async ({ textDocument: { uri }, range, context: { only } }) => {
    const found = await asked(uri)
    if (found === undefined) return []
    const isWanted = (kind: string) =>
      only === undefined || only.some((one) => kind === one || kind.startsWith(`${one}.`))
    const [start, end] = [found.document.offsetAt(range.start), found.document.offsetAt(range.end)]
    const here = (found.folder.findings.get(found.name) ?? []).filter((one) =>
      isIn(one, start, end),
    )
    return [
      ...(isWanted(CodeActionKind.QuickFix) ? here.flatMap((one) => fixesOf(one, found)) : []),
      ...(isWanted('source.fixAll.orch') ? fixAll(found) : []),
    ]
  })
}

function isIn({ at }: Finding, start: number, end: number): boolean {
  return at !== undefined && at.offset <= end && start <= at.end
}

function fixesOf(
  finding: Finding,
  { document, text, outline, context }: Asked,
): readonly CodeAction[] {
  const today = new Date().toISOString().slice(0, 10)
  return quickFixes(finding, text, outline, today, context).map(({ title, edits, isSafe }) => ({
    title,
    kind: CodeActionKind.QuickFix,
    diagnostics: [diagnosticOf(finding, document)],
    isPreferred: isSafe,
    edit: changeOf(
      document,
      edits.map(({ start, end, text }) => ({
        range: rangeOf(document, start, end),
        newText: text,
      })),
    ),
  }))
}

/** Every safe change of the text. */
function fixAll({ document, text, folder, name }: Asked): readonly CodeAction[] {
  const fixes = (folder.findings.get(name) ?? []).flatMap(({ fix }) => (fix ? [fix.edits] : []))
  if (fixes.length === 0) return []
  const range = rangeOf(document, 0, text.length)
  const edit = changeOf(document, [{ range, newText: edited(text, fixes) }])
  return [{ title: 'make every safe change', kind: 'source.fixAll.orch', edit }]
}

function changeOf({ uri, version }: TextDocument, edits: TextEdit[]): WorkspaceEdit {
  return { documentChanges: [{ textDocument: { uri, version }, edits }] }
}

/** What a place is about: of the object there, only what decides it is looked at. */
function subjectOf(
  { document, name, text, outline, context }: Asked,
  { position }: TextDocumentPositionParams,
): Subject | undefined {
  const offset = document.offsetAt(position)
  const spot = spotAt(outline, offset)
  const { node, path } = spot ? objectAt(spot.document, spot.path) : { node: undefined, path: [] }
  if (node === undefined) return undefined
  const facts = outlinedFacts(name, prunedTo(node, path), new Lines(text), context)
  return facts && subjectAt([facts], offset, context)
}

/** The object that a name means, or the schema of a field. */
function definition(
  found: Asked | undefined,
  params: TextDocumentPositionParams,
  which: 'place' | 'typePlace',
): Location | null {
  if (found === undefined) return null
  const subject = subjectOf(found, params)
  const target = subject && objectOf(subject, found.context)
  if (target !== undefined && target.place.at.offset !== subject?.at.at.offset)
    return locationOf(target.place)
  if (target !== undefined && target.place.file !== found.name) return locationOf(target.place)
  return schemaPlace(found, params, which)
}

function schemaPlace(
  { document, outline, context }: Asked,
  { position }: TextDocumentPositionParams,
  which: 'place' | 'typePlace',
): Location | null {
  const spot = spotAt(outline, document.offsetAt(position))
  if (spot === undefined) return null
  const { apiVersion = '', kind = '', path } = objectAt(spot.document, spot.path)
  const root = context.catalogue.root(apiVersion, kind)
  const isKind = path.length === 1 && (path[0] === 'kind' || path[0] === 'apiVersion')
  const schema: ValueSchema | undefined = isKind ? root : schemaAt(root, path)
  const place = schema && (schema[which] ?? schema.place)
  return (place && schemaLocation(place)) ?? null
}

function rangeOf(document: TextDocument, start: number, end: number) {
  return { start: document.positionAt(start), end: document.positionAt(end) }
}

const itemKinds = {
  field: CompletionItemKind.Field,
  value: CompletionItemKind.EnumMember,
  kind: CompletionItemKind.Class,
  name: CompletionItemKind.Reference,
  gate: CompletionItemKind.Property,
  flag: CompletionItemKind.Property,
} as const

function itemOf(one: Completion, document: TextDocument): CompletionItem {
  const { label, is, detail, documentation, isDeprecated, sort, snippet, start, end } = one
  return {
    ...{ label, kind: itemKinds[is], sortText: sort, filterText: filterOf(one, document) },
    insertTextFormat: InsertTextFormat.Snippet,
    insertTextMode: InsertTextMode.adjustIndentation,
    textEdit: { range: rangeOf(document, start, end), newText: snippet },
    ...(detail !== undefined && { detail }),
    ...(documentation && { documentation: { kind: MarkupKind.Markdown, value: documentation } }),
    ...(isDeprecated && { tags: [CompletionItemTag.Deprecated] }),
  }
}

/** What is typed is compared with this: a quote that is there already is part of it. */
function filterOf({ label, start }: Completion, document: TextDocument): string {
  const quote = document.getText().slice(start, start + 1)
  return quote === '"' || quote === "'" ? quote + label : label
}

const symbolKinds = {
  object: SymbolKind.Class,
  map: SymbolKind.Module,
  list: SymbolKind.Array,
  value: SymbolKind.Field,
} as const

/** What is empty is left out, for there are thousands. */
function symbolOf(symbol: TextSymbol, positions: Positions): DocumentSymbol {
  const { name, detail, is, start, end, nameEnd, parts } = symbol
  const kind = symbolKinds[is]
  const range = positions.range(start, end)
  const selectionRange = { start: range.start, end: positions.at(nameEnd) }
  const found: DocumentSymbol = { name, kind, range, selectionRange }
  if (detail) found.detail = detail
  if (parts.length > 0) found.children = parts.map((one) => symbolOf(one, positions))
  return found
}

function foldsOf({ start, end, parts }: TextSymbol, positions: Positions): readonly FoldingRange[] {
  const [first, last] = [positions.at(start).line, positions.at(end).line]
  const own = last > first ? [{ startLine: first, endLine: last }] : []
  return [...own, ...parts.flatMap((one) => foldsOf(one, positions))]
}
