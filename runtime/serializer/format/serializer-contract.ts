/**
 * What a wire format is. Each lives in one folder of this module and is listed in `serializers.ts`; a server chooses one by
 * its media types and makes no difference by its name.
 *
 *  1. Stored objects come as their canonical JSON. A format that sends JSON hands out those bytes without reading them.
 *  2. Bodies are limited in size before they get here; `decode` bounds what is in them and never throws anything but a
 *     StatusError for what a client sent.
 *  3. A call that may take more than a few milliseconds returns a promise and lets other work run in between.
 */
import type { Awaitable } from '../../kernel/async/awaitable.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { DecodeLimits } from './decode-limits.ts'
import type { Decoded } from './decoded.ts'

/** The kind of an object and the version it is written in. */
export interface ObjectType {
  readonly apiVersion: string
  readonly kind: string
}

/** A stored object. Encoders remember what they made of it by its identity. */
export interface StoredItem {
  /** Canonical JSON, as `encodeJson` wrote it. */
  readonly bytes: Uint8Array
}

/** The bytes of an object as a store keeps them. They need not have the resourceVersion yet that their revision gives them. */
export interface StoredValue {
  readonly value: Uint8Array
  readonly revision: number
}

/**
 * The items of a list. `runs` are the same objects in groups that other lists share, if the list has such groups: who writes those looks
 * at no item, so that a long list need not have one for each object.
 */
export interface StoredList {
  readonly items: readonly StoredItem[]
  readonly runs?: readonly (readonly StoredValue[])[] | undefined
  /**
   * All of the list in its order, where it is read from a database while it is used: then `items` are only the first of them. Each call reads anew,
   * and gives the same.
   */
  readonly parts?: (() => AsyncIterable<readonly StoredItem[]>) | undefined
}

/** A body of known length, in bytes, that is made piece by piece while it is sent. */
export interface SegmentedBody {
  readonly length: number
  /** The pieces may be in the memory that is given, so that they last only as long as that says. */
  readonly segments: (memory?: PieceMemory) => Iterable<Uint8Array>
}

/** Memory that the pieces of a body are made in, again and again. */
export interface PieceMemory {
  /** Bytes that are free. */
  take(length: number): Buffer
}

/** A body that is made while it is sent, so that its length is not known before. What it fails with ends the response where it stands. */
export interface StreamedBody {
  readonly pieces: () => AsyncIterable<Uint8Array>
  readonly length?: undefined
}

/** A body as bytes, in segments if it is long, or made piece by piece if it is not in memory. */
export type EncodedBody = Uint8Array | SegmentedBody | StreamedBody

/** How objects of one request are written. */
export interface EncodeOptions {
  /** The kind of the objects, in the version that is served. */
  readonly kind: AnyKind
  /** Writes PartialObjectMetadata of this version (`meta.orch.io/v1`) in place of whole objects. */
  readonly partial?: string | undefined
  /** Indents for people, where the format knows a difference. */
  readonly pretty?: boolean | undefined
}

/** How a body is decoded. */
export interface DecodeOptions {
  /** Without it, the defaults. */
  readonly limits?: DecodeLimits | undefined
  /** The type that a body has if it names none. */
  readonly expected: ObjectType
  /** The body is an object of the expected kind whatever version it names. */
  readonly anyVersion?: boolean
}

/** Writes the events of one watch. */
export interface EventEncoder {
  /** An event about a stored object; never empty. */
  encodeEvent(type: string, item: StoredItem): Uint8Array
  /** An event about an object that is not stored (a Status, a Table), given as compact JSON. */
  encodeDocumentEvent(type: string, json: string): Uint8Array
}

/** A wire format: `json`, `yaml`, `protobuf`. */
export interface Serializer {
  readonly name: string
  /** Its media types in lower case; errors that list accepted types name the first one. */
  readonly mediaTypes: readonly string[]
  /** True if it can carry a Table, which has cells of any JSON type. */
  readonly carriesTables: boolean
  /** The parameter that a watch adds to the media type (`;stream=watch`); undefined if events cannot be streamed. */
  readonly streamParameter: string | undefined
  /** True if objects of the kind can be written and read. */
  supports(kind: AnyKind): boolean
  /** A body as a JSON value. Fails with BadRequest, RequestEntityTooLarge or TooManyRequests. */
  decode(bytes: Uint8Array, options: DecodeOptions): Awaitable<Decoded>
  /** A document that is not stored, given as compact JSON. */
  encodeDocument(json: string, pretty?: boolean): Awaitable<Uint8Array>
  /** One stored object. Fails with NotAcceptable if it has no such form. */
  encodeItem(item: StoredItem, options: EncodeOptions): Awaitable<Uint8Array>
  /** A list of stored objects of one kind, with the `metadata` of the list. */
  encodeList(list: StoredList, metadata: object, options: EncodeOptions): Awaitable<EncodedBody>
  /** What writes the events of one watch. Its bytes for whole objects are the same for every watch. */
  eventEncoder(options: EncodeOptions): Awaitable<EventEncoder>
}
