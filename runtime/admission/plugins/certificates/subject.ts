/**
 * The subject of a PKCS#10 certificate request, read from its DER encoding: as much of ASN.1 as that takes, with every length
 * checked. A library for X.509 would be a hundred times as large as what is needed of it here (DECISIONS).
 */

/** One tag-length-value element, and the offset behind it. */
interface DerElement {
  readonly tag: number
  readonly content: Buffer
  readonly next: number
}

const [sequence, set, identifier, twoByte] = [0x30, 0x31, 0x06, 0x1e]
/** The attribute type organizationName, 2.5.4.10. */
const organization = Buffer.from([0x55, 0x04, 0x0a])

/** The organizations in the subject of a PEM-encoded request; undefined if it is not a certificate request. */
export function organizationsInRequest(pem: string): readonly string[] | undefined {
  const body = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([^-]*)-----END/.exec(pem)?.[1]
  const request = derElementAt(Buffer.from(body ?? '', 'base64'), 0)
  const info = request?.tag === sequence ? derElementAt(request.content, 0) : undefined
  const [, subject] = info?.tag === sequence ? derElements(info.content) : []
  if (subject?.tag !== sequence) return undefined
  return derElements(subject.content)
    .filter(({ tag }) => tag === set)
    .flatMap(({ content }) => derElements(content))
    .flatMap(({ content }) => {
      const [type, value] = derElements(content)
      const named = type?.tag === identifier && type.content.equals(organization)
      return named && value ? [decodeDerString(value)] : []
    })
}

/** The elements that the bytes consist of; none if one of them is malformed or incomplete. */
function derElements(bytes: Buffer): readonly DerElement[] {
  const parts: DerElement[] = []
  for (let at = 0; at < bytes.length; ) {
    const part = derElementAt(bytes, at)
    if (part === undefined) return []
    parts.push(part)
    at = part.next
  }
  return parts
}

/** The element at an offset; undefined if its length is indefinite, needs more than four bytes, or exceeds the bytes. */
function derElementAt(bytes: Buffer, at: number): DerElement | undefined {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined) return undefined
  const long = first < 0x80 ? 0 : first - 0x80
  if (long > 4 || at + 2 + long > bytes.length) return undefined
  const length = long === 0 ? (first < 0x80 ? first : 0) : bytes.readUIntBE(at + 2, long)
  const start = at + 2 + long
  if (start + length > bytes.length) return undefined
  return { tag, content: bytes.subarray(start, start + length), next: start + length }
}

/** Decodes UTF8String, PrintableString and other single-byte strings, and BMPString; a trailing half character is dropped. */
function decodeDerString({ tag, content }: DerElement): string {
  if (tag !== twoByte) return content.toString('utf8')
  const whole = content.subarray(0, content.length - (content.length % 2))
  return Buffer.from(whole).swap16().toString('utf16le')
}
