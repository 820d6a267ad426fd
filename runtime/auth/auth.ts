/** Authentication and authorization: who makes a request, and whether that user may make it. */
export type { UserInfo } from '../kernel/auth/user-info.ts'
export { anonymousAuthenticator, anonymousUser } from './authn/anonymous.ts'
export {
  type Authenticated,
  type AuthenticationPeer,
  type AuthenticationRequest,
  type AuthenticationResult,
  type Authenticator,
  headerValues,
  type PeerCertificate,
} from './authn/authenticator.ts'
export {
  type ClientCertificateOptions,
  clientCertificateAuthenticator,
} from './authn/client-certificate.ts'
export { inProcessUser } from './authn/in-process.ts'
export { insecureAuthenticator } from './authn/insecure.ts'
export type { CertificateRoots } from './authn/peer-certificates.ts'
export { type RequestHeaderOptions, requestHeaderAuthenticator } from './authn/request-header.ts'
export { type UnionOptions, unionAuthenticator } from './authn/union.ts'
export { alwaysAllow } from './authz/always-allow.ts'
export { alwaysDeny } from './authz/always-deny.ts'
export type {
  AuthorizationAttributes,
  AuthorizationResult,
  Authorizer,
  SubjectRules,
} from './authz/authorizer.ts'
export { isAllowed, subjectRulesOf } from './authz/decisions.ts'
export { forbiddenError, unauthorizedError } from './authz/errors.ts'
export { privilegedGroup, privilegedGroupAuthorizer } from './authz/privileged-group.ts'
export {
  AccessIndex,
  type Grant,
  type StoredBinding,
  type StoredRole,
} from './authz/rbac/access-index.ts'
export { grantText, rbacAuthorizer } from './authz/rbac/rbac-authorizer.ts'
export { compactRules, missingRules, quotedList, ruleText } from './authz/rbac/rule-coverage.ts'
export { type HeldRules, type RuleResolver, ruleResolver } from './authz/rbac/rule-resolver.ts'
export { unionAuthorizer } from './authz/union.ts'
