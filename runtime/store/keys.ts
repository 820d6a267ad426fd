const beyondSurrogates = /[\ud800-\uffff]/
const unstorable = /[\0\p{Surrogate}]/u

/** Orders keys by their UTF-8 bytes. UTF-16 order differs where surrogates meet code points above them, and only there. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0
  if (!beyondSurrogates.test(a) || !beyondSurrogates.test(b)) return a < b ? -1 : 1
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** The least text greater than every text that begins with `prefix`; none if there is no such text. */
export function prefixEnd(prefix: string): string | undefined {
  const points = [...prefix]
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const code = last.codePointAt(0) ?? 0
    if (code === 0x10ffff) continue
    return points.join('') + String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1)
  }
  return undefined
}

/** True for text that comes back from UTF-8 as it went in and that no C string cuts short. */
export function isKey(key: string): boolean {
  return !unstorable.test(key)
}
