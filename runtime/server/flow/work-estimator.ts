import type { Kind } from '../../kernel/descriptors/kind.ts'
import type { HttpResponse } from '../http/response.ts'
import type { RequestInfo } from '../request/request-info.ts'

/** Bytes of a list that one seat stands for. */
const bytesPerSeat = 200 * 1024

/** Items that one seat stands for, where the request says how many it wants. */
const itemsPerSeat = 100

/** The most seats of one request, as in the public API server. */
const maxSeats = 10

/** How many seats a request takes: one, but a long list more, by the size that the list of its kind had last. */
export interface WorkEstimator {
  seatsFor(info: RequestInfo): number
  /** Remembers how long the whole list of a kind was; other responses say nothing. */
  observe(info: RequestInfo, response: HttpResponse): void
}

/** An estimator that has seen nothing: every first list takes one seat. */
export function createWorkEstimator(): WorkEstimator {
  const seen = new Map<Kind, number>()
  return {
    seatsFor({ verb, target, query }) {
      if (verb !== 'list' || target === undefined) return 1
      const whole = seen.get(target.kind) ?? 1
      const limit = query.has('limit') ? Number(query.text('limit')) : 0
      return limit > 0 ? Math.min(whole, Math.ceil(limit / itemsPerSeat)) : whole
    },
    observe({ verb, target, query }, { body }) {
      if (verb !== 'list' || target === undefined || query.has('limit')) return
      if (typeof body === 'function') return
      const { length: bytes = Number.POSITIVE_INFINITY } = body
      seen.set(target.kind, Math.min(maxSeats, Math.max(1, Math.ceil(bytes / bytesPerSeat))))
    },
  }
}
