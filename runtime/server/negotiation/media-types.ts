import { invariant } from '../../kernel/errors/invariant.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { Serializer } from '../../serializer/serializer.ts'

/** What objects are turned into before they are written, by the parameter `as` of an Accept header. */
export type Conversion = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'

/** The form in which a client gets its response. */
export interface NegotiatedMedia {
  readonly serializer: Serializer
  /** The one of the serializer's media types that the client named. */
  readonly mediaType: string
  readonly as?: Conversion
  /** The version of the meta group that a conversion is written in; set with `as`. */
  readonly apiVersion?: string
  /** Indented, as the parameter `pretty=1` of the media type asks for. */
  readonly pretty?: true
}

/** What one endpoint offers. */
export interface Offer {
  readonly conversions: readonly Conversion[]
  /** Conversions that make no sense for what the endpoint sends: naming one is an error, where an unknown one is passed over. */
  readonly refused: readonly Conversion[]
}

/** The offers of all endpoints. */
export const offers = {
  /** Documents that cannot be converted: discovery, Status. */
  plain: { conversions: [], refused: [] },
  item: {
    conversions: ['Table', 'PartialObjectMetadata'],
    refused: ['PartialObjectMetadataList'],
  },
  /** An object of a kind that has no table: a request for one is passed over. */
  withoutTable: {
    conversions: ['PartialObjectMetadata'],
    refused: ['PartialObjectMetadataList'],
  },
  /** What was done: mostly a Status, which is sent as it is. */
  action: {
    conversions: ['PartialObjectMetadata', 'PartialObjectMetadataList'],
    refused: [],
  },
  list: {
    conversions: ['Table', 'PartialObjectMetadataList'],
    refused: ['PartialObjectMetadata'],
  },
  watch: {
    conversions: ['Table', 'PartialObjectMetadata'],
    refused: ['PartialObjectMetadataList'],
  },
} as const satisfies Record<string, Offer>

/** The form for a client that has no preference: the first serializer's. */
export function defaultMedia([serializer]: readonly Serializer[]): NegotiatedMedia {
  invariant(serializer?.mediaTypes[0] !== undefined, 'a server has a serializer')
  return { serializer, mediaType: serializer.mediaTypes[0] }
}

/** One media range of an Accept header. */
interface AcceptEntry {
  /** In lower case, without parameters. */
  readonly type: string
  /** By name in lower case; values as they are. */
  readonly parameters: ReadonlyMap<string, string>
  /** From 0 to 1. */
  readonly quality: number
}

/**
 * The entries of an Accept header by falling quality, in their own order where it is the same. One of quality 0 is the last resort,
 * as public servers take it, and not refused.
 */
export function parseAccept(accept: string): readonly AcceptEntry[] {
  return accept
    .split(',')
    .map(parseEntry)
    .filter(({ type }) => type !== '')
    .sort((a, b) => b.quality - a.quality)
}

function parseEntry(text: string): AcceptEntry {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim())
  const parameters = new Map(
    rest.map((part) => {
      const equals = part.indexOf('=')
      return [part.slice(0, equals).trim().toLowerCase(), part.slice(equals + 1).trim()]
    }),
  )
  const quality = Number(parameters.get('q') ?? 1)
  return { type, parameters, quality: Number.isNaN(quality) ? 0 : quality }
}

/**
 * Chooses the form of a response: the best entry of `accept` that one of `serializers` can write. Entries with an unknown
 * conversion are passed over. `metaGroups` are the names of the meta group in which clients may request conversions: the
 * platform's own and the public one.
 *
 * @throws StatusError NotAcceptable for a conversion that the endpoint refuses, or if no entry is left.
 */
export function negotiate(
  accept: string | undefined,
  offer: Offer,
  serializers: readonly Serializer[],
  metaGroups: readonly string[] = [],
): NegotiatedMedia {
  const first = defaultMedia(serializers)
  if (!accept || accept === '*/*' || accept === first.mediaType) return first
  for (const entry of parseAccept(accept)) {
    const media = mediaOf(entry.type, serializers, entry.parameters)
    if (media === undefined) continue
    const as = entry.parameters.get('as')
    if (as === undefined) return media
    if (as === 'Table' && !media.serializer.carriesTables) continue
    const apiVersion = conversionVersion(entry, metaGroups)
    if (apiVersion === undefined) continue
    const known = offer.conversions.find((one) => one === as)
    if (known !== undefined) return { ...media, as: known, apiVersion }
    if (offer.refused.some((one) => one === as)) {
      throw notAcceptable(mainTypes(serializers), ` when converting to ${apiVersion}, Kind=${as}`)
    }
  }
  throw notAcceptable(mainTypes(serializers))
}

const conversionVersions: ReadonlySet<string> = new Set(['v1', 'v1beta1'])

/** The group version that an entry requests a conversion in; undefined if conversions are not written in it. */
function conversionVersion(
  { parameters }: AcceptEntry,
  groups: readonly string[],
): string | undefined {
  const [group = '', version = ''] = [parameters.get('g'), parameters.get('v')]
  return groups.includes(group) && conversionVersions.has(version)
    ? `${group}/${version}`
    : undefined
}

/** The format of a media type; wildcards take the first that is offered. */
export function mediaOf(
  type: string,
  offered: readonly Serializer[],
  parameters: ReadonlyMap<string, string> = new Map(),
): NegotiatedMedia | undefined {
  const pretty = parameters.get('pretty') === '1' && { pretty: true as const }
  if (type === '*/*' || type === 'application/*') return { ...defaultMedia(offered), ...pretty }
  const serializer = offered.find(({ mediaTypes }) => mediaTypes.includes(type))
  return serializer && { serializer, mediaType: type, ...pretty }
}

function notAcceptable(types: readonly string[], target = ''): StatusError {
  return new StatusError(
    'NotAcceptable',
    `only the following media types are accepted${target}: ${types.join(', ')}`,
  )
}

/** @throws StatusError NotAcceptable for a form that events cannot be streamed in. */
export function checkStreams(
  { serializer }: NegotiatedMedia,
  serializers: readonly Serializer[],
): void {
  if (serializer.streamParameter === undefined) throw notAcceptable(streamTypes(serializers))
}

/** The first media type of each serializer: those that errors name. */
export function mainTypes(serializers: readonly Serializer[]): readonly string[] {
  return serializers.flatMap(({ mediaTypes }) => mediaTypes.slice(0, 1))
}

/** The media types of streams, those that errors of watches name. */
export function streamTypes(serializers: readonly Serializer[]): readonly string[] {
  return serializers.flatMap(({ mediaTypes: [type], streamParameter }) =>
    streamParameter === undefined ? [] : [`${type};stream=watch`],
  )
}

/** The media type of a Content-Type header in lower case, without its parameters; JSON if there is none. */
export function bodyType(header: string | undefined): string {
  const type = header?.split(';', 1)[0]?.trim().toLowerCase()
  return type === undefined || type === '' ? 'application/json' : type
}

/** The refusal of a body's media type; it names those that are accepted. */
export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  return new StatusError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )
}
