import { parseTrustedJson } from '../../serializer/serializer.ts'
import { type HttpRequest, headerOf } from '../http/message.ts'
import type { Query } from '../request/query.ts'
import type { NegotiatedMedia } from './media-types.ts'

/** How a JSON text is laid out for the one who asked. */
export interface Layout {
  readonly format: NegotiatedMedia['format']
  readonly pretty: boolean
}

const humanAgents = /^(curl|Wget|Mozilla\/5\.0)/
const truthy: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])

/** Indents for people: when `pretty` says so or, without it, when a browser or a download tool asks. */
export function layoutOf(media: NegotiatedMedia, request: HttpRequest, query: Query): Layout {
  const asked = query.text('pretty')
  const pretty = asked ? truthy.has(asked) : humanAgents.test(headerOf(request, 'user-agent') ?? '')
  return { format: media.format, pretty }
}

/** True if stored bytes can be sent as they are. */
export function isPlain({ format, pretty }: Layout): boolean {
  return format === 'json' && !pretty
}

/** A compact JSON text in its layout, with a final newline. */
export async function applyLayout(json: string, { format, pretty }: Layout): Promise<Uint8Array> {
  if (format === 'yaml') return Buffer.from(await yamlText(json))
  return Buffer.from(`${pretty ? indent(json) : json}\n`)
}

/** Block YAML: keys sorted, two spaces, lists not indented, strings quoted wherever YAML 1.1 would read something else. */
async function yamlText(json: string): Promise<string> {
  const { stringify } = await import('yaml')
  return stringify(parseTrustedJson(Buffer.from(json)), {
    version: '1.1',
    sortMapEntries: true,
    indentSeq: false,
    lineWidth: 0,
    aliasDuplicateObjects: false,
  })
}

/** Indents a compact JSON text by two spaces. It looks at characters only, so numbers keep every digit. */
export function indent(json: string): string {
  const out: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < json.length; at++) {
    const char = json[at] as string
    if (char === '"') {
      at = endOfString(json, at)
    } else if (char === '{' || char === '[') {
      if (json[at + 1] === '}' || json[at + 1] === ']') {
        at++
        continue
      }
      depth++
      out.push(json.slice(from, at + 1), newline(depth))
      from = at + 1
    } else if (char === '}' || char === ']') {
      depth--
      out.push(json.slice(from, at), newline(depth))
      from = at
    } else if (char === ',') {
      out.push(json.slice(from, at + 1), newline(depth))
      from = at + 1
    } else if (char === ':') {
      out.push(json.slice(from, at + 1), ' ')
      from = at + 1
    }
  }
  out.push(json.slice(from))
  return out.join('')
}

function newline(depth: number): string {
  return `\n${'  '.repeat(depth)}`
}

function endOfString(json: string, start: number): number {
  let at = start + 1
  while (json[at] !== '"' && at < json.length) at += json[at] === '\\' ? 2 : 1
  return at
}
