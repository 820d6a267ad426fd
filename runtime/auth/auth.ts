/** Authentication and authorization: who makes a request, and whether that user may make it. */
export type { UserInfo } from '../kernel/auth/user-info.ts'
export { anonymousAuthenticator, anonymousUser } from './authn/anonymous.ts'
export type {
  Authenticated,
  AuthenticationPeer,
  AuthenticationRequest,
  AuthenticationResult,
  Authenticator,
  PeerCertificate,
} from './authn/authenticator.ts'
export { inProcessUser } from './authn/in-process.ts'
export { type UnionOptions, unionAuthenticator } from './authn/union.ts'
export { alwaysAllow } from './authz/always-allow.ts'
export type {
  AuthorizationAttributes,
  AuthorizationResult,
  Authorizer,
  SubjectRules,
} from './authz/authorizer.ts'
export { isAllowed, subjectRulesOf } from './authz/decisions.ts'
export { forbiddenError, unauthorizedError } from './authz/errors.ts'
export { unionAuthorizer } from './authz/union.ts'
