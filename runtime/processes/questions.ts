import type { FromProcess, FromSupervisor } from './messages.ts'

/** A question that some processes have not answered yet. */
interface Open {
  readonly asker: number
  readonly ask: number
  readonly waiting: Set<number>
  readonly values: unknown[]
}

type About = Extract<FromProcess, { ask: number } | { answer: number } | { noAnswer: number }>

/** Passes what one process asks on to the others, and their answers back. A process that ends answers no more. */
export class Questions {
  readonly #tell: (number: number, message: FromSupervisor) => void
  readonly #open = new Map<number, Open>()
  #passed = 0

  constructor(tell: (number: number, message: FromSupervisor) => void) {
    this.#tell = tell
  }

  hear(from: number, message: About, running: readonly number[]): void {
    if ('ask' in message) this.#pass(from, message, running)
    else if ('answer' in message) this.#answered(message.answer, from, [message.value])
    else this.#answered(message.noAnswer, from, [])
  }

  /** A process has ended. */
  gone(number: number): void {
    for (const [id, { asker }] of this.#open) {
      if (asker === number) this.#open.delete(id)
      else this.#answered(id, number, [])
    }
  }

  #pass(
    asker: number,
    { ask, subject }: Extract<About, { ask: number }>,
    running: readonly number[],
  ): void {
    this.#passed += 1
    const id = this.#passed
    const others = running.filter((number) => number !== asker)
    this.#open.set(id, { asker, ask, waiting: new Set(others), values: [] })
    for (const number of others) this.#tell(number, { asked: id, subject })
    this.#settle(id)
  }

  #answered(id: number, from: number, values: readonly unknown[]): void {
    const open = this.#open.get(id)
    if (open?.waiting.delete(from) !== true) return
    open.values.push(...values)
    this.#settle(id)
  }

  #settle(id: number): void {
    const open = this.#open.get(id)
    if (open === undefined || open.waiting.size > 0) return
    this.#open.delete(id)
    this.#tell(open.asker, { answered: open.ask, values: open.values })
  }
}
