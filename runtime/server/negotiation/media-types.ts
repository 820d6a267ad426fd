import { StatusError } from '../../kernel/errors/status-error.ts'

/** What an answer is turned into before it is written. */
export type Conversion = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList'

/** The form that a client gets. `apiVersion` is the one of the machinery's group that a conversion was asked for in. */
export interface NegotiatedMedia {
  readonly format: 'json' | 'yaml' | 'protobuf'
  /** The media type, where the format has several names. */
  readonly type?: string
  readonly as?: Conversion
  readonly apiVersion?: string
}

type TextFormat = Exclude<NegotiatedMedia['format'], 'protobuf'>

/** What can be offered for one request; the conversions a request's shape has no use for are `refused`. */
export interface Offer {
  readonly formats: readonly TextFormat[]
  /** The media types of the protobuf form, where there is one. */
  readonly binary?: readonly string[]
  readonly conversions: readonly Conversion[]
  readonly refused: readonly Conversion[]
}

const both = ['json', 'yaml'] as const

export const offers = {
  /** Documents that are no API objects in the sense of conversions: discovery, Status. */
  plain: { formats: both, conversions: [], refused: [] },
  item: {
    formats: both,
    conversions: ['Table', 'PartialObjectMetadata'],
    refused: ['PartialObjectMetadataList'],
  },
  list: {
    formats: both,
    conversions: ['Table', 'PartialObjectMetadataList'],
    refused: ['PartialObjectMetadata'],
  },
  watch: {
    formats: ['json'],
    conversions: ['Table', 'PartialObjectMetadata'],
    refused: ['PartialObjectMetadataList'],
  },
} as const satisfies Record<string, Offer>

export const plainJson: NegotiatedMedia = { format: 'json' }

const types: Readonly<Record<TextFormat, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
}

export function contentType({ format, type }: NegotiatedMedia): string {
  return format === 'protobuf' ? (type ?? '') : types[format]
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
 * Chooses the form of an answer: the most wanted entry of `accept` that can be offered. An unknown conversion is passed
 * over; one that is refused for this request, or no acceptable entry at all, fails NotAcceptable. `metaGroups` are the
 * names under which clients may ask for conversions: our own and the public ecosystem's. `binary` are the media types of
 * the protobuf form, where the kind has one.
 */
export function negotiate(
  accept: string | undefined,
  offer: Offer,
  metaGroups: readonly string[] = [],
  binary = offer.binary,
): NegotiatedMedia {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === types.json) {
    return plainJson
  }
  return negotiated(accept, binary === undefined ? offer : { ...offer, binary }, metaGroups)
}

function negotiated(accept: string, offer: Offer, metaGroups: readonly string[]): NegotiatedMedia {
  for (const entry of parseAccept(accept)) {
    const form = formOf(entry.type, offer)
    if (form === undefined) continue
    const as = entry.parameters.get('as')
    if (as === undefined) return form
    if (as === 'Table' && form.format === 'protobuf') continue
    const apiVersion = conversionVersion(entry, metaGroups)
    if (apiVersion === undefined) continue
    const known = offer.conversions.find((one) => one === as)
    if (known !== undefined) return { ...form, as: known, apiVersion }
    if (offer.refused.some((one) => one === as)) {
      throw notAcceptable(offer, ` when converting to ${apiVersion}, Kind=${as}`)
    }
  }
  throw notAcceptable(offer)
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

function formOf(type: string, { formats, binary }: Offer): NegotiatedMedia | undefined {
  if (type === '*/*' || type === 'application/*') return plainJson
  const format = formats.find((one) => types[one] === type)
  if (format !== undefined) return { format }
  return binary?.includes(type) ? { format: 'protobuf', type } : undefined
}

function notAcceptable({ formats, binary = [] }: Offer, target = ''): StatusError {
  const list = [...formats.map((format) => types[format]), ...binary.slice(0, 1)].join(', ')
  return new StatusError(
    'NotAcceptable',
    `only the following media types are accepted${target}: ${list}`,
  )
}

/** The base type of a Content-Type header without its parameters; JSON if there is none. */
export function bodyType(header: string | undefined): string {
  const type = header?.split(';', 1)[0]?.trim().toLowerCase()
  return type === undefined || type === '' ? types.json : type
}

/** Refuses the type of a body, naming those that would do. */
export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  return new StatusError(
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  )
}
