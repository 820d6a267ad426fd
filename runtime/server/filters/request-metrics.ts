import type { StreamedBody } from '../../serializer/serializer.ts'
import type { Filter, RequestState } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { afterwards } from './compose.ts'

/** Counts every response, refusals among them, and watches as long as their streams last. */
export function requestMetrics(context: ServerContext): Filter {
  return function requestMetrics({ state }, next) {
    return afterwards(next(), () => count(context, state))
  }
}

/** The time of a response is that of its decision: how fast its client reads is not the server's doing. */
function count({ clock, requestMetrics }: ServerContext, state: RequestState): void {
  const { info, request, response, receivedAt } = state
  if (response === undefined) return
  requestMetrics.answered(info, request, response, clock.now() - receivedAt)
  const { body } = response
  if (typeof body !== 'function' && body.length === undefined) {
    const counted = countedBody(body, (bytes) => requestMetrics.sent(info, request, bytes))
    state.response = { ...response, body: counted }
  }
  if (info.verb !== 'watch' || typeof body !== 'function') return
  state.response = {
    ...response,
    async body(sink) {
      const ended = requestMetrics.streaming(info, request)
      try {
        await body(sink)
      } finally {
        ended()
      }
    },
  }
}

/** The body, whose length is told once it is made to its end. */
function countedBody({ pieces }: StreamedBody, made: (bytes: number) => void): StreamedBody {
  return {
    async *pieces() {
      let bytes = 0
      for await (const piece of pieces()) {
        bytes += piece.length
        yield piece
      }
      made(bytes)
    },
  }
}
