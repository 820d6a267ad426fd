import { StatusError } from '../../kernel/errors/status-error.ts'
import { type DecodeLimits, defaultLimits, tooMany, tooMuch } from '../format/decode-limits.ts'

/** BadRequest for bytes that are no message, with the offset where reading ended and the fields that lead there. */
export class MalformedProtobuf extends StatusError {
  /** Offset in the body. */
  readonly at: number
  readonly why: string
  readonly path: string

  constructor(why: string, at: number, path = '') {
    const place = path === '' ? `byte ${at}` : `byte ${at}, ${path}`
    super('BadRequest', `error decoding Protobuf: ${place}: ${why}`)
    this.at = at
    this.why = why
    this.path = path
  }

  /** The same error with `name` before its path: each message on the way out adds its field. */
  inside(name: string): MalformedProtobuf {
    const path = this.path === '' ? name : name === '' ? this.path : `${name}.${this.path}`
    return new MalformedProtobuf(this.why, this.at, path)
  }
}

const strict = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads the wire format of protobuf: varints, fixed 64-bit numbers, length-delimited values.
 *
 * No length is trusted: nothing is read or allocated beyond the bytes that are there, and what is made of them is counted
 * against the limits. Whatever is wrong ends in MalformedProtobuf or RequestEntityTooLarge.
 */
export class WireReader {
  readonly bytes: Buffer
  readonly limits: DecodeLimits
  /** The offset of the next byte. */
  at: number
  /** The offset behind the message that is being read; narrowed while a nested one is. */
  end: number
  /** The varint that was read last, as two halves of 32 bits: no bigint for what is nearly always small. */
  #low = 0
  #high = 0
  #values = 0
  #keys = 0

  /** `bytes` are not copied. */
  constructor(bytes: Uint8Array, limits = defaultLimits) {
    this.limits = limits
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.at = 0
    this.end = bytes.length
  }

  /** Throws the error of malformed bytes, with the current offset. */
  fail(why: string): never {
    throw new MalformedProtobuf(why, this.at)
  }

  /** Counts values before they are made: two bytes on the wire can stand for an object of many fields. */
  count(values: number): void {
    this.#values += values
    if (this.#values > this.limits.values) throw tooMuch(`more than ${this.limits.values} values`)
  }

  /** Counts the key of a map. */
  countKey(): void {
    if (++this.#keys > this.limits.keys) {
      throw tooMuch(`more than ${this.limits.keys} different property names`)
    }
  }

  /** Appends to a list, up to the limit of entries. */
  append<T>(list: T[], value: T): void {
    if (list.push(value) > this.limits.items) throw tooMany(this.limits)
  }

  /** The tag of the next field: its number times 8, plus its wire type. */
  tag(): number {
    const tag = this.uint32()
    if (tag >>> 3 === 0) this.fail('a field has the number 0')
    return tag
  }

  /** An unsigned integer of up to 32 bits; one byte is the common case and read without the loop. */
  uint32(): number {
    const first = this.bytes[this.at] as number
    if (this.at < this.end && first < 0x80) {
      this.at++
      return first
    }
    this.#varint()
    if (this.#high !== 0) this.fail('a length or field number of more than 32 bits')
    return this.#low >>> 0
  }

  /** A signed integer of 32 bits; higher bits are dropped, as the format demands. */
  int32(): number {
    this.#varint()
    return this.#low
  }

  /** A varint that is not zero is true. */
  bool(): boolean {
    this.#varint()
    return this.#low !== 0 || this.#high !== 0
  }

  /** A signed integer of 64 bits; a bigint beyond 2^53. */
  int64(): number | bigint {
    this.#varint()
    const value = this.#high * 0x1_0000_0000 + (this.#low >>> 0)
    if (Number.isSafeInteger(value)) return value
    return (BigInt(this.#high) << 32n) | BigInt(this.#low >>> 0)
  }

  /** Eight bytes, little endian. */
  double(): number {
    if (this.end - this.at < 8) this.fail('the message ends inside a number')
    this.at += 8
    return this.bytes.readDoubleLE(this.at - 8)
  }

  /** Reads the length of a length-delimited value; gives the offset of its end, which is never beyond `end`. */
  limit(): number {
    const length = this.uint32()
    if (length > this.end - this.at) {
      this.fail(`a length of ${length} where ${this.end - this.at} bytes are left`)
    }
    return this.at + length
  }

  /** Length-delimited bytes, as a view. */
  slice(): Buffer {
    const end = this.limit()
    const slice = this.bytes.subarray(this.at, end)
    this.at = end
    return slice
  }

  /** Length-delimited UTF-8. Only a text with a replacement character is checked: it may come from invalid bytes. */
  text(): string {
    const end = this.limit()
    const text = this.bytes.toString('utf8', this.at, end)
    if (text.includes('\ufffd')) this.#checkText(end)
    this.at = end
    return text
  }

  /** Decodes again, strictly: a replacement character may also be in the text itself. */
  #checkText(end: number): void {
    try {
      strict.decode(this.bytes.subarray(this.at, end))
    } catch {
      this.fail('the text is not valid UTF-8')
    }
  }

  /** Skips the value of an unknown field. */
  skip(tag: number): void {
    const wire = tag & 7
    if (wire === 0) this.#varint()
    else if (wire === 1) this.#pass(8)
    else if (wire === 2) this.at = this.limit()
    else if (wire === 3) this.#skipGroup(tag >>> 3)
    else if (wire === 5) this.#pass(4)
    else this.fail(`wire type ${wire} is not one that a field begins with`)
  }

  /** Skips a group, a deprecated wire type. Nested groups are kept on a list, so that none can exhaust the stack. */
  #skipGroup(number: number): void {
    const open = [number]
    while (open.length > 0) {
      const tag = this.tag()
      if ((tag & 7) === 3) open.push(tag >>> 3)
      else if ((tag & 7) !== 4) this.skip(tag)
      else if (open.pop() !== tag >>> 3) this.fail('a group ends that did not begin')
      if (open.length > 1000) this.fail('groups are nested too deeply')
    }
  }

  /** Skips a fixed number of bytes. */
  #pass(size: number): void {
    if (this.end - this.at < size) this.fail('the message ends inside a field')
    this.at += size
  }

  /** Reads up to ten bytes of seven bits, lowest first, into `#low` and `#high`. */
  #varint(): void {
    let low = 0
    let high = 0
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.at >= this.end) this.fail('the message ends inside an integer')
      const byte = this.bytes[this.at++] as number
      const bits = byte & 0x7f
      if (shift < 28) low |= bits << shift
      else if (shift === 28) {
        low |= bits << 28
        high = bits >>> 4
      } else high |= bits << (shift - 32)
      if (byte < 0x80) {
        this.#low = low
        this.#high = high | 0
        return
      }
    }
    this.fail('an integer of more than ten bytes')
  }
}
