import type { Builders } from '../contract/build-controller.ts'

/** The controllers of service accounts, and of what pods know the server by. */
export const identity: Builders = {
  'root-ca-certificate-publisher-controller': async (context) =>
    (await import('./root-certificates.ts')).rootCertificatesController(context),
  'serviceaccount-controller': async (context) =>
    (await import('./service-accounts.ts')).serviceAccountController(context),
  'serviceaccount-token-controller': async (context) =>
    (await import('./account-tokens.ts')).accountTokensController(context),
}
