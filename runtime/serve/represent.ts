import { invariant } from '../kernel/invariant.ts'
import type { Kind } from '../kernel/kind.ts'
import { apiVersionOf } from '../kernel/object.ts'
import { othersTurn } from '../kernel/turns.ts'
import type { Item, Listed } from '../registry/registry.ts'
import type { Answer, Pieces } from './exchange.ts'
import { joinList, type RunTexts } from './join.ts'
import { contentType, type Media } from './media.ts'
import { type Binary, binaryItem, binaryList } from './protobuf.ts'
import { Recent } from './recent.ts'
import { type IncludeObject, partialText, rowsOf, tableText } from './table.ts'
import { isPlain, type Layout, layOut } from './text.ts'

/** How the objects of one request are written. */
export interface Form {
  readonly kind: Kind
  readonly media: Media
  readonly layout: Layout
  readonly include: IncludeObject
  readonly now: number
  readonly lines: Lines
  readonly texts: RunTexts
  /** The protobuf form of the kind, if it has one. */
  readonly binary: Binary | undefined
}

/** How many bytes of bodies are kept for the next request for the same objects. */
const keptLines = 8 * 1024 * 1024

/** Bodies of objects that were asked for lately: their bytes and a final newline. */
export type Lines = Recent<Item, Uint8Array>

export function recentLines(): Lines {
  return new Recent<Item, Uint8Array>(
    keptLines,
    (line) => line.length,
    ({ bytes }) => Buffer.concat([bytes, newline]),
  )
}

const newline = Buffer.from('\n')

/** Answers with one object. */
export function itemAnswer(status: number, item: Item, form: Form): Answer | Promise<Answer> {
  return answerOf(status, form, itemBody(item, form))
}

/** Answers with a list. */
export function listAnswer(listed: Listed, form: Form): Answer | Promise<Answer> {
  return answerOf(200, form, listBody(listed, form))
}

type MadeBody = Uint8Array | Pieces

/** Waits only where the body has to be: stored bytes are there. */
function answerOf(
  status: number,
  { media }: Form,
  body: MadeBody | Promise<MadeBody>,
): Answer | Promise<Answer> {
  const answer = (made: MadeBody): Answer => ({
    status,
    headers: { 'Content-Type': contentType(media) },
    body: made,
  })
  return body instanceof Promise ? body.then(answer) : answer(body)
}

function itemBody(item: Item, form: Form): Uint8Array | Promise<Uint8Array> {
  if (form.media.format === 'protobuf') return binaryItem(item, form)
  if (form.media.as !== undefined) return layOut(convertedItem(item, form), form.layout)
  if (isPlain(form.layout)) return form.lines.of(item)
  return layOut(textOf(item), form.layout)
}

/** One object as a table or as its metadata, as JSON text. */
export function convertedItem(item: Item, form: Form, headed = true): string {
  const apiVersion = metaVersion(form)
  if (form.media.as !== 'Table') return partialText(item, apiVersion)
  const { resourceVersion } = item.object().metadata
  const table = { ...form, apiVersion }
  return tableText(table, { resourceVersion }, rowsOf(table)([item]), headed)
}

function listBody(listed: Listed, form: Form): MadeBody | Promise<MadeBody> {
  const metadata = listMetadata(listed)
  if (form.media.format === 'protobuf') return binaryList(listed.items, metadata, form)
  if (form.media.as === 'Table') {
    return tableBody(listed.items, metadata, form)
  }
  if (form.media.as !== undefined) return partialBody(listed.items, metadata, form)
  const head = listHead(form.kind.listKind, apiVersionOf(form.kind), metadata)
  const { kind, layout, texts } = form
  if (isPlain(layout)) return joinList(head, listed, itemPrefix(kind), ']}\n', texts)
  return joinList(head, listed, itemPrefix(kind), ']}', texts).then((whole) => {
    const bytes = whole instanceof Uint8Array ? whole : Buffer.concat([...whole.pieces()])
    return layOut(Buffer.from(bytes).toString(), layout)
  })
}

function listMetadata({ resourceVersion, continue: token, remainingItemCount }: Listed): object {
  return {
    resourceVersion,
    ...(token && { continue: token }),
    ...(remainingItemCount && { remainingItemCount }),
  }
}

function listHead(kind: string, apiVersion: string, metadata: object): string {
  const start = JSON.stringify({ kind, apiVersion, metadata })
  return `${start.slice(0, -1)},"items":[`
}

async function tableBody(
  items: readonly Item[],
  metadata: object,
  form: Form,
): Promise<Uint8Array> {
  const table = { ...form, apiVersion: metaVersion(form) }
  const rows = await inTurns(items, rowsOf(table))
  return layOut(tableText(table, metadata, rows), form.layout)
}

async function partialBody(
  items: readonly Item[],
  metadata: object,
  form: Form,
): Promise<Uint8Array> {
  const apiVersion = metaVersion(form)
  const head = listHead('PartialObjectMetadataList', apiVersion, metadata)
  const texts = await inTurns(items, (some) => some.map((item) => partialText(item, apiVersion)))
  return layOut(`${head}${texts.join()}]}`, form.layout)
}

/** Items that are converted before others get their turn: a few milliseconds' work. */
const turnItems = 500

async function inTurns(
  items: readonly Item[],
  convert: (items: readonly Item[]) => readonly string[],
): Promise<readonly string[]> {
  const texts: string[] = []
  for (let at = 0; at < items.length; at += turnItems) {
    if (at > 0) await othersTurn()
    for (const text of convert(items.slice(at, at + turnItems))) texts.push(text)
  }
  return texts
}

/**
 * What every stored object of a kind begins with, and what the items of a list leave out. Those of a kind that was defined
 * at run time leave nothing out: the name of its list may say nothing of theirs.
 */
function itemPrefix(kind: Kind): string {
  if (kind.custom !== undefined) return ''
  return `${JSON.stringify({ kind: kind.kind, apiVersion: apiVersionOf(kind) }).slice(0, -1)},`
}

function metaVersion({ media }: Form): string {
  invariant(media.apiVersion !== undefined, 'a conversion has the version it was asked for in')
  return media.apiVersion
}

export function textOf({ bytes }: Item): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
}
