import type { MessageCodec, ValueCodec } from './value-codec.ts'

/** A field of a message with its codec. */
export interface FieldDescriptor {
  /** The property in JSON. */
  readonly name: string
  /** The number times 8, plus the wire type: the varint that stands before a value. */
  readonly tag: number
  /** Of the value, of the items of a list, or of the values of a map. */
  readonly codec: ValueCodec
  /** The same codec, if it is that of a message with fields. */
  readonly message: MessageCodec | undefined
  /** `inline`: the fields of the message are properties of the object around it. */
  readonly cardinality: 'one' | 'list' | 'map' | 'inline'
  /** An absent value is written as zero. */
  readonly always: boolean
  /** A zero on the wire is absent in JSON. */
  readonly omitZero: boolean
  /** An absent value is a zero in JSON; of an inlined message, the zeros of its fields. */
  readonly kept: boolean
}

/** A message with the codecs of its fields. */
export interface MessageDescriptor {
  /** By ascending number, which is the order on the wire. */
  readonly fields: readonly FieldDescriptor[]
  readonly byNumber: readonly (FieldDescriptor | undefined)[]
  /** The fields that JSON always has. */
  readonly kept: readonly FieldDescriptor[]
  /** How many values an empty message becomes in JSON, itself not counted: what reading two bytes can cost. */
  readonly weight: number
}
