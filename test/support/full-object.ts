import type {
  MessageField,
  MessageType,
  ProtobufTables,
} from '../../runtime/kernel/descriptors/protobuf-tables.ts'

/** Values for the fields of a message: which are there, and what scalars hold. */
export interface Filling {
  /** True if a field that may be absent is there. */
  readonly has: (path: string) => boolean
  /** How many items lists have, and entries maps. */
  readonly count: (path: string) => number
  readonly scalar: (type: MessageType, path: string) => unknown
}

/** Everything is there once, every value different from its zero. */
export const everything: Filling = {
  has: () => true,
  count: () => 1,
  scalar: (type) => samples[type as keyof typeof samples],
}

const samples = {
  string: 'text',
  bool: true,
  int32: 7,
  int64: -12_345_678_901,
  double: 1.5,
  bytes: 'AAEC/w==',
  time: '2024-05-01T12:00:00Z',
  'micro-time': '2024-05-01T12:00:00.000250Z',
  duration: '1m30s',
  quantity: '1536Mi',
  'int-or-string': '25%',
  json: { 'f:metadata': { '.': {}, 'f:labels': {} } },
  strings: ['a', 'b'],
}

const deepest = 12

/**
 * An object that has the fields of a message, made from the tables: what a schema gains is in here without a line being
 * written. Keys of maps are `a`, `b` and so on; fields that lead back to their own message end early.
 */
export function objectOf(
  tables: ProtobufTables,
  message: string,
  filling: Filling,
  inside: readonly string[] = [],
  path = '',
): Record<string, unknown> {
  const fields = tables.messages[message] as readonly MessageField[]
  const again = inside.filter((one) => one === message).length > 1 || inside.length > deepest
  const entries = fields.flatMap(([, name, type, shape]): [string, unknown][] => {
    const at = `${path}.${name}`
    const value = () => heldBy(tables, type, filling, [...inside, message], at)
    if (shape === 'inline') {
      return Object.entries(objectOf(tables, type, filling, [...inside, message], path))
    }
    if (shape === 'list' || shape === 'required list') {
      const length = again ? 0 : filling.count(at)
      if (length === 0) return shape === 'list' ? [] : [[name, null]]
      return [[name, Array.from({ length }, value)]]
    }
    if (shape === 'map' || shape === 'required map') {
      const keys = [...'abcdefghij'].slice(0, again ? 0 : filling.count(at))
      if (keys.length === 0) return shape === 'map' ? [] : [[name, null]]
      return [[name, Object.fromEntries(keys.map((key) => [key, value()]))]]
    }
    if (shape === 'tracked' && (again || !filling.has(at))) return []
    const held = value()
    return shape === undefined && isZero(held) ? [] : [[name, held]]
  })
  return Object.fromEntries(entries)
}

function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false || value === null || value === undefined
}

function heldBy(
  tables: ProtobufTables,
  type: MessageType,
  filling: Filling,
  inside: readonly string[],
  path: string,
): unknown {
  if (!Object.hasOwn(tables.messages, type)) return filling.scalar(type, path)
  const [first, second] = tables.messages[type] as readonly MessageField[]
  if (!first?.[3]?.startsWith('member')) return objectOf(tables, type, filling, inside, path)
  const [, , of, shape] = (filling.has(path) ? first : second) as MessageField
  const value = () => heldBy(tables, of, filling, inside, path)
  return shape === 'member' ? value() : [value(), value()]
}
