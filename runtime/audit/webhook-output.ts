import { pause, type Random, systemRandom } from '../kernel/async/clock.ts'
import { createBatches } from './batches.ts'
import { eventText } from './event.ts'
import { type AuditOutput, fittingText, type OutputContext, type OutputOptions } from './output.ts'

/** A service that takes records. */
export interface AuditWebhookOptions extends OutputOptions {
  /** Sends an EventList as JSON, once. @throws an Error if it was not taken. */
  readonly post: (list: string, signal: AbortSignal) => Promise<void>
  /** Milliseconds before a list that was not taken is sent again; the next pauses are longer by half. */
  readonly firstPauseMs: number
  /** For the length of pauses. */
  readonly random?: Random
}

/** Milliseconds in which what waits is sent once the server stops. */
const lastMs = 30_000

/** How often a list is sent that is not taken. */
const attempts = 5

/**
 * Sends records to a webhook, whatever it answers until it takes them: five times, with growing pauses. What is lost then is
 * counted and told. Once it stops, it sends again at once, and gives up half a minute later.
 */
export function openWebhookOutput(
  options: AuditWebhookOptions,
  context: OutputContext,
): AuditOutput {
  const { mode, post, firstPauseMs, random = systemRandom } = options
  const { clock, log, lost } = context
  const { apiVersion = context.apiVersion } = options
  const stopping = new AbortController()
  const over = new AbortController()

  async function send(texts: readonly string[]): Promise<boolean> {
    const list = `{"kind":"EventList","apiVersion":"${apiVersion}","metadata":{},"items":[${texts.join(',')}]}`
    for (let attempt = 1; ; attempt++) {
      try {
        await post(list, over.signal)
        return true
      } catch (error) {
        if (attempt === attempts || over.signal.aborted) {
          lost('webhook', texts.length)
          log.error(
            'audit records are lost: the webhook does not take them',
            { records: texts.length },
            error,
          )
          return false
        }
      }
      const pauseMs = firstPauseMs * 1.5 ** (attempt - 1) * (1 + random() / 5)
      await pause(clock, pauseMs, stopping.signal)
    }
  }

  const underWay = new Set<Promise<boolean>>()
  const batches = createBatches(
    options.batch,
    {
      order: 'side by side',
      send: async (texts) => void (await send(texts)),
      onFull(first) {
        lost('buffered', 1)
        if (first) log.error('audit records are lost: too many wait for the webhook', {})
      },
    },
    clock,
  )
  const sendNow = (text: string): Promise<boolean> => {
    const sent = send([text]).finally(() => underWay.delete(sent))
    underWay.add(sent)
    return sent
  }
  return {
    record(event) {
      const text = fittingText(event, eventText, options, context)
      if (text === undefined) return true
      return mode === 'batch' ? batches.add(text) : sendNow(text)
    },
    async stop() {
      stopping.abort()
      const cancel = clock.after(lastMs, () => over.abort())
      await batches.stop()
      await Promise.all(underWay)
      cancel()
    },
  }
}
