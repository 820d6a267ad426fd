import type { Builders } from '../contract/build-controller.ts'

/** The controllers of service accounts and tokens, of requests for certificates, and of what pods know the server by. */
export const identity: Builders = {
  'bootstrap-signer-controller': async (context) =>
    (await import('./bootstrap-tokens/signing.ts')).bootstrapSignerController(context),
  'certificatesigningrequest-approving-controller': async (context) =>
    (await import('./certificate-requests/approving.ts')).approvingController(context),
  'certificatesigningrequest-cleaner-controller': async (context) =>
    (await import('./certificate-requests/cleaning.ts')).cleaningController(context),
  'certificatesigningrequest-signing-controller': async (context) =>
    (await import('./certificate-requests/signing.ts')).signingController(context),
  'legacy-serviceaccount-token-cleaner-controller': async (context) =>
    (await import('./unused-tokens.ts')).legacyTokenCleanerController(context),
  'root-ca-certificate-publisher-controller': async (context) =>
    (await import('./root-certificates.ts')).rootCertificatesController(context),
  'serviceaccount-controller': async (context) =>
    (await import('./service-accounts.ts')).serviceAccountController(context),
  'serviceaccount-token-controller': async (context) =>
    (await import('./account-tokens.ts')).accountTokensController(context),
  'token-cleaner-controller': async (context) =>
    (await import('./bootstrap-tokens/cleaning.ts')).tokenCleanerController(context),
}
