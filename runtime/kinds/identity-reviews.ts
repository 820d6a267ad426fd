/** Questions about who somebody is: the caller, or whoever bears a token. */
import type { ApiObject } from '../kernel/object.ts'
import { timestamp } from '../kernel/time.ts'
import type { Answering } from './answers.ts'

/** The caller as the server knows it; nothing of the question goes back (supplement N-13). */
export const selfSubjectReview: Answering = {
  async answer({ kind, apiVersion }, { caller: { username, uid, groups, extra }, now }) {
    const userInfo = { username, ...(uid && { uid }), groups, ...(extra && { extra }) }
    const metadata = { creationTimestamp: timestamp(now) }
    return { kind, apiVersion, metadata, status: { userInfo } } as ApiObject
  },
}

type TokenReview = ApiObject & { readonly spec?: { readonly token?: string } }

/**
 * Whether a token is good, and whose it is (supplement N-12). Requests are not told apart by tokens, so the server knows
 * none and takes none for good; a client that asks is answered as with any token that nobody issued.
 */
export const tokenReview: Answering = {
  check(question) {
    const { token } = (question as TokenReview).spec ?? {}
    return token ? [] : 'token is required for TokenReview in authentication'
  },
  async answer(question) {
    return { ...question, status: { authenticated: false } } as ApiObject
  },
}
