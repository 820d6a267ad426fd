/**
 * The tables by which objects are written in protobuf: facts only, generated from the numbers in schema files. The codec
 * reads them; nobody else has to know what a field's number is.
 */

/** What a field holds: a scalar, or the name of a message such as `core/v1.PodSpec` (it has a dot, scalars have none). */
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
 * When a field is there. Without a shape its zero is always on the wire and never in JSON; `kept`: always in both;
 * `tracked`: in neither, absent differs from zero. Lists and maps are never on the wire when empty; `required` ones are
 * null in JSON then. An `inline` message has no name: its fields stand in the JSON object around it.
 */
export type MessageShape =
  | 'kept'
  | 'tracked'
  | 'list'
  | 'map'
  | 'required list'
  | 'required map'
  | 'inline'

export type MessageField = readonly [
  number: number,
  name: string,
  type: MessageType,
  shape?: MessageShape,
]

export interface ProtobufTables {
  /** The fields of each message in ascending order of their numbers. */
  readonly messages: Readonly<Record<string, readonly MessageField[]>>
  /** The message of each kind, stored or not: `apps/v1/Deployment` gives `apps/v1.Deployment`. */
  readonly kinds: Readonly<Record<string, string>>
}

/** All tables in one. */
export function mergeProtobufTables(tables: readonly ProtobufTables[]): ProtobufTables {
  return {
    messages: Object.assign({}, ...tables.map(({ messages }) => messages)),
    kinds: Object.assign({}, ...tables.map(({ kinds }) => kinds)),
  }
}
