import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import type { Item, ListResult } from '../../registry/registry.ts'
import type { HttpResponse, SegmentedBody } from '../http/message.ts'
import { GenerationalCache } from './generational-cache.ts'
import { applyLayout, isPlain, type Layout } from './layout.ts'
import { joinListBody, type ListTextCache } from './list-text.ts'
import { contentType, type NegotiatedMedia } from './media-types.ts'
import { type ProtobufFormat, protobufItem, protobufList } from './protobuf.ts'
import { type IncludeObject, partialText, rowsOf, tableText } from './table.ts'

/** How the objects of one request are written. */
export interface Representation {
  readonly kind: Kind
  readonly media: NegotiatedMedia
  readonly layout: Layout
  readonly include: IncludeObject
  readonly now: number
  readonly recentBodies: RecentBodies
  readonly listTexts: ListTextCache
  /** The protobuf form of the kind, if it has one. */
  readonly protobuf: ProtobufFormat | undefined
}

/** How many bytes of bodies are kept for the next request for the same objects. */
const keptLines = 8 * 1024 * 1024

/** Bodies of objects that were asked for lately: their bytes and a final newline. */
export type RecentBodies = GenerationalCache<Item, Uint8Array>

export function recentBodies(): RecentBodies {
  return new GenerationalCache<Item, Uint8Array>(
    keptLines,
    (line) => line.length,
    ({ bytes }) => Buffer.concat([bytes, newline]),
  )
}

const newline = Buffer.from('\n')

/** Answers with one object. */
export function itemResponse(
  status: number,
  item: Item,
  form: Representation,
): HttpResponse | Promise<HttpResponse> {
  return responseWith(status, form, itemBody(item, form))
}

/** Answers with a list. */
export function listResponse(
  listed: ListResult,
  form: Representation,
): HttpResponse | Promise<HttpResponse> {
  return responseWith(200, form, listBody(listed, form))
}

type EncodedBody = Uint8Array | SegmentedBody

/** Waits only where the body has to be: stored bytes are there. */
function responseWith(
  status: number,
  { media }: Representation,
  body: EncodedBody | Promise<EncodedBody>,
): HttpResponse | Promise<HttpResponse> {
  const answer = (made: EncodedBody): HttpResponse => ({
    status,
    headers: { 'Content-Type': contentType(media) },
    body: made,
  })
  return body instanceof Promise ? body.then(answer) : answer(body)
}

function itemBody(item: Item, form: Representation): Uint8Array | Promise<Uint8Array> {
  if (form.media.format === 'protobuf') return protobufItem(item, form)
  if (form.media.as !== undefined) return applyLayout(convertedItem(item, form), form.layout)
  if (isPlain(form.layout)) return form.recentBodies.get(item)
  return applyLayout(itemText(item), form.layout)
}

/** One object as a table or as its metadata, as JSON text. */
export function convertedItem(item: Item, form: Representation, headed = true): string {
  const apiVersion = metaVersion(form)
  if (form.media.as !== 'Table') return partialText(item, apiVersion)
  const { resourceVersion } = item.object().metadata
  const table = { ...form, apiVersion }
  return tableText(table, { resourceVersion }, rowsOf(table)([item]), headed)
}

function listBody(listed: ListResult, form: Representation): EncodedBody | Promise<EncodedBody> {
  const metadata = listMetadata(listed)
  if (form.media.format === 'protobuf') return protobufList(listed.items, metadata, form)
  if (form.media.as === 'Table') {
    return tableBody(listed.items, metadata, form)
  }
  if (form.media.as !== undefined) return partialBody(listed.items, metadata, form)
  const head = listHead(form.kind.listKind, apiVersionOf(form.kind), metadata)
  const { kind, layout, listTexts: texts } = form
  if (isPlain(layout)) return joinListBody(head, listed, itemPrefix(kind), ']}\n', texts)
  return joinListBody(head, listed, itemPrefix(kind), ']}', texts).then((whole) => {
    const bytes = whole instanceof Uint8Array ? whole : Buffer.concat([...whole.segments()])
    return applyLayout(Buffer.from(bytes).toString(), layout)
  })
}

function listMetadata({
  resourceVersion,
  continue: token,
  remainingItemCount,
}: ListResult): object {
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
  form: Representation,
): Promise<Uint8Array> {
  const table = { ...form, apiVersion: metaVersion(form) }
  const rows = await convertInSlices(items, rowsOf(table))
  return applyLayout(tableText(table, metadata, rows), form.layout)
}

async function partialBody(
  items: readonly Item[],
  metadata: object,
  form: Representation,
): Promise<Uint8Array> {
  const apiVersion = metaVersion(form)
  const head = listHead('PartialObjectMetadataList', apiVersion, metadata)
  const texts = await convertInSlices(items, (some) =>
    some.map((item) => partialText(item, apiVersion)),
  )
  return applyLayout(`${head}${texts.join()}]}`, form.layout)
}

/** Items that are converted before others get their turn: a few milliseconds' work. */
const sliceItems = 500

async function convertInSlices(
  items: readonly Item[],
  convert: (items: readonly Item[]) => readonly string[],
): Promise<readonly string[]> {
  const texts: string[] = []
  for (let at = 0; at < items.length; at += sliceItems) {
    if (at > 0) await yieldToEventLoop()
    for (const text of convert(items.slice(at, at + sliceItems))) texts.push(text)
  }
  return texts
}

/**
 * What every stored object of a kind begins with, and what the items of a list leave out. Those of a kind that was defined
 * at run time leave nothing out: the name of its list may say nothing of theirs.
 */
function itemPrefix(kind: Kind): string {
  if (kind.customResource !== undefined) return ''
  return `${JSON.stringify({ kind: kind.kind, apiVersion: apiVersionOf(kind) }).slice(0, -1)},`
}

function metaVersion({ media }: Representation): string {
  invariant(media.apiVersion !== undefined, 'a conversion has the version it was asked for in')
  return media.apiVersion
}

export function itemText({ bytes }: Item): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
}
