/** The arithmetic operators. Integer overflow and division by zero are errors of the expression. */
import { addRange, one, scaleRange } from '../cost/ranges.ts'
import {
  type ArgumentEstimate,
  type CallEstimate,
  type FunctionDeclaration,
  overload,
  traversal,
} from '../functions/functions.ts'
import { codePoints } from '../syntax/source.ts'
import * as types from '../types/types.ts'
import { concatenate } from '../values/concatenate.ts'
import * as numbers from '../values/numbers.ts'
import { durationOf, timestampOf } from '../values/time.ts'
import { Double } from '../values/values.ts'

const { intType: int, uintType: uint, doubleType: double, stringType: string } = types
const { bytesType: bytes, durationType: duration, timestampType: timestamp } = types
const list = types.listType(types.typeParameter('A'))

/** The worst case of `+` on strings and bytes: both operands are copied. */
function joined(a: ArgumentEstimate, b: ArgumentEstimate): CallEstimate {
  const size = addRange(a.size, b.size)
  return { cost: scaleRange(size, 0.1), size }
}

/** The operators `+ - * / %` and the unary minus. */
export const arithmetic: readonly FunctionDeclaration[] = [
  {
    name: '_+_',
    overloads: [
      overload('add_int64', [int, int], int, numbers.addInts),
      overload('add_uint64', [uint, uint], uint, (a, b) => numbers.uintOf(a.value + b.value)),
      overload('add_double', [double, double], double, (a, b) => new Double(a.value + b.value)),
      overload('add_string', [string, string], string, (a, b) => a + b, {
        cost: (a, b) => traversal(codePoints(a) + codePoints(b)),
        estimate: joined,
        narrow: true,
      }),
      overload(
        'add_bytes',
        [bytes, bytes],
        bytes,
        (a, b) => new Uint8Array(Buffer.concat([a, b])),
        {
          cost: (a, b) => traversal(a.length + b.length),
          estimate: joined,
          narrow: true,
        },
      ),
      overload('add_list', [list, list], list, concatenate, {
        estimate: (a, b) => ({ cost: one, size: addRange(a.size, b.size) }),
      }),
      overload('add_duration_duration', [duration, duration], duration, (a, b) =>
        durationOf(a.nanos + b.nanos),
      ),
      overload('add_timestamp_duration', [timestamp, duration], timestamp, (a, b) =>
        timestampOf(a.nanos + b.nanos),
      ),
      overload('add_duration_timestamp', [duration, timestamp], timestamp, (a, b) =>
        timestampOf(a.nanos + b.nanos),
      ),
    ],
  },
  {
    name: '_-_',
    overloads: [
      overload('subtract_int64', [int, int], int, numbers.subtractInts),
      overload('subtract_uint64', [uint, uint], uint, (a, b) => numbers.uintOf(a.value - b.value)),
      overload(
        'subtract_double',
        [double, double],
        double,
        (a, b) => new Double(a.value - b.value),
      ),
      overload('subtract_timestamp_timestamp', [timestamp, timestamp], duration, (a, b) =>
        durationOf(a.nanos - b.nanos),
      ),
      overload('subtract_timestamp_duration', [timestamp, duration], timestamp, (a, b) =>
        timestampOf(a.nanos - b.nanos),
      ),
      overload('subtract_duration_duration', [duration, duration], duration, (a, b) =>
        durationOf(a.nanos - b.nanos),
      ),
    ],
  },
  {
    name: '_*_',
    overloads: [
      overload('multiply_int64', [int, int], int, numbers.multiplyInts),
      overload('multiply_uint64', [uint, uint], uint, (a, b) => numbers.uintOf(a.value * b.value)),
      overload(
        'multiply_double',
        [double, double],
        double,
        (a, b) => new Double(a.value * b.value),
      ),
    ],
  },
  {
    name: '_/_',
    overloads: [
      overload('divide_int64', [int, int], int, numbers.divideInts),
      overload('divide_uint64', [uint, uint], uint, numbers.divideUints),
      overload('divide_double', [double, double], double, (a, b) => new Double(a.value / b.value)),
    ],
  },
  {
    name: '_%_',
    overloads: [
      overload('modulo_int64', [int, int], int, numbers.moduloInts),
      overload('modulo_uint64', [uint, uint], uint, numbers.moduloUints),
    ],
  },
  {
    name: '-_',
    overloads: [
      overload('negate_int64', [int], int, numbers.negateInt),
      overload('negate_double', [double], double, (a) => new Double(-a.value)),
    ],
  },
]
