import { httpTransport, type Transport } from '../../client/client.ts'
import { loadConfig } from '../../connection/connection.ts'
import type { Clock } from '../../kernel/async/clock.ts'

/** A service at the address of an orchconfig, whose path is asked as it stands. */
export interface WebhookConnection {
  readonly host: string
  /**
   * Sends JSON; resolves with the answer, whatever its status.
   *
   * @throws an Error if there is none, or one of too many bytes: `AnswerTooLarge`.
   */
  post(body: string, signal: AbortSignal): Promise<WebhookAnswer>
  close(): Promise<void>
}

/** What a service answered. */
export interface WebhookAnswer {
  readonly status: number
  readonly body: Buffer
}

/** An answer that was not read to its end. */
export class AnswerTooLarge extends Error {}

/**
 * Reads the file; the connection is made by the first request.
 *
 * @throws StatusError with everything that is wrong with the file.
 */
export async function connectWebhook(
  file: string,
  { clock, mostBytes }: { readonly clock: Clock; readonly mostBytes: number },
): Promise<WebhookConnection> {
  const transport: Transport = httpTransport(await loadConfig(file), clock)
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  return {
    host: transport.host ?? '',
    async post(body, signal) {
      const request = { method: 'POST', path: '', headers, body, signal } as const
      const { status, body: stream } = await transport.send(request)
      return { status, body: await wholeBody(stream, mostBytes) }
    },
    close: () => transport.close(),
  }
}

async function wholeBody(stream: AsyncIterable<Uint8Array>, mostBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > mostBytes) throw new AnswerTooLarge(`more than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
