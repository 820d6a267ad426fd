/** The subject of a PKCS#10 request, read from its DER form: as much of ASN.1 as that needs, and every length checked. */

interface Part {
  readonly tag: number
  readonly content: Buffer
  readonly next: number
}

const [sequence, set, identifier, twoByte] = [0x30, 0x31, 0x06, 0x1e]
/** 2.5.4.10: the name of an organization. */
const organization = Buffer.from([0x55, 0x04, 0x0a])

/** The organizations that a request in PEM form names; undefined for what is no request. */
export function organizationsOf(pem: string): readonly string[] | undefined {
  const body = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([^-]*)-----END/.exec(pem)?.[1]
  const request = partAt(Buffer.from(body ?? '', 'base64'), 0)
  const info = request?.tag === sequence ? partAt(request.content, 0) : undefined
  const [, subject] = info?.tag === sequence ? partsOf(info.content) : []
  if (subject?.tag !== sequence) return undefined
  return partsOf(subject.content)
    .filter(({ tag }) => tag === set)
    .flatMap(({ content }) => partsOf(content))
    .flatMap(({ content }) => {
      const [type, value] = partsOf(content)
      const named = type?.tag === identifier && type.content.equals(organization)
      return named && value ? [textOf(value)] : []
    })
}

function partsOf(bytes: Buffer): readonly Part[] {
  const parts: Part[] = []
  for (let at = 0; at < bytes.length; ) {
    const part = partAt(bytes, at)
    if (part === undefined) return []
    parts.push(part)
    at = part.next
  }
  return parts
}

function partAt(bytes: Buffer, at: number): Part | undefined {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined) return undefined
  const long = first < 0x80 ? 0 : first - 0x80
  if (long > 4 || at + 2 + long > bytes.length) return undefined
  const length = long === 0 ? (first < 0x80 ? first : 0) : bytes.readUIntBE(at + 2, long)
  const start = at + 2 + long
  if (start + length > bytes.length) return undefined
  return { tag, content: bytes.subarray(start, start + length), next: start + length }
}

/** UTF-8, printable and other single-byte texts, and the two-byte one, of which half a character counts for nothing. */
function textOf({ tag, content }: Part): string {
  if (tag !== twoByte) return content.toString('utf8')
  const whole = content.subarray(0, content.length - (content.length % 2))
  return Buffer.from(whole).swap16().toString('utf16le')
}
