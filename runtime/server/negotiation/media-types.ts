import { invariant } from '../../kernel/errors/invariant.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { Serializer } from '../../serializer/serializer.ts'

/** What an answer is turned into before it is written. */
export type Conversion = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'

/** The form that a client gets. `apiVersion` is the version of the meta group in which it wants a conversion. */
export interface NegotiatedMedia {
  readonly serializer: Serializer
  /** The one of the serializer's media types that the client named. */
  readonly mediaType: string
  readonly as?: Conversion
  readonly apiVersion?: string
}

/** What can be offered for one request; the conversions a request's shape has no use for are `refused`. */
export interface Offer {
  /** Only formats that events can be streamed in. */
  readonly streams?: boolean
  readonly conversions: readonly Conversion[]
  readonly refused: readonly Conversion[]
}

export const offers = {
  /** Documents that are no API objects in the sense of conversions: discovery, Status. */
  plain: { conversions: [], refused: [] },
  item: {
    conversions: ['Table', 'PartialObjectMetadata'],
    refused: ['PartialObjectMetadataList'],
  },
  list: {
    conversions: ['Table', 'PartialObjectMetadataList'],
    refused: ['PartialObjectMetadata'],
  },
  watch: {
    streams: true,
    conversions: ['Table', 'PartialObjectMetadata'],
    refused: ['PartialObjectMetadataList'],
  },
} as const satisfies Record<string, Offer>

/** The default form: the first serializer's. */
export function defaultMedia([serializer]: readonly Serializer[]): NegotiatedMedia {
  invariant(serializer?.mediaTypes[0] !== undefined, 'a server has a serializer')
  return { serializer, mediaType: serializer.mediaTypes[0] }
}

interface AcceptEntry {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly quality: number
}

/** The entries of an Accept header, the most wanted first; of equally wanted ones, the first. */
export function parseAccept(accept: string): readonly AcceptEntry[] {
  return accept
    .split(',')
    .map(parseEntry)
    .filter(({ type, quality }) => type !== '' && quality > 0)
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
  return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality }
}

/**
 * Chooses the form of a response: the most wanted entry of `accept` that one of `serializers` can write. An unknown
 * conversion is passed over; one that is refused for this request, or no acceptable entry at all, fails NotAcceptable.
 * `metaGroups` are the names of the meta group that clients may ask for conversions by: our own and the public one.
 */
export function negotiate(
  accept: string | undefined,
  offer: Offer,
  serializers: readonly Serializer[],
  metaGroups: readonly string[] = [],
): NegotiatedMedia {
  const first = defaultMedia(serializers)
  if (!accept || accept === '*/*' || accept === first.mediaType) return first
  const offered = serializers.filter(
    ({ streamParameter }) => !offer.streams || streamParameter !== undefined,
  )
  for (const entry of parseAccept(accept)) {
    const media = mediaOf(entry.type, offered)
    if (media === undefined) continue
    const as = entry.parameters.get('as')
    if (as === undefined) return media
    if (as === 'Table' && !media.serializer.carriesTables) continue
    const apiVersion = conversionVersion(entry, metaGroups)
    if (apiVersion === undefined) continue
    const known = offer.conversions.find((one) => one === as)
    if (known !== undefined) return { ...media, as: known, apiVersion }
    if (offer.refused.some((one) => one === as)) {
      throw notAcceptable(offered, ` when converting to ${apiVersion}, Kind=${as}`)
    }
  }
  throw notAcceptable(offered)
}

const conversionVersions: ReadonlySet<string> = new Set(['v1', 'v1beta1'])

/** The group version that an entry asks for a conversion in; undefined if conversions are not written in it. */
function conversionVersion(
  { parameters }: AcceptEntry,
  groups: readonly string[],
): string | undefined {
  const [group = '', version = ''] = [parameters.get('g'), parameters.get('v')]
  return groups.includes(group) && conversionVersions.has(version)
    ? `${group}/${version}`
    : undefined
}

function mediaOf(type: string, offered: readonly Serializer[]): NegotiatedMedia | undefined {
  if (type === '*/*' || type === 'application/*') return defaultMedia(offered)
  const serializer = offered.find(({ mediaTypes }) => mediaTypes.includes(type))
  return serializer && { serializer, mediaType: type }
}

function notAcceptable(offered: readonly Serializer[], target = ''): StatusError {
  return new StatusError(
    'NotAcceptable',
    `only the following media types are accepted${target}: ${mainTypes(offered).join(', ')}`,
  )
}

/** The media type of each serializer that clients are told of. */
export function mainTypes(serializers: readonly Serializer[]): readonly string[] {
  return serializers.flatMap(({ mediaTypes }) => mediaTypes.slice(0, 1))
}

/** The base type of a Content-Type header without its parameters; JSON if there is none. */
export function bodyType(header: string | undefined): string {
  const type = header?.split(';', 1)[0]?.trim().toLowerCase()
  return type === undefined || type === '' ? 'application/json' : type
}

/** Refuses the type of a body, naming those that would do. */
export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  return new StatusError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )
}
