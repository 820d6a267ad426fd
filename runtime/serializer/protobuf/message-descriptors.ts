import type {
  MessageField,
  MessageType,
  ProtobufTables,
} from '../../kernel/descriptors/protobuf-tables.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import { messageCodec } from './message-codec.ts'
import type { FieldDescriptor, MessageDescriptor } from './message-descriptor.ts'
import { scalars } from './scalars.ts'
import { type UnionMember, unionCodec } from './union-codec.ts'
import type { MessageCodec, ValueCodec } from './value-codec.ts'
import { wellKnownTypes } from './well-known-types.ts'

const keptShapes: ReadonlySet<string> = new Set(['kept', 'required list', 'required map', 'inline'])

/** The descriptors and codecs of the messages of a scheme, each made when it is first needed. */
export class MessageDescriptors {
  readonly #tables: ProtobufTables
  readonly #descriptors = new Map<string, MessageDescriptor>()
  readonly #codecs = new Map<string, MessageCodec>()
  readonly #unions = new Map<string, ValueCodec>()

  constructor(tables: ProtobufTables) {
    this.#tables = tables
  }

  /** The descriptor of a message of the tables. A name that they do not have is our own mistake. */
  descriptorOf(message: string): MessageDescriptor {
    let descriptor = this.#descriptors.get(message)
    if (descriptor === undefined) {
      invariant(Object.hasOwn(this.#tables.messages, message), `no message ${message}`)
      descriptor = this.#describe(this.#tables.messages[message] as readonly MessageField[])
      this.#descriptors.set(message, descriptor)
    }
    return descriptor
  }

  /** Scalars and well-known types have codecs of their own; any other name is a union or a message. */
  #codecOf(type: MessageType): ValueCodec {
    if (Object.hasOwn(scalars, type)) return scalars[type as keyof typeof scalars]
    if (Object.hasOwn(wellKnownTypes, type))
      return wellKnownTypes[type as keyof typeof wellKnownTypes]
    const rows = this.#tables.messages[type]
    return rows?.[0]?.[3]?.startsWith('member') ? this.#unionOf(type, rows) : this.codecOf(type)
  }

  /** The codec of a union. Its members are looked up at the first use, since a member may hold the union. */
  #unionOf(type: string, rows: readonly MessageField[]): ValueCodec {
    let codec = this.#unions.get(type)
    if (codec === undefined) {
      codec = unionCodec(() => rows.map((row) => this.#describeMember(row)))
      this.#unions.set(type, codec)
    }
    return codec
  }

  #describeMember([number, , type, shape]: MessageField): UnionMember {
    const codec = this.#codecOf(type)
    const form = shape === 'member list' ? 'list' : type === 'bool' ? 'boolean' : 'object'
    return { tag: number * 8 + codec.wire, codec, form }
  }

  /** The codec of a message. Its descriptor is made at the first use, since messages may hold each other. */
  codecOf(type: string): MessageCodec {
    let codec = this.#codecs.get(type)
    if (codec === undefined) {
      codec = messageCodec(() => this.descriptorOf(type))
      this.#codecs.set(type, codec)
    }
    return codec
  }

  /** Field numbers are small and dense, so that an array finds a field faster than a map. */
  #describe(table: readonly MessageField[]): MessageDescriptor {
    const fields = table.map((field) => this.#describeField(field))
    const byNumber: FieldDescriptor[] = []
    for (const field of fields) byNumber[field.tag >>> 3] = field
    return {
      fields,
      byNumber: Array.from(byNumber),
      kept: fields.filter((field) => field.kept),
      weight: table.reduce((sum, field) => sum + this.#weightOf(field), 0),
    }
  }

  /** Ends, since no message can always hold another one of its own type. */
  #weightOf([, , type, shape]: MessageField): number {
    if (shape !== 'kept' && shape !== 'inline') return 0
    return 1 + (Object.hasOwn(this.#tables.messages, type) ? this.descriptorOf(type).weight : 0)
  }

  /** A list has the tag of its items, for each of which it stands; a map is a list of entries, which are messages. */
  #describeField([number, name, type, shape]: MessageField): FieldDescriptor {
    const codec = this.#codecOf(type)
    const repeated = shape?.endsWith('list') ? 'list' : shape?.endsWith('map') ? 'map' : 'one'
    return {
      name,
      tag: number * 8 + (repeated === 'map' ? 2 : codec.wire),
      codec,
      message: this.#codecs.get(type),
      cardinality: shape === 'inline' ? 'inline' : repeated,
      always: (shape === undefined || shape === 'kept') && codec.nullable !== true,
      omitZero: shape === undefined,
      kept: shape !== undefined && keptShapes.has(shape),
    }
  }
}
