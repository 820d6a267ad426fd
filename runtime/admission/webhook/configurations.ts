import type { MutatingWebhookConfiguration } from '../../../generated/apis/admissionregistration/v1/mutating-webhook.ts'
import type { ValidatingWebhookConfiguration } from '../../../generated/apis/admissionregistration/v1/validating-webhook.ts'
import type {
  RuleWithOperations,
  WebhookClientConfig,
} from '../../../generated/apis/admissionregistration/v1/webhook.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { MatchCondition } from '../../policy/policy.ts'
import type { ResourceOperation } from '../chain/attributes.ts'
import { ParsedObjects } from '../chain/parsed-objects.ts'
import { listStored, type PluginContext } from '../chain/plugin-context.ts'
import { parseSelectors, type Selectors } from '../matching/request-matcher.ts'

/** One webhook of a configuration object. */
export interface Webhook extends Selectors {
  /** Identifies the webhook among those of its kind: configuration, name and index. */
  readonly id: string
  /** The name of the configuration object. */
  readonly configuration: string
  readonly name: string
  readonly clientConfig: WebhookClientConfig
  readonly rules: readonly RuleWithOperations[]
  /** True for the failure policy Ignore. */
  readonly ignoreFailure: boolean
  /** True for the match policy Equivalent. */
  readonly equivalent: boolean
  /** True if a call has no side effects, or none on a dry run. */
  readonly supportsDryRun: boolean
  readonly timeoutSeconds: number
  readonly reviewVersions: readonly string[]
  /** True for the reinvocation policy IfNeeded. */
  readonly reinvokeIfNeeded: boolean
  readonly matchConditions: readonly MatchCondition[]
}

type Configuration = Stored<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>
type WebhookSpec = NonNullable<MutatingWebhookConfiguration['webhooks']>[number]

/** The resources that hold configuration objects, one for each plugin. */
export type ConfigurationResource =
  | 'mutatingwebhookconfigurations'
  | 'validatingwebhookconfigurations'

/** The webhooks of all configuration objects of a resource. */
export class WebhookConfigurations {
  readonly #context: PluginContext
  readonly #path: string
  readonly #parsed = new ParsedObjects((stored) =>
    parseConfiguration(stored.object() as Configuration),
  )

  constructor(context: PluginContext, resource: ConfigurationResource) {
    this.#context = context
    this.#path = `apis/admissionregistration.${context.scheme.platform.api}/v1/${resource}`
  }

  /** The webhooks in the order of their calls: by the name of the configuration, then as they stand in it. */
  list(): readonly Webhook[] {
    const stored = listStored(this.#context, this.#path)
    return stored.length === 0 ? none : stored.flatMap((one) => this.#parsed.get(one))
  }
}

const none: readonly Webhook[] = []

/** Sets the defaults of fields as version v1 has them. */
function parseConfiguration({ metadata, webhooks }: Configuration): readonly Webhook[] {
  const configuration = metadata.name
  return ((webhooks ?? []) as readonly WebhookSpec[]).map((spec, index) => ({
    id: `${configuration}/${spec.name}/${index}`,
    configuration,
    name: spec.name,
    clientConfig: spec.clientConfig,
    rules: spec.rules ?? [],
    ignoreFailure: spec.failurePolicy === 'Ignore',
    equivalent: spec.matchPolicy !== 'Exact',
    ...parseSelectors(spec),
    supportsDryRun: spec.sideEffects === 'None' || spec.sideEffects === 'NoneOnDryRun',
    timeoutSeconds: spec.timeoutSeconds ?? 10,
    reviewVersions: spec.admissionReviewVersions ?? [],
    reinvokeIfNeeded: spec.reinvocationPolicy === 'IfNeeded',
    matchConditions: spec.matchConditions ?? [],
  }))
}

/** The resources that webhooks never see: a webhook that rejects everything could not be removed otherwise. */
const exemptResources = [
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
]

/** True for the resources that webhooks never see: webhook configurations and admission policies. */
export function isExemptFromWebhooks(
  { resource }: ResourceOperation,
  { scheme }: PluginContext,
): boolean {
  return (
    resource.group === `admissionregistration.${scheme.platform.api}` &&
    exemptResources.includes(resource.plural)
  )
}
