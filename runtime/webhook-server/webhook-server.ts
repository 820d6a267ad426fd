/**
 * The webhooks of an operator: conversion of its kinds between their versions, for servers that know its definitions only, and
 * admission.
 *
 *  1. What is converted is what the schema files say: the steps of the generated kinds, in both directions, by way of the stored
 *     version. Nothing is dropped or defaulted beside them: the server does that by the schema of the version it asked for.
 *  2. A conversion is whole or a failure: a review with one object that cannot be converted names it, and converts none.
 *  3. A handler of admission changes a draft, refuses, warns, or leaves the request alone. One that throws or hangs has not refused: the
 *     failure policy of its webhook decides.
 *  4. A server calls over TLS. The certificate is made, kept in a secret that all copies of the program share, renewed before it
 *     ends, and told to the server in definitions and configurations; or it is in files that something else renews.
 *  5. Bodies are bounded, one by one and together, and a caller can do no more than have reviews answered.
 */
export {
  type WebhookLists,
  type WebhookTarget,
  webhookLists,
} from './admission/configurations.ts'
export {
  type AdmissionOperation,
  type AdmissionRequest,
  type AdmissionWebhook,
  type AnyAdmissionWebhook,
  defineWebhook,
  type Mutable,
} from './admission/webhook.ts'
export type { CertificateFiles } from './certificate/serving-certificate.ts'
export { type WebhookNames, webhookNames } from './certificate/webhook-names.ts'
export {
  type ConversionReviewBody,
  convertReview,
  type NamedConversions,
} from './conversion/convert-review.ts'
export {
  type LocalWebhooks,
  type ServeWebhooksOptions,
  serveLocally,
  serveWebhooks,
  type WebhookServer,
} from './serve-webhooks.ts'
