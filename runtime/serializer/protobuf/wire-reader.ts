import { StatusError } from '../../kernel/errors/status-error.ts'
import { type DecodeLimits, defaultLimits, tooMany, tooMuch } from '../json/decode-limits.ts'

/**
 * Bytes that are no message, with the place: the offset where reading ended and the fields that lead there. A BadRequest
 * to whoever sent them.
 */
export class MalformedProtobuf extends StatusError {
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

  /** The same inside the field `name`. */
  inside(name: string): MalformedProtobuf {
    const path = this.path === '' ? name : name === '' ? this.path : `${name}.${this.path}`
    return new MalformedProtobuf(this.why, this.at, path)
  }
}

const strict = new TextDecoder('utf-8', { fatal: true })

/** Reads a message from its start. No length is trusted: nothing is read or reserved beyond the end of what is there. */
export class WireReader {
  readonly bytes: Buffer
  readonly limits: DecodeLimits
  at: number
  end: number
  #low = 0
  #high = 0
  #values = 0
  #keys = 0

  constructor(bytes: Uint8Array, limits = defaultLimits) {
    this.limits = limits
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.at = 0
    this.end = bytes.length
  }

  fail(why: string): never {
    throw new MalformedProtobuf(why, this.at)
  }

  /** Counts values that are going to be made: two bytes can ask for what takes far more in memory. */
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

  /** Adds a value to a list that may not grow beyond what a body may hold. */
  append<T>(list: T[], value: T): void {
    if (list.push(value) > this.limits.items) throw tooMany(this.limits)
  }

  /** The number and the wire type of the next field, as one integer. */
  tag(): number {
    const tag = this.uint32()
    if (tag >>> 3 === 0) this.fail('a field has the number 0')
    return tag
  }

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

  /** A signed integer; what is beyond 32 bits is cut off. */
  int32(): number {
    this.#varint()
    return this.#low
  }

  bool(): boolean {
    this.#varint()
    return this.#low !== 0 || this.#high !== 0
  }

  /** A signed integer; a bigint beyond 2^53. */
  int64(): number | bigint {
    this.#varint()
    const value = this.#high * 0x1_0000_0000 + (this.#low >>> 0)
    if (Number.isSafeInteger(value)) return value
    return (BigInt(this.#high) << 32n) | BigInt(this.#low >>> 0)
  }

  double(): number {
    if (this.end - this.at < 8) this.fail('the message ends inside a number')
    this.at += 8
    return this.bytes.readDoubleLE(this.at - 8)
  }

  /** The end of a length-delimited value, which lies inside of what is being read. */
  limit(): number {
    const length = this.uint32()
    if (length > this.end - this.at) {
      this.fail(`a length of ${length} where ${this.end - this.at} bytes are left`)
    }
    return this.at + length
  }

  slice(): Buffer {
    const end = this.limit()
    const slice = this.bytes.subarray(this.at, end)
    this.at = end
    return slice
  }

  text(): string {
    const end = this.limit()
    const text = this.bytes.toString('utf8', this.at, end)
    if (text.includes('\ufffd')) this.#checkText(end)
    this.at = end
    return text
  }

  #checkText(end: number): void {
    try {
      strict.decode(this.bytes.subarray(this.at, end))
    } catch {
      this.fail('the text is not valid UTF-8')
    }
  }

  /** Passes over a field that is not known. */
  skip(tag: number): void {
    const wire = tag & 7
    if (wire === 0) this.#varint()
    else if (wire === 1) this.#pass(8)
    else if (wire === 2) this.at = this.limit()
    else if (wire === 3) this.#skipGroup(tag >>> 3)
    else if (wire === 5) this.#pass(4)
    else this.fail(`wire type ${wire} is not one that a field begins with`)
  }

  /** Groups are long out of use; nested ones are counted, not descended into. */
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

  #pass(size: number): void {
    if (this.end - this.at < size) this.fail('the message ends inside a field')
    this.at += size
  }

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
