/**
 * The tables by which objects are encoded in protobuf, generated from the field numbers in schema files. Only
 * `runtime/serializer` reads them.
 */

/** The type of a field: a scalar, or the name of a message such as `core/v1.PodSpec`, which has a dot. */
export type MessageType = MessageScalar | `${string}.${string}`

/**
 * `json` is a message that holds a JSON text, `strings` one that holds a list of strings; times, durations, quantities
 * and int-or-strings are messages too, each of its own shape.
 */
export type MessageScalar =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'double'
  | 'bytes'
  | 'time'
  | 'micro-time'
  | 'duration'
  | 'quantity'
  | 'int-or-string'
  | 'json'
  | 'strings'

/**
 * When a field is present. Without a shape, its zero is on the wire and not in JSON; `kept`: in both; `tracked`: in neither,
 * since absent differs from zero. Empty lists and maps are not on the wire; `required` ones are null in JSON then. The
 * fields of an `inline` message are properties of the JSON object around it. A message of members, which have no names, is a
 * union: in JSON it is the value of one of them.
 */
export type MessageShape =
  | 'kept'
  | 'tracked'
  | 'list'
  | 'map'
  | 'required list'
  | 'required map'
  | 'inline'
  | 'member'
  | 'member list'

/** A field of a message. `name` is its property in JSON. */
export type MessageField = readonly [
  number: number,
  name: string,
  type: MessageType,
  shape?: MessageShape,
]

/** The messages of a scheme. */
export interface ProtobufTables {
  /** The fields of each message in ascending order of their numbers. */
  readonly messages: Readonly<Record<string, readonly MessageField[]>>
  /** The message of each kind, stored or not: `apps/v1/Deployment` gives `apps/v1.Deployment`. */
  readonly kinds: Readonly<Record<string, string>>
}

/** One table of all messages and kinds; of equal names the last counts. */
export function mergeProtobufTables(tables: readonly ProtobufTables[]): ProtobufTables {
  return {
    messages: Object.assign({}, ...tables.map(({ messages }) => messages)),
    kinds: Object.assign({}, ...tables.map(({ kinds }) => kinds)),
  }
}
