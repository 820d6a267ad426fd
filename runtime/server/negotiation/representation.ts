import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { Kind } from '../../kernel/descriptors/kind.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import type { Item, ListResult } from '../../registry/registry.ts'
import type { EncodedBody, EncodeOptions } from '../../serializer/serializer.ts'
import type { HttpResponse } from '../http/response.ts'
import type { NegotiatedMedia } from './media-types.ts'
import { includeObjectOf, rowsOf, type TableForm, tableText } from './table.ts'

/** How the objects of one request are written. */
export interface Representation extends EncodeOptions {
  readonly kind: Kind
  readonly media: NegotiatedMedia
  readonly pretty: boolean
  /** How much of its object a row of a table carries, in the words of the client. */
  readonly include: string | undefined
  /** Milliseconds since the epoch: what the ages in a table are counted to. */
  readonly now: number
}

/** The response with one object. */
export function itemResponse(
  status: number,
  item: Item,
  form: Representation,
): HttpResponse | Promise<HttpResponse> {
  return responseWith(status, form, itemBody(item, form))
}

/** The response with a list. */
export function listResponse(
  listed: ListResult,
  form: Representation,
): HttpResponse | Promise<HttpResponse> {
  return responseWith(200, form, listBody(listed, form))
}

/** Waits only where the body has to be made: stored bytes are there. */
function responseWith(
  status: number,
  { media: { mediaType } }: Representation,
  body: EncodedBody | Promise<EncodedBody>,
): HttpResponse | Promise<HttpResponse> {
  const response = (made: EncodedBody): HttpResponse => ({
    status,
    headers: { 'Content-Type': mediaType },
    body: made,
  })
  return body instanceof Promise ? body.then(response) : response(body)
}

function itemBody(item: Item, form: Representation): EncodedBody | Promise<EncodedBody> {
  const { media, pretty } = form
  if (media.as !== 'Table') return media.serializer.encodeItem(item, form)
  return media.serializer.encodeDocument(tableOfItem(item, form), pretty)
}

/** One object as a table, as JSON text. Later events of a watch leave the columns out: `headed` is false. */
export function tableOfItem(item: Item, form: Representation, headed = true): string {
  const table = tableFormOf(form)
  const { resourceVersion } = item.object().metadata
  return tableText(table, { resourceVersion }, rowsOf(table)([item]), headed)
}

function tableFormOf(form: Representation): TableForm {
  const { apiVersion } = form.media
  invariant(apiVersion !== undefined, 'a conversion has the version it was negotiated in')
  return { ...form, apiVersion, include: includeObjectOf(form.include) }
}

function listBody(listed: ListResult, form: Representation): EncodedBody | Promise<EncodedBody> {
  const metadata = listMetadata(listed)
  if (form.media.as === 'Table') return tableBody(listed, metadata, form)
  return form.media.serializer.encodeList(listed, metadata, form)
}

function listMetadata({
  resourceVersion,
  continue: token,
  remainingItemCount,
}: ListResult): object {
  return {
    ...(resourceVersion && { resourceVersion }),
    ...(token && { continue: token }),
    ...(remainingItemCount && { remainingItemCount }),
  }
}

/** Items that are converted before other work runs: a few milliseconds' worth. */
const sliceItems = 500

/** Of a list that is read in parts only the rows are kept. */
async function tableBody(
  { items, parts }: ListResult,
  metadata: object,
  form: Representation,
): Promise<Uint8Array> {
  const table = tableFormOf(form)
  const textsOf = rowsOf(table)
  const rows: string[] = []
  for await (const some of parts?.() ?? [items]) {
    for (let at = 0; at < some.length; at += sliceItems) {
      if (at > 0) await yieldToEventLoop()
      for (const row of textsOf(some.slice(at, at + sliceItems))) rows.push(row)
    }
  }
  return form.media.serializer.encodeDocument(tableText(table, metadata, rows), form.pretty)
}
