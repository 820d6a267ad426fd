import { type Clock, pause } from '../../kernel/async/clock.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import type { Json } from '../../kernel/values/json.ts'
import { decodeJson } from '../../serializer/serializer.ts'
import { AnswerTooLarge, connectWebhook, type WebhookConnection } from './webhook-connection.ts'

/** How a service that answers reviews is asked. */
export interface ReviewWebhookOptions {
  readonly clock: Clock
  /** Milliseconds for an answer, repetitions included. Default half a minute. */
  readonly timeoutMs?: number
}

/** Sends reviews. */
export interface ReviewWebhook {
  /** The answer to a review. @throws an Error that names the service and the reason. */
  send(review: object): Promise<Json>
  close(): Promise<void>
}

/** How often a review is sent to a service that is not there or overloaded, and the first pause; the next are longer by half. */
const attempts = 5
const firstPauseMs = 500

/** Most bytes of an answer. */
const mostBytes = 1024 * 1024

/**
 * A service that answers reviews of tokens or of access, at the address of an orchconfig, whose path is asked as it stands.
 *
 * @throws StatusError with everything that is wrong with the file.
 */
export async function openReviewWebhook(
  file: string,
  { clock, timeoutMs = 30_000 }: ReviewWebhookOptions,
): Promise<ReviewWebhook> {
  const connection = await connectWebhook(file, { clock, mostBytes })
  return {
    send: (review) => sendRepeatedly(connection, JSON.stringify(review), { clock, timeoutMs }),
    close: () => connection.close(),
  }
}

interface Sending {
  readonly clock: Clock
  readonly timeoutMs: number
}

async function sendRepeatedly(
  connection: WebhookConnection,
  body: string,
  { clock, timeoutMs }: Sending,
): Promise<Json> {
  const deadline = new AbortController()
  const { signal } = deadline
  const cancel = clock.after(timeoutMs, () => deadline.abort())
  try {
    for (let attempt = 1; ; attempt++) {
      const answer = await sendOnce(connection, body, signal)
      if (!(answer instanceof Failure)) return answer
      if (!answer.mayRepeat || attempt === attempts || signal.aborted) {
        const why = signal.aborted ? `no answer within ${timeoutMs / 1000} s` : answer.text
        throw new Error(`webhook ${connection.host}: ${why}`)
      }
      await pause(clock, firstPauseMs * 1.5 ** (attempt - 1), signal)
    }
  } finally {
    cancel()
  }
}

/** An attempt without an answer. */
class Failure {
  readonly text: string
  readonly mayRepeat: boolean

  constructor(text: string, mayRepeat: boolean) {
    this.text = text
    this.mayRepeat = mayRepeat
  }
}

async function sendOnce(
  connection: WebhookConnection,
  body: string,
  signal: AbortSignal,
): Promise<Json | Failure> {
  try {
    const answer = await connection.post(body, signal)
    const { status } = answer
    if (status >= 200 && status < 300) return decodeJson(answer.body).value
    return new Failure(`status ${status}`, status === 429 || status >= 500)
  } catch (error) {
    return new Failure(errorText(error), !(error instanceof AnswerTooLarge))
  }
}
