import type { Kind } from '../kernel/kind.ts'
import type { Asked } from './asked.ts'
import type { Answer } from './exchange.ts'

const bytesOfSeat = 200 * 1024
const itemsOfSeat = 100
const most = 10

/** How many seats a request takes: one, but a long list as many as its size tells. */
export interface Widths {
  of(asked: Asked): number
  /** Remembers how long the whole list of a kind was. */
  learn(asked: Asked, answer: Answer): void
}

export function createWidths(): Widths {
  const seen = new Map<Kind, number>()
  return {
    of({ verb, target, query }) {
      if (verb !== 'list' || target === undefined) return 1
      const whole = seen.get(target.kind) ?? 1
      const limit = query.has('limit') ? Number(query.text('limit')) : 0
      return limit > 0 ? Math.min(whole, Math.ceil(limit / itemsOfSeat)) : whole
    },
    learn({ verb, target, query }, { body }) {
      if (verb !== 'list' || target === undefined || query.has('limit')) return
      if (typeof body === 'function') return
      seen.set(target.kind, Math.min(most, Math.max(1, Math.ceil(body.length / bytesOfSeat))))
    },
  }
}
