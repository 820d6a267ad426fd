/** Webhooks as their configuration objects describe them, in the order in which they are called. */
import type { MutatingWebhookConfiguration } from '../../../generated/apis/admissionregistration/v1/mutating-webhook.ts'
import type { ValidatingWebhookConfiguration } from '../../../generated/apis/admissionregistration/v1/validating-webhook.ts'
import type {
  RuleWithOperations,
  WebhookClientConfig,
} from '../../../generated/apis/admissionregistration/v1/webhook.ts'
import {
  type LabelRequirement,
  type LabelSelectorLike,
  requirementsOf,
} from '../../kernel/labels.ts'
import type { Condition } from '../../policy/policy.ts'
import { resourceAt, type Stored, type World } from '../world.ts'

/** One webhook. */
export interface Hook {
  /** Configuration and name: no two webhooks of a kind have the same. */
  readonly id: string
  readonly configuration: string
  readonly name: string
  readonly client: WebhookClientConfig
  readonly rules: readonly RuleWithOperations[]
  readonly ignoreFailure: boolean
  readonly equivalent: boolean
  readonly namespaces: readonly LabelRequirement[]
  readonly objects: readonly LabelRequirement[]
  /** Calling it leaves nothing behind, or nothing on a dry run. */
  readonly harmless: boolean
  readonly timeoutSeconds: number
  readonly versions: readonly string[]
  readonly reinvoked: boolean
  readonly conditions: readonly Condition[]
}

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration
type Webhook = NonNullable<MutatingWebhookConfiguration['webhooks']>[number]

const known = new WeakMap<Stored, readonly Hook[]>()

/** The collection of the configurations of one sort. */
export function configurationsPath({ tree }: Pick<World, 'tree'>, plural: string): string {
  return `apis/admissionregistration.${tree.platform.api}/v1/${plural}`
}

/** The webhooks of all configurations at a path: by the configurations' names, then as they stand there. */
export function hooksAt(world: World, path: string): readonly Hook[] {
  const kind = resourceAt(world, path)
  const stored = kind === undefined ? [] : world.lister.list(kind)
  return stored.length === 0 ? none : stored.flatMap(hooksIn)
}

const none: readonly Hook[] = []

function hooksIn(stored: Stored): readonly Hook[] {
  const hooks = known.get(stored) ?? read(stored.object() as Configuration)
  known.set(stored, hooks)
  return hooks
}

function read({ metadata, webhooks }: Configuration): readonly Hook[] {
  const configuration = metadata.name ?? ''
  return ((webhooks ?? []) as readonly Webhook[]).map((one, index) => ({
    id: `${configuration}/${one.name}/${index}`,
    configuration,
    name: one.name,
    client: one.clientConfig,
    rules: one.rules ?? [],
    ignoreFailure: one.failurePolicy === 'Ignore',
    equivalent: one.matchPolicy !== 'Exact',
    namespaces: selected(one.namespaceSelector),
    objects: selected(one.objectSelector),
    harmless: one.sideEffects === 'None' || one.sideEffects === 'NoneOnDryRun',
    timeoutSeconds: one.timeoutSeconds ?? 10,
    versions: one.admissionReviewVersions ?? [],
    reinvoked: one.reinvocationPolicy === 'IfNeeded',
    conditions: one.matchConditions ?? [],
  }))
}

function selected(selector: LabelSelectorLike | undefined): readonly LabelRequirement[] {
  return requirementsOf(selector ?? {}) ?? []
}
