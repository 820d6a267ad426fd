import type { Kind } from '../../kernel/descriptors/kind.ts'
import type { HttpResponse } from '../http/message.ts'
import type { RequestInfo } from '../request/request-info.ts'

const bytesOfSeat = 200 * 1024
const itemsOfSeat = 100
const maxSeats = 10

/** How many seats a request takes: one, but a long list as many as its size tells. */
export interface WorkEstimator {
  seatsFor(asked: RequestInfo): number
  /** Remembers how long the whole list of a kind was. */
  observe(asked: RequestInfo, answer: HttpResponse): void
}

export function createWorkEstimator(): WorkEstimator {
  const seen = new Map<Kind, number>()
  return {
    seatsFor({ verb, target, query }) {
      if (verb !== 'list' || target === undefined) return 1
      const whole = seen.get(target.kind) ?? 1
      const limit = query.has('limit') ? Number(query.text('limit')) : 0
      return limit > 0 ? Math.min(whole, Math.ceil(limit / itemsOfSeat)) : whole
    },
    observe({ verb, target, query }, { body }) {
      if (verb !== 'list' || target === undefined || query.has('limit')) return
      if (typeof body === 'function') return
      seen.set(target.kind, Math.min(maxSeats, Math.max(1, Math.ceil(body.length / bytesOfSeat))))
    },
  }
}
