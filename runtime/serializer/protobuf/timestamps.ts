/**
 * Codecs of Time and MicroTime: a message of seconds since 1970 and nanoseconds, both always written. A null time is the
 * first second of the year 1, as in the public encoders.
 */

import { eachField, nested } from './nested.ts'
import type { ValueCodec } from './value-codec.ts'
import type { WireReader } from './wire-reader.ts'
import type { WireWriter } from './wire-writer.ts'

/** Seconds since 1970. */
const yearOne = -62_135_596_800
const yearTenThousand = 253_402_300_800

const secondsTag = 0x08
const nanosTag = 0x10

/** Whole seconds. A client's fraction is dropped, as it is from JSON. */
const time: ValueCodec = {
  wire: 2,
  zero: null,
  write: (out, value) => write(out, value as string, 0),
  writeZero: (out) => out.byte(0),
  read(input) {
    const moment = read(input)
    return moment && `${moment.text}Z`
  },
}

/** Six fractional digits. */
const microTime: ValueCodec = {
  ...time,
  write(out, value) {
    const fraction = (value as string).slice(20, 26)
    write(out, value as string, /^\d+$/.test(fraction) ? Number(fraction.padEnd(6, '0')) * 1000 : 0)
  },
  read(input) {
    const moment = read(input)
    const micros = Math.floor((moment?.nanos ?? 0) / 1000)
    return moment && `${moment.text}.${String(micros).padStart(6, '0')}Z`
  },
}

/** Writes a time of which only the seconds are in `text`. */
function write(out: WireWriter, text: string, nanos: number): void {
  const seconds = Date.parse(`${text.slice(0, 19)}Z`) / 1000
  if (seconds === yearOne && nanos === 0) {
    out.byte(0)
    return
  }
  nested(out, () => {
    out.varint(nanos)
    out.byte(nanosTag)
    out.signed(seconds)
    out.byte(secondsTag)
  })
}

/** A time as `2024-01-31T12:00:00`, in UTC, and the nanoseconds beyond it. */
interface Moment {
  readonly text: string
  readonly nanos: number
}

/** Null for an empty message and for the first second of the year 1. */
function read(input: WireReader): Moment | null {
  let [seconds, nanos, empty]: [number | bigint, number, boolean] = [0, 0, true]
  eachField(input, (tag) => {
    empty = false
    if (tag === secondsTag) seconds = input.int64()
    else if (tag === nanosTag) nanos = input.int32()
    else return false
    return true
  })
  const whole = Number(seconds)
  if (whole < yearOne || whole >= yearTenThousand) {
    input.fail('a time outside of the years 1 to 9999')
  }
  if (nanos < 0 || nanos > 999_999_999) input.fail(`${nanos} nanoseconds are no part of a second`)
  if (empty || (whole === yearOne && nanos === 0)) return null
  return { text: new Date(whole * 1000).toISOString().slice(0, 19), nanos }
}

/** The codecs by the names that the tables use. */
export const timestamps = { time, 'micro-time': microTime } as const
