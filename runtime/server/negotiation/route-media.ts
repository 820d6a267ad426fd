import type { Verb } from '../../kernel/descriptors/kind.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { Serializer } from '../../serializer/serializer.ts'
import { type HttpRequest, headerOf } from '../http/request.ts'
import { mainTypes, streamTypes } from './media-types.ts'

/** What a route has been found to take and give. */
export interface RouteMedia {
  readonly verb: Verb
  /** The formats of its answers. */
  readonly serializers: readonly Serializer[]
  /** The media types that its body may have; undefined if any may come, for its handler to judge. */
  readonly bodies?: readonly string[]
}

/**
 * Refuses, before a request is read, media types that no route of a built-in kind has: types are compared as they are written,
 * and of wildcards only the one for everything is known. What passes is negotiated by the verb.
 *
 * @throws StatusError UnsupportedMediaType, NotAcceptable with the forms that there are, in the words of public servers.
 */
export function checkRouteMedia(
  request: HttpRequest,
  { verb, serializers, bodies }: RouteMedia,
): void {
  const taken = bodies === undefined || matches(headerOf(request, 'content-type'), bodies)
  if (!taken && Number(headerOf(request, 'content-length') ?? 0) > 0)
    throw refused('UnsupportedMediaType', '415: Unsupported Media Type')
  const accept = headerOf(request, 'accept')
  if (taken && (!accept || accept === '*/*')) return
  const types = serializers.flatMap(({ mediaTypes }) => mediaTypes)
  if (taken && matches(accept, ['*/*', ...types])) return
  const available = `Available representations: ${taken ? given(verb, serializers).join(', ') : ''}`
  const writes = verb === 'create' || verb === 'update' || verb === 'patch'
  throw writes && headerOf(request, 'content-length') === undefined
    ? refused('UnsupportedMediaType', `415: Unsupported Media Type\n\n${available}`)
    : refused('NotAcceptable', `406: Not Acceptable\n\n${available}`)
}

function matches(header: string | undefined, types: readonly string[]): boolean {
  return (header ?? '')
    .split(',')
    .map((entry) => entry.split(';', 1)[0]?.trim() ?? '')
    .some((type) => types.includes(type))
}

/** The forms of answers; what can be watched is given as a stream, too. */
function given(verb: Verb, serializers: readonly Serializer[]): readonly string[] {
  const plain = mainTypes(serializers)
  if (verb !== 'list' && verb !== 'watch') return plain
  return [...plain, ...streamTypes(serializers)]
}

function refused(reason: 'UnsupportedMediaType' | 'NotAcceptable', message: string): StatusError {
  return new StatusError(reason, message, { details: {} })
}
