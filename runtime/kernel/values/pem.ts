/** PEM text: blocks of base64 between lines that say what they are. */

/** One block. */
export interface PemBlock {
  readonly type: string
  readonly der: Buffer
  /** True if lines of headers stand before the content. */
  readonly headed: boolean
  readonly text: string
}

const block = /-----BEGIN ([^-\n]{1,64})-----\r?\n([^-]*)-----END ([^-\n]{1,64})-----/g

/** The blocks of a text in order; what stands between them is passed over. */
export function pemBlocks(text: string): readonly PemBlock[] {
  return [...text.matchAll(block)].flatMap(([whole, type = '', content = '', end]) => {
    if (type !== end) return []
    const headed = content.includes(':')
    const body = headed ? content.slice(content.search(/\n\r?\n/) + 1) : content
    if (!/^[A-Za-z0-9+/=\s]*$/.test(body)) return []
    return [{ type, headed, der: Buffer.from(body, 'base64'), text: whole }]
  })
}

/** True for bytes that begin as every structure of X.509 and PKCS does. */
export function isDerSequence(der: Buffer): boolean {
  return der.length > 2 && der[0] === 0x30
}
