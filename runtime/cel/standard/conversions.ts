/** Conversions between types. */
import { scaleRange } from '../cost/ranges.ts'
import {
  type ArgumentEstimate,
  type CallEstimate,
  type FunctionDeclaration,
  overload,
  traversal,
} from '../functions/functions.ts'
import { spendSteps } from '../limits/step-limit.ts'
import { codePoints } from '../syntax/source.ts'
import * as types from '../types/types.ts'
import { intOfDouble, parseDouble, printDouble, uintOf, uintOfDouble } from '../values/numbers.ts'
import {
  mod,
  parseDuration,
  parseTimestamp,
  printDuration,
  printTimestamp,
  second,
  timestampOf,
} from '../values/time.ts'
import { CelError, Double, Duration, fail, type Int, intOf, type Result } from '../values/values.ts'

const { boolType: bool, intType: int, uintType: uint, doubleType: double } = types
const {
  stringType: string,
  bytesType: bytes,
  durationType: duration,
  timestampType: timestamp,
} = types

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Steps of reading or printing a number, a time, bytes: each costs 1 unit, but takes longer than that. */
const steps = { number: 20, time: 200, bytes: 50 } as const

/** Bytes as text; an error if they are not UTF-8. */
function utf8(value: Uint8Array): Result {
  spendSteps(steps.bytes)
  try {
    return decoder.decode(value)
  } catch {
    return fail('invalid UTF-8 in bytes, cannot convert to string')
  }
}

function encoded(text: string): Uint8Array {
  spendSteps(steps.bytes)
  return new Uint8Array(Buffer.from(text))
}

/** The error of a text that does not denote a value of the type. */
function unreadable(type: types.Type): CelError {
  return fail(`type conversion error from 'string' to '${types.typeName(type)}'`)
}

/** The texts that mean true and false. */
const truths: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
])

/** An integer in decimal digits. More than 64 digits are refused unread. */
function integer(text: string, signed: boolean): Result {
  spendSteps(steps.number)
  if (!/^[+-]?[0-9]{1,64}$/.test(text) || (!signed && /^[+-]/.test(text))) {
    return unreadable(signed ? int : uint)
  }
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  const found = signed ? intOf(value) : uintOf(value)
  return found instanceof CelError ? unreadable(signed ? int : uint) : found
}

function floating(text: string): Result {
  spendSteps(steps.number + (text.length >> 1))
  const value = parseDouble(text)
  return value === undefined ? unreadable(double) : new Double(value)
}

/** Seconds since 1970 in UTC; out of the range of timestamps it is an error. */
function timestampOfSeconds(seconds: Int): Result {
  return timestampOf(BigInt(seconds) * second)
}

/** An integer has a conversion to a duration by its type, and none when it runs. */
function noDurationOfInt(): Result {
  return fail("type conversion error from 'int' to 'google.protobuf.Duration'")
}

const stringToBytes = (text: ArgumentEstimate): CallEstimate => ({
  cost: scaleRange(text.size, 0.1),
  size: { min: text.size.min, max: scaleRange(text.size, 4).max },
})
const bytesToString = (value: ArgumentEstimate): CallEstimate => ({
  cost: scaleRange(value.size, 0.1),
  size: { min: Math.floor(value.size.min / 4), max: value.size.max },
})

/** The conversion functions, each named after the type that it gives. */
export const conversions: readonly FunctionDeclaration[] = [
  {
    name: 'int',
    overloads: [
      overload('int64_to_int64', [int], int, (value) => value),
      overload('uint64_to_int64', [uint], int, (value) => intOf(value.value)),
      overload('double_to_int64', [double], int, (value) => intOfDouble(value.value)),
      overload('string_to_int64', [string], int, (text) => integer(text, true)),
      overload('timestamp_to_int64', [timestamp], int, ({ nanos }) =>
        intOf((nanos - mod(nanos, second)) / second),
      ),
      overload('duration_to_int64', [duration], int, ({ nanos }) => intOf(nanos)),
    ],
  },
  {
    name: 'uint',
    overloads: [
      overload('uint64_to_uint64', [uint], uint, (value) => value),
      overload('int64_to_uint64', [int], uint, (value) => uintOf(BigInt(value))),
      overload('double_to_uint64', [double], uint, (value) => uintOfDouble(value.value)),
      overload('string_to_uint64', [string], uint, (text) => integer(text, false)),
    ],
  },
  {
    name: 'double',
    overloads: [
      overload('double_to_double', [double], double, (value) => value),
      overload('int64_to_double', [int], double, (value) => new Double(Number(value))),
      overload('uint64_to_double', [uint], double, (value) => new Double(Number(value.value))),
      overload('string_to_double', [string], double, floating),
    ],
  },
  {
    name: 'bool',
    overloads: [
      overload('bool_to_bool', [bool], bool, (value) => value),
      overload('string_to_bool', [string], bool, (text) => truths.get(text) ?? unreadable(bool)),
    ],
  },
  {
    name: 'string',
    overloads: [
      overload('string_to_string', [string], string, (value) => value),
      overload('bool_to_string', [bool], string, String),
      overload('int64_to_string', [int], string, String),
      overload('uint64_to_string', [uint], string, (value) => String(value.value)),
      overload('double_to_string', [double], string, (value) => {
        spendSteps(steps.number)
        return printDouble(value)
      }),
      overload('bytes_to_string', [bytes], string, utf8, {
        cost: (value) => traversal(value.length),
        estimate: bytesToString,
        narrow: true,
      }),
      overload('timestamp_to_string', [timestamp], string, (value) => {
        spendSteps(steps.time)
        return printTimestamp(value)
      }),
      overload('duration_to_string', [duration], string, (value) => {
        spendSteps(steps.time)
        return printDuration(value)
      }),
    ],
  },
  {
    name: 'bytes',
    overloads: [
      overload('bytes_to_bytes', [bytes], bytes, (value) => value),
      overload('string_to_bytes', [string], bytes, encoded, {
        cost: (text) => traversal(codePoints(text)),
        estimate: stringToBytes,
        narrow: true,
      }),
    ],
  },
  {
    name: 'timestamp',
    overloads: [
      overload('timestamp_to_timestamp', [timestamp], timestamp, (value) => value),
      overload('int64_to_timestamp', [int], timestamp, timestampOfSeconds),
      overload('string_to_timestamp', [string], timestamp, (text) => {
        spendSteps(steps.time)
        return parseTimestamp(text) ?? unreadable(timestamp)
      }),
    ],
  },
  {
    name: 'duration',
    overloads: [
      overload('duration_to_duration', [duration], duration, (value) => value),
      overload('int64_to_duration', [int], duration, noDurationOfInt),
      overload('string_to_duration', [string], duration, (text) => {
        spendSteps(steps.time)
        const found = parseDuration(text)
        return found instanceof Duration ? found : unreadable(duration)
      }),
    ],
  },
]
