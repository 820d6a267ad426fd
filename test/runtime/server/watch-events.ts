import type { IncomingMessage } from 'node:http'
import * as assert from 'uvu/assert'

/** An event of a watch as it stands on the wire. */
export interface Event {
  readonly type: string
  readonly object: Record<string, unknown>
}

/** Events of a watch as they come, one for each line. */
export async function* eventsOf(response: IncomingMessage): AsyncGenerator<Event> {
  let rest = ''
  for await (const chunk of response) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line) as Event
  }
  assert.is(rest, '')
}

export async function next(events: AsyncGenerator<Event>): Promise<Event> {
  const { value, done } = await events.next()
  assert.not(done)
  return value as Event
}
