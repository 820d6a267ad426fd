import type { Filter } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { headerOf } from '../http/request.ts'
import { afterwards } from './compose.ts'

/** What a script of an allowed origin may send and read. */
const permissions = {
  'Access-Control-Allow-Methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'Access-Control-Allow-Headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'Access-Control-Expose-Headers': 'Date',
  'Access-Control-Allow-Credentials': 'true',
}

/**
 * Lets the pages of allowed origins read responses, and answers what their browsers ask before. It stands outside of
 * `authentication`: a browser asks without credentials, and a page has to see a refusal, too.
 */
export function cors({ allowedOrigin }: ServerContext): Filter {
  return function cors({ state }, next) {
    if (allowedOrigin === undefined || state.request.headers.origin === undefined) return next()
    const origin = headerOf(state.request, 'origin') ?? ''
    if (!allowedOrigin(origin)) return next()
    const own = { 'Access-Control-Allow-Origin': origin, ...permissions }
    if (state.request.method === 'OPTIONS') {
      state.response = { status: 204, headers: own, body: new Uint8Array(0) }
      return
    }
    return afterwards(next(), () => {
      const { response } = state
      if (response === undefined) return
      const { Vary = [] } = response.headers
      const vary = [...[Vary].flat(), 'Origin'].join(', ')
      state.response = { ...response, headers: { ...response.headers, ...own, Vary: vary } }
    })
  }
}
