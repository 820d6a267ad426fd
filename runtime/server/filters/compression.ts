import { compressionGate } from '../../kernel/descriptors/enabled-gates.ts'
import { compressResponse } from '../http/gzip.ts'
import type { ServerContext } from '../server-context.ts'
import { afterwards } from './compose.ts'
import type { Filter } from './filter.ts'

/** Compresses large responses of GET for clients that accept gzip. */
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
