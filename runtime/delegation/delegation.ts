/**
 * Delegation: a daemon that asks a server who its callers are and what they may, and decides neither itself.
 *
 *  1. Tokens and rights are asked for by reviews, and what was answered is kept for a time. A server that does not answer vouches for
 *     no one and allows nothing.
 *  2. Whose certificates name users and proxies the server publishes; that is followed.
 *  3. Paths that are always allowed, and members of the privileged group, need no review.
 */

export { type AccessReviewOptions, accessReviewAuthorizer } from './access-reviews.ts'
export { allowedPathsAuthorizer } from './allowed-paths.ts'
export { type ClusterTrust, followClusterTrust } from './cluster-trust.ts'
export { type TokenReviewOptions, tokenReviewAuthenticator } from './token-reviews.ts'
