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
export { authenticatedGroup, unauthenticatedGroup, withAuthenticatedGroup } from './authn/groups.ts'
export {
  type HeaderValues,
  type Impersonation,
  impersonationHeaders,
  readImpersonation,
} from './authn/impersonation.ts'
export { inProcessUser } from './authn/in-process.ts'
export { insecureAuthenticator } from './authn/insecure.ts'
export { issuerTokenAuthenticator } from './authn/jwt/issuer-tokens.ts'
export type { JWTAuthenticator, JwtProblem } from './authn/jwt/jwt-issuer.ts'
export {
  isAlgorithm,
  jwkOf,
  parseSigningKey,
  parseVerificationKeys,
  publicPartOf,
  type SignatureAlgorithm,
  type SigningKey,
  signatureAlgorithms,
  type VerificationKey,
  verificationKeyOf,
} from './authn/jwt/keys.ts'
export { loadClaimMapping } from './authn/jwt/load-claim-mapping.ts'
export type { CertificateRoots } from './authn/peer-certificates.ts'
export { type RequestHeaderOptions, requestHeaderAuthenticator } from './authn/request-header.ts'
export type { AccountClaims } from './authn/service-accounts/claims.ts'
export { signLegacyToken, type TokenIssuer, tokenIssuer } from './authn/service-accounts/issuer.ts'
export { serviceAccountTokenAuthenticator } from './authn/service-accounts/service-account-tokens.ts'
export type { TokenUses } from './authn/service-accounts/token-uses.ts'
export {
  accountGroups,
  accountOfUsername,
  accountUsername,
} from './authn/service-accounts/usernames.ts'
export type {
  IdentitySource,
  StoredAccount,
  StoredIdentity,
  StoredSecret,
} from './authn/stored-identities.ts'
export type { TokenService } from './authn/token-service.ts'
export {
  bearerProtocols,
  bearerTokenAuthenticator,
  reviewToken,
} from './authn/tokens/bearer-token.ts'
export {
  bootstrapTokenAuthenticator,
  bootstrapTokenLeftMs,
} from './authn/tokens/bootstrap-tokens.ts'
export { cachedTokens, type TokenCacheUses } from './authn/tokens/cached-tokens.ts'
export {
  parseStaticTokens,
  type StaticTokens,
  staticTokenAuthenticator,
} from './authn/tokens/static-tokens.ts'
export {
  PresentedToken,
  type TokenAuthenticator,
  tokenChain,
  withoutAudience,
} from './authn/tokens/token-authenticator.ts'
export { webhookTokenAuthenticator } from './authn/tokens/webhook-tokens.ts'
export { type UnionOptions, unionAuthenticator } from './authn/union.ts'
export { type AbacPolicy, abacAuthorizer } from './authz/abac/abac-authorizer.ts'
export { type AbacPolicies, readAbacPolicies } from './authz/abac/abac-policies.ts'
export { alwaysAllow } from './authz/always-allow.ts'
export { alwaysDeny } from './authz/always-deny.ts'
export type {
  AuthorizationAttributes,
  AuthorizationResult,
  Authorizer,
  SubjectRules,
} from './authz/authorizer.ts'
export { isAllowed, subjectRulesOf } from './authz/decisions.ts'
export { AccessError, forbiddenError, unauthorizedError } from './authz/errors.ts'
export { nodeAuthorizer, nodeNameOf } from './authz/node/node-authorizer.ts'
export { NodeGraph, type NodeObject, objectId } from './authz/node/node-graph.ts'
export { privilegedGroup, privilegedGroupAuthorizer } from './authz/privileged-group.ts'
export {
  AccessIndex,
  type Grant,
  type StoredBinding,
  type StoredRole,
} from './authz/rbac/access-index.ts'
export { grantText, rbacAuthorizer } from './authz/rbac/rbac-authorizer.ts'
export { compactRules, missingRules, quotedList, ruleText } from './authz/rbac/rule-coverage.ts'
export { ruleAllows } from './authz/rbac/rule-match.ts'
export {
  type HeldRules,
  joinedErrors,
  type RuleResolver,
  ruleResolver,
} from './authz/rbac/rule-resolver.ts'
export { smallestRule } from './authz/rbac/smallest-rule.ts'
export { unionAuthorizer } from './authz/union.ts'
export { type ReviewStatus, webhookAuthorizer } from './authz/webhook/webhook-authorizer.ts'
