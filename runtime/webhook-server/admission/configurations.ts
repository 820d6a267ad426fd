/** What tells a server of an operator's admission webhooks. */
import {
  type MutatingWebhook,
  mutatingWebhookConfigurations,
} from '../../../generated/apis/admissionregistration/v1/mutating-webhook.ts'
import {
  type ValidatingWebhook,
  validatingWebhookConfigurations,
} from '../../../generated/apis/admissionregistration/v1/validating-webhook.ts'
import type { WebhookClientConfig } from '../../../generated/apis/admissionregistration/v1/webhook.ts'
import type { Client } from '../../client/client.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { WebhookStep } from './answer-admission.ts'
import { type AnyAdmissionWebhook, operationsOf } from './webhook.ts'

/** How servers reach webhooks, and what they call the groups of kinds. */
export interface WebhookTarget {
  /** The place of a path. */
  clientConfig(path: string): WebhookClientConfig
  groups(kind: AnyKind): readonly string[]
}

/** The webhooks of the two configurations of an operator. */
export interface WebhookLists {
  readonly mutating: readonly MutatingWebhook[]
  readonly validating: readonly ValidatingWebhook[]
}

/** Where a step of a webhook is served. */
export function webhookPath(
  { name }: Pick<AnyAdmissionWebhook, 'name'>,
  step: WebhookStep,
): string {
  return `/${step}/${name}`
}

/** The webhooks as configurations list them. */
export function webhookLists(
  webhooks: readonly AnyAdmissionWebhook[],
  target: WebhookTarget,
): WebhookLists {
  const of = (step: WebhookStep) => webhooks.filter((one) => one[step] !== undefined)
  return {
    mutating: of('mutate').map((webhook) => ({
      ...listed(webhook, 'mutate', target),
      reinvocationPolicy: webhook.reinvocationPolicy ?? 'Never',
    })),
    validating: of('validate').map((webhook) => listed(webhook, 'validate', target)),
  }
}

function listed(
  webhook: AnyAdmissionWebhook,
  step: WebhookStep,
  target: WebhookTarget,
): ValidatingWebhook {
  const { name, for: kind, subresource, namespaceSelector, objectSelector } = webhook
  const { failurePolicy = 'Fail', sideEffects = 'None', timeoutSeconds = 10 } = webhook
  const operations = operationsOf(webhook).filter((one) => step !== 'mutate' || one !== 'DELETE')
  return {
    name,
    clientConfig: target.clientConfig(webhookPath(webhook, step)),
    rules: [
      {
        apiGroups: target.groups(kind),
        apiVersions: [kind.version],
        operations,
        resources: [subresource === undefined ? kind.plural : `${kind.plural}/${subresource}`],
        scope: kind.scope,
      },
    ],
    failurePolicy,
    matchPolicy: 'Equivalent',
    ...(namespaceSelector && { namespaceSelector }),
    ...(objectSelector && { objectSelector }),
    sideEffects,
    timeoutSeconds,
    admissionReviewVersions: ['v1', 'v1beta1'],
    ...(webhook.matchConditions && { matchConditions: webhook.matchConditions }),
  }
}

/** Brings both configurations of that name to these webhooks. */
export async function applyConfigurations(
  client: Client,
  name: string,
  { mutating, validating }: WebhookLists,
): Promise<void> {
  const metadata = { name }
  const force = { force: true }
  await Promise.all([
    client.resource(mutatingWebhookConfigurations).apply({ metadata, webhooks: mutating }, force),
    client
      .resource(validatingWebhookConfigurations)
      .apply({ metadata, webhooks: validating }, force),
  ])
}

/**
 * Tells servers which authority signed the certificate of a service: in the webhooks of the operator's configurations that lead
 * there.
 *
 * @throws Error if the operator has no such configuration.
 */
export async function trustConfigurations(
  client: Client,
  name: string,
  service: string,
  webhooks: readonly AnyAdmissionWebhook[],
  caBundle: string,
): Promise<void> {
  for (const [step, kind] of [
    ['mutate', mutatingWebhookConfigurations],
    ['validate', validatingWebhookConfigurations],
  ] as const) {
    if (!webhooks.some((one) => one[step] !== undefined)) continue
    const resource = client.resource(kind as typeof validatingWebhookConfigurations)
    const stored = await resource.find(name)
    if (stored === undefined) {
      const needed = 'apply the manifests that orch package writes, or name a url'
      throw new Error(`there is no ${kind.kind} ${name}: ${needed}`)
    }
    const changes = (stored.webhooks ?? []).flatMap((webhook, at) => {
      const { clientConfig } = webhook
      if (clientConfig.service?.name !== service || clientConfig.caBundle === caBundle) return []
      return [
        { op: 'test', path: `/webhooks/${at}/name`, value: webhook.name } as const,
        { op: 'add', path: `/webhooks/${at}/clientConfig/caBundle`, value: caBundle } as const,
      ]
    })
    if (changes.length > 0) await resource.jsonPatch(name, changes)
  }
}
