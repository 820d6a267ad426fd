import { compressionGate } from '../../kernel/descriptors/enabled-gates.ts'
import type { Filter } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { compressResponse } from '../http/gzip.ts'
import { afterwards } from './compose.ts'

/**
 * Compresses large responses for clients that accept gzip. It stands outside of `audit`, which records responses as they were.
 */
export function compression({ gates }: ServerContext): Filter {
  const enabled = gates.has(compressionGate)
  return function compression({ state }, next) {
    if (!enabled || state.request.headers['accept-encoding'] === undefined) return next()
    return afterwards(next(), () => {
      if (state.response !== undefined) {
        state.response = compressResponse(state.request, state.response)
      }
    })
  }
}
