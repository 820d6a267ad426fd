/**
 * Conversion of an operator's kinds between their versions, for servers that know its definitions only.
 *
 *  1. What is converted is what the schema files say: the steps of the generated kinds, in both directions, by way of the stored
 *     version. Nothing is dropped or defaulted beside them: the server does that by the schema of the version it asked for.
 *  2. The answer is whole or a failure: a review with one object that cannot be converted names it, and converts none.
 *  3. A server calls over TLS. The certificate is made, kept in a secret that all copies of the program share, renewed before it
 *     ends, and told to the server in the definitions; or it is in files that something else renews.
 *  4. A body is bounded, and a caller can do no more than have objects converted.
 */
export {
  type ConversionReviewBody,
  convertReview,
  type NamedConversions,
} from './convert-review.ts'
export {
  type ConversionServer,
  type ServeConversionOptions,
  serveConversion,
} from './serve-conversion.ts'
export type { CertificateFiles } from './serving-certificate.ts'
export { type WebhookNames, webhookNames } from './webhook-names.ts'
