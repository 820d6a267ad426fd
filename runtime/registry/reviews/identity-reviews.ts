/** Reviews of identity: of the caller, or of the bearer of a token. */

import { timestamp } from '../../kernel/async/clock.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import type { Reviewer } from './reviewer.ts'

/** The caller as the server knows it; nothing of the question goes back (supplement N-13). */
export const selfSubjectReview: Reviewer = {
  async review({ kind, apiVersion }, { user: { username, uid, groups, extra }, now }) {
    const userInfo = { username, ...(uid && { uid }), groups, ...(extra && { extra }) }
    const metadata = { creationTimestamp: timestamp(now) }
    return { kind, apiVersion, metadata, status: { userInfo } } as ApiObject
  },
}

type TokenReview = ApiObject & { readonly spec?: { readonly token?: string } }

/**
 * Whether a token is good, and whose it is (supplement N-12). Requests are not told apart by tokens, so the server knows
 * none and takes none for good; a client that asks is answered as with any token that was not issued here.
 */
export const tokenReview: Reviewer = {
  validate(question) {
    const { token } = (question as TokenReview).spec ?? {}
    return token ? [] : 'token is required for TokenReview in authentication'
  },
  async review(question) {
    return { ...question, status: { authenticated: false } } as ApiObject
  },
}
