/**
 * Calls of webhooks: a JSON body over HTTPS, a JSON response, with bounds on time and size. What a request asks and what the
 * response means is up to the callers: admission sends AdmissionReviews, conversion sends ConversionReviews.
 */
export type { WebhookClientConfig } from '../../generated/apis/admissionregistration/v1/webhook.ts'
export { WebhookClient, WebhookClientClosed } from './client.ts'
export { checkClientConfig } from './client-config.ts'
export type { ServiceEndpoint, ServiceResolver } from './destination.ts'
export { describeError } from './tls-errors.ts'
