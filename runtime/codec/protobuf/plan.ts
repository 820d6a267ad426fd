import { invariant } from '../../kernel/invariant.ts'
import type { MessageField, MessageTables, MessageType } from '../../kernel/messages.ts'
import type { Form, MessageForm } from './form.ts'
import { messageForm } from './message.ts'
import { scalars } from './scalars.ts'
import { smallMessages } from './small-messages.ts'

/** A field of a message, ready to be written and read. */
export interface FieldPlan {
  readonly name: string
  /** The number and the wire type as they are written. */
  readonly tag: number
  readonly form: Form
  /** The form again, if it is that of a message with fields of its own. */
  readonly message: MessageForm | undefined
  readonly sort: 'one' | 'list' | 'map' | 'inline'
  /** Its zero is written when it is absent. */
  readonly always: boolean
  /** Its zero is not in JSON, though it is on the wire. */
  readonly silent: boolean
  /** Its zero is in JSON when it is absent; of an inlined message, the zeros of its fields. */
  readonly kept: boolean
}

/** A message, ready to be written and read. */
export interface Plan {
  /** In ascending order of their numbers, which is the order on the wire. */
  readonly fields: readonly FieldPlan[]
  readonly byNumber: readonly (FieldPlan | undefined)[]
  readonly kept: readonly FieldPlan[]
  /** How many values a message without any field becomes in JSON, itself not counted. */
  readonly weight: number
}

/** Makes the plans of messages as they are needed, each once. */
export class Plans {
  readonly #tables: MessageTables
  readonly #plans = new Map<string, Plan>()
  readonly #forms = new Map<string, MessageForm>()

  constructor(tables: MessageTables) {
    this.#tables = tables
  }

  plan(message: string): Plan {
    let plan = this.#plans.get(message)
    if (plan === undefined) {
      invariant(Object.hasOwn(this.#tables.messages, message), `no message ${message}`)
      plan = this.#planOf(this.#tables.messages[message] as readonly MessageField[])
      this.#plans.set(message, plan)
    }
    return plan
  }

  #formOf(type: MessageType): Form {
    if (Object.hasOwn(scalars, type)) return scalars[type as keyof typeof scalars]
    if (Object.hasOwn(smallMessages, type)) return smallMessages[type as keyof typeof smallMessages]
    return this.form(type)
  }

  /** The form of a message, for what holds it. */
  form(type: string): MessageForm {
    let form = this.#forms.get(type)
    if (form === undefined) {
      form = messageForm(() => this.plan(type))
      this.#forms.set(type, form)
    }
    return form
  }

  #planOf(table: readonly MessageField[]): Plan {
    const fields = table.map((field) => this.#fieldOf(field))
    const byNumber: FieldPlan[] = []
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

  #fieldOf([number, name, type, shape]: MessageField): FieldPlan {
    const form = this.#formOf(type)
    const sort = shape?.endsWith('list') ? 'list' : shape?.endsWith('map') ? 'map' : 'one'
    return {
      name,
      tag: number * 8 + (sort === 'map' ? 2 : form.wire),
      form,
      message: this.#forms.get(type),
      sort: shape === 'inline' ? 'inline' : sort,
      always: (shape === undefined || shape === 'kept') && form.nullable !== true,
      silent: shape === undefined,
      kept:
        shape === 'kept' ||
        shape === 'required list' ||
        shape === 'required map' ||
        shape === 'inline',
    }
  }
}
