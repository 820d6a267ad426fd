import type { Transport, TransportRequest, TransportResponse } from '../client/client.ts'
import type { Random } from '../kernel/async/clock.ts'
import { yieldToEventLoop } from '../kernel/async/slices.ts'
import { requestFacts } from './request-facts.ts'
import { comeToRest } from './virtual-clock.ts'

/** Something that could happen now. */
interface Choice {
  readonly what: string
  readonly happen: () => void
}

/** Turns of the event loop after which all that could happen next is known. */
const turnsBetween = 12

/**
 * Decides what happens next, one thing at a time, by random numbers: of the requests, answers and events under way any may be the
 * next that arrives. What the server does with one is done before the next choice.
 */
export class Scheduler {
  readonly #random: Random
  readonly #choices: Choice[] = []
  /** Requests that the server works on. */
  #working = 0
  #running: Promise<void> | undefined
  /** What happened, in order. */
  readonly trace: string[] = []

  constructor(random: Random) {
    this.#random = random
  }

  /** Resolves when it is this one's turn. */
  turn(what: string): Promise<void> {
    return new Promise((resolve) => {
      this.#choices.push({ what, happen: resolve })
      this.#running ??= this.#run()
    })
  }

  /** Resolves when nothing is left that could happen without time passing. */
  async idle(): Promise<void> {
    do {
      await comeToRest()
      await this.#running
    } while (this.#choices.length > 0 || this.#running !== undefined)
  }

  /** A transport whose requests, answers and events arrive when the scheduler says so. */
  transport(real: Transport, name: string): Transport {
    return {
      ...(real.host !== undefined && { host: real.host }),
      send: (request) => this.#send(real, request, name),
      close: () => real.close(),
    }
  }

  async #send(
    real: Transport,
    request: TransportRequest,
    name: string,
  ): Promise<TransportResponse> {
    const { verb, resource, name: object } = requestFacts(request)
    const what = [name, verb, resource, object].filter((part) => part !== undefined).join(' ')
    await this.turn(`${what}: request`)
    this.#working += 1
    const response = await real.send(request).finally(() => {
      this.#working -= 1
    })
    await this.turn(`${what}: answer ${response.status}`)
    const isWatch = verb === 'watch' && response.status === 200
    return isWatch ? { ...response, body: this.#events(response.body, what) } : response
  }

  async *#events(body: AsyncIterable<Uint8Array>, what: string): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of body) {
      await this.turn(`${what}: event`)
      yield chunk
    }
  }

  async #run(): Promise<void> {
    for (;;) {
      for (let quiet = 0; quiet < turnsBetween; quiet++) {
        await yieldToEventLoop()
        if (this.#working > 0) quiet = 0
      }
      const [choice] = this.#choices.splice(Math.floor(this.#random() * this.#choices.length), 1)
      if (choice === undefined) break
      this.trace.push(choice.what)
      choice.happen()
    }
    this.#running = undefined
  }
}
