/** Webhooks as their configuration objects describe them, in the order in which they are called. */
import type { MutatingWebhookConfiguration } from '../../../generated/apis/admissionregistration/v1/mutating-webhook.ts'
import type { ValidatingWebhookConfiguration } from '../../../generated/apis/admissionregistration/v1/validating-webhook.ts'
import type {
  RuleWithOperations,
  WebhookClientConfig,
} from '../../../generated/apis/admissionregistration/v1/webhook.ts'
import {
  type LabelRequirement,
  type LabelSelectorFields,
  labelRequirementsOf,
} from '../../kernel/meta/label-selector.ts'
import type { MatchCondition } from '../../policy/policy.ts'
import { type PluginContext, type StoredObject, servedKind } from '../chain/plugin-context.ts'

/** One webhook. */
export interface Webhook {
  /** Configuration and name: no two webhooks of a kind have the same. */
  readonly id: string
  readonly configuration: string
  readonly name: string
  readonly clientConfig: WebhookClientConfig
  readonly rules: readonly RuleWithOperations[]
  readonly ignoreFailure: boolean
  readonly equivalent: boolean
  readonly namespaces: readonly LabelRequirement[]
  readonly objects: readonly LabelRequirement[]
  /** Calling it leaves nothing behind, or nothing on a dry run. */
  readonly supportsDryRun: boolean
  readonly timeoutSeconds: number
  readonly reviewVersions: readonly string[]
  readonly reinvokeIfNeeded: boolean
  readonly matchConditions: readonly MatchCondition[]
}

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration
type WebhookSpec = NonNullable<MutatingWebhookConfiguration['webhooks']>[number]

const known = new WeakMap<StoredObject, readonly Webhook[]>()

/** The collection of the configurations of one sort. */
export function configurationsPath(
  { scheme }: Pick<PluginContext, 'scheme'>,
  plural: string,
): string {
  return `apis/admissionregistration.${scheme.platform.api}/v1/${plural}`
}

/** The webhooks of all configurations at a path: by the configurations' names, then as they stand there. */
export function listWebhooks(world: PluginContext, path: string): readonly Webhook[] {
  const kind = servedKind(world, path)
  const stored = kind === undefined ? [] : world.lister.list(kind)
  return stored.length === 0 ? none : stored.flatMap(webhooksIn)
}

const none: readonly Webhook[] = []

function webhooksIn(stored: StoredObject): readonly Webhook[] {
  const hooks = known.get(stored) ?? parseConfiguration(stored.object() as Configuration)
  known.set(stored, hooks)
  return hooks
}

function parseConfiguration({ metadata, webhooks }: Configuration): readonly Webhook[] {
  const configuration = metadata.name ?? ''
  return ((webhooks ?? []) as readonly WebhookSpec[]).map((one, index) => ({
    id: `${configuration}/${one.name}/${index}`,
    configuration,
    name: one.name,
    clientConfig: one.clientConfig,
    rules: one.rules ?? [],
    ignoreFailure: one.failurePolicy === 'Ignore',
    equivalent: one.matchPolicy !== 'Exact',
    namespaces: parseSelector(one.namespaceSelector),
    objects: parseSelector(one.objectSelector),
    supportsDryRun: one.sideEffects === 'None' || one.sideEffects === 'NoneOnDryRun',
    timeoutSeconds: one.timeoutSeconds ?? 10,
    reviewVersions: one.admissionReviewVersions ?? [],
    reinvokeIfNeeded: one.reinvocationPolicy === 'IfNeeded',
    matchConditions: one.matchConditions ?? [],
  }))
}

function parseSelector(selector: LabelSelectorFields | undefined): readonly LabelRequirement[] {
  return labelRequirementsOf(selector ?? {}) ?? []
}
