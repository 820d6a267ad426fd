/** Reviews of identity: of the caller, or of the bearer of a token. */

import type { AuthenticationResult } from '../../auth/auth.ts'
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

interface TokenReview extends ApiObject {
  readonly spec?: { readonly token?: string; readonly audiences?: readonly string[] }
}

/**
 * Whether a token is good, and whose it is (supplement N-12): those that authenticate requests are asked, for the audiences of the
 * review, or else those of the API.
 */
export const tokenReview: Reviewer = {
  validate(question) {
    const { token } = (question as TokenReview).spec ?? {}
    return token ? [] : 'token is required for TokenReview in authentication'
  },
  async review(question, { tokens }) {
    const { token = '', audiences } = (question as TokenReview).spec ?? {}
    const wanted = audiences?.length ? audiences : (tokens?.apiAudiences ?? [])
    const result = await tokens?.review(token, wanted)
    return { ...question, status: statusOf(result) } as ApiObject
  },
}

const unknownToken = 'invalid bearer token'

/** A refusal is told to who reviews, as the public API server tells it: first that the token is not good, then why. */
function statusOf(result: AuthenticationResult): object {
  if (result === undefined) return {}
  if ('refused' in result) {
    const { refused } = result
    return { error: refused === unknownToken ? refused : `[${unknownToken}, ${refused}]` }
  }
  const { user, audiences } = result
  const { username, uid, groups, extra } = user
  return {
    authenticated: true,
    user: { username, ...(uid && { uid }), groups, ...(extra && { extra }) },
    ...(audiences?.length && { audiences }),
  }
}
