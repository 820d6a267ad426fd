/** Bytes of a new buffer. */
const startSize = 64 * 1024
/** Bytes. A buffer that grew beyond this is dropped after use. */
const keptSize = 1024 * 1024

/**
 * Writes the wire format of protobuf backwards, from the end of a message to its start: the length of a nested message
 * stands before it and is known by then, so one pass does without computing sizes first. Of two calls, what the later one
 * writes stands first.
 */
export class WireWriter {
  #bytes = Buffer.allocUnsafeSlow(startSize)
  #at = startSize

  /** Bytes written so far. */
  get size(): number {
    return this.#bytes.length - this.#at
  }

  /** A copy of what was written; the writer is empty again. */
  take(): Buffer {
    const result = Buffer.from(this.#bytes.subarray(this.#at))
    this.reset()
    return result
  }

  /** Drops what was written. */
  reset(): void {
    if (this.#bytes.length > keptSize) this.#bytes = Buffer.allocUnsafeSlow(startSize)
    this.#at = this.#bytes.length
  }

  /** Writes one byte, 0 to 255. */
  byte(value: number): void {
    if (this.#at < 1) this.#grow(1)
    this.#bytes[--this.#at] = value
  }

  /** Writes an unsigned integer of up to 53 bits. */
  varint(value: number): void {
    if (value < 0x80) this.byte(value)
    else this.#longVarint(value)
  }

  /** Seven bits in each byte, the lowest first, by arithmetic that is exact up to 53 bits. */
  #longVarint(value: number): void {
    let size = 2
    for (let rest = value; rest >= 0x4000; rest /= 0x80) size++
    if (this.#at < size) this.#grow(size)
    this.#at -= size
    let at = this.#at
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[at++] = (rest % 0x80) | 0x80
    this.#bytes[at] = rest
  }

  /** Writes a signed integer: a negative one takes ten bytes, as 64 bits in two's complement. */
  signed(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0) this.varint(value)
    else this.#long(value)
  }

  /** 64 bits in two's complement: negative numbers, and those beyond 53 bits. */
  #long(value: number | bigint): void {
    let rest = BigInt.asUintN(64, BigInt(value))
    const bytes: number[] = []
    for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
    bytes.push(Number(rest))
    this.raw(Uint8Array.from(bytes))
  }

  /** Writes eight bytes, little endian. */
  double(value: number): void {
    if (this.#at < 8) this.#grow(8)
    this.#at -= 8
    this.#bytes.writeDoubleLE(value, this.#at)
  }

  /** Writes bytes without a length. */
  raw(bytes: Uint8Array): void {
    const { length } = bytes
    if (this.#at < length) this.#grow(length)
    this.#at -= length
    this.#bytes.set(bytes, this.#at)
  }

  /** Writes a text in UTF-8, its length before it. */
  text(text: string): void {
    if (!this.#shortText(text)) this.#longText(text)
  }

  /** Writes a short ASCII text, which is faster here than by a call into the runtime. False, and nothing written, for others. */
  #shortText(text: string): boolean {
    const { length } = text
    if (length > 48) return false
    if (this.#at < length + 1) this.#grow(length + 1)
    const bytes = this.#bytes
    const start = this.#at - length
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index)
      if (code >= 0x80) return false
      bytes[start + index] = code
    }
    bytes[start - 1] = length
    this.#at = start - 1
    return true
  }

  /** UTF-8 by the runtime, which counts the bytes first. */
  #longText(text: string): void {
    const length = Buffer.byteLength(text)
    if (this.#at < length) this.#grow(length)
    this.#at -= length
    this.#bytes.write(text, this.#at, length, 'utf8')
    this.varint(length)
  }

  /** At least doubles the buffer. What was written stays at its end. */
  #grow(room: number): void {
    const { size } = this
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, size + room + startSize))
    this.#bytes.copy(grown, grown.length - size, this.#at)
    this.#at = grown.length - size
    this.#bytes = grown
  }
}
