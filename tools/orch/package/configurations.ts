/** The configurations by which servers ask an operator about requests. */
import {
  type AnyAdmissionWebhook,
  webhookLists,
} from '../../../runtime/webhook-server/webhook-server.ts'
import {
  type Manifest,
  metadataOf,
  type PackageSettings,
  publicGroup,
  webhookService,
} from './settings.ts'

/** A configuration for each sort of webhook that there is. Which authority signed its certificate says the operator itself. */
export function configurationManifests(
  settings: PackageSettings,
  webhooks: readonly AnyAdmissionWebhook[],
): readonly Manifest[] {
  const service = webhookService(settings)
  const { mutating, validating } = webhookLists(webhooks, {
    clientConfig: (path) => ({ service: { ...service, path, port: 443 } }),
    groups: ({ group }) => [publicGroup(group)],
  })
  return [
    ...configuration(settings, 'MutatingWebhookConfiguration', mutating),
    ...configuration(settings, 'ValidatingWebhookConfiguration', validating),
  ]
}

function configuration(
  settings: PackageSettings,
  kind: string,
  webhooks: readonly object[],
): readonly Manifest[] {
  if (webhooks.length === 0) return []
  const apiVersion = 'admissionregistration.k8s.io/v1'
  return [{ apiVersion, kind, metadata: metadataOf(settings, {}), webhooks }]
}
