import type {
  MessageField,
  MessageType,
  ProtobufTables,
} from '../../kernel/descriptors/protobuf-tables.ts'
import { invariant } from '../../kernel/errors/invariant.ts'
import { messageCodec } from './message-codec.ts'
import { scalars } from './scalars.ts'
import type { MessageCodec, ValueCodec } from './value-codec.ts'
import { wellKnownTypes } from './well-known-types.ts'

/** A field of a message, ready to be written and read. */
export interface FieldDescriptor {
  readonly name: string
  /** The number and the wire type as they are written. */
  readonly tag: number
  readonly codec: ValueCodec
  /** The form again, if it is that of a message with fields of its own. */
  readonly message: MessageCodec | undefined
  readonly cardinality: 'one' | 'list' | 'map' | 'inline'
  /** Its zero is written when it is absent. */
  readonly always: boolean
  /** Its zero is not in JSON, though it is on the wire. */
  readonly omitZero: boolean
  /** Its zero is in JSON when it is absent; of an inlined message, the zeros of its fields. */
  readonly kept: boolean
}

/** A message, ready to be written and read. */
export interface MessageDescriptor {
  /** In ascending order of their numbers, which is the order on the wire. */
  readonly fields: readonly FieldDescriptor[]
  readonly byNumber: readonly (FieldDescriptor | undefined)[]
  readonly kept: readonly FieldDescriptor[]
  /** How many values a message without any field becomes in JSON, itself not counted. */
  readonly weight: number
}

/** Makes the plans of messages as they are needed, each once. */
export class MessageDescriptors {
  readonly #tables: ProtobufTables
  readonly #plans = new Map<string, MessageDescriptor>()
  readonly #forms = new Map<string, MessageCodec>()

  constructor(tables: ProtobufTables) {
    this.#tables = tables
  }

  plan(message: string): MessageDescriptor {
    let plan = this.#plans.get(message)
    if (plan === undefined) {
      invariant(Object.hasOwn(this.#tables.messages, message), `no message ${message}`)
      plan = this.#planOf(this.#tables.messages[message] as readonly MessageField[])
      this.#plans.set(message, plan)
    }
    return plan
  }

  #formOf(type: MessageType): ValueCodec {
    if (Object.hasOwn(scalars, type)) return scalars[type as keyof typeof scalars]
    if (Object.hasOwn(wellKnownTypes, type))
      return wellKnownTypes[type as keyof typeof wellKnownTypes]
    return this.form(type)
  }

  /** The form of a message, for what holds it. */
  form(type: string): MessageCodec {
    let form = this.#forms.get(type)
    if (form === undefined) {
      form = messageCodec(() => this.plan(type))
      this.#forms.set(type, form)
    }
    return form
  }

  #planOf(table: readonly MessageField[]): MessageDescriptor {
    const fields = table.map((field) => this.#fieldOf(field))
    const byNumber: FieldDescriptor[] = []
    for (const field of fields) byNumber[field.tag >>> 3] = field
    return {
      fields,
      byNumber: Array.from(byNumber),
      kept: fields.filter((field) => field.kept),
      weight: table.reduce((sum, field) => sum + this.#weightOf(field), 0),
    }
  }

  /** A message that is always there holds no other of its own sort, so this ends. */
  #weightOf([, , type, shape]: MessageField): number {
    if (shape !== 'kept' && shape !== 'inline') return 0
    return 1 + (Object.hasOwn(this.#tables.messages, type) ? this.plan(type).weight : 0)
  }

  #fieldOf([number, name, type, shape]: MessageField): FieldDescriptor {
    const form = this.#formOf(type)
    const sort = shape?.endsWith('list') ? 'list' : shape?.endsWith('map') ? 'map' : 'one'
    return {
      name,
      tag: number * 8 + (sort === 'map' ? 2 : form.wire),
      codec: form,
      message: this.#forms.get(type),
      cardinality: shape === 'inline' ? 'inline' : sort,
      always: (shape === undefined || shape === 'kept') && form.nullable !== true,
      omitZero: shape === undefined,
      kept:
        shape === 'kept' ||
        shape === 'required list' ||
        shape === 'required map' ||
        shape === 'inline',
    }
  }
}
