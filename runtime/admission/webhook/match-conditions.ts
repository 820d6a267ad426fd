import { withAuthorizationChecks } from '../../cel/cel.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import {
  type CompiledMatchCondition,
  compileMatchConditions,
  Evaluator,
  environmentFor,
  evaluateMatchConditions,
  type MatchOutcome,
  usesAuthorizer,
} from '../../policy/policy.ts'
import type { Attributes } from '../chain/attributes.ts'
import { forbidden } from '../chain/errors.ts'
import type { PluginContext } from '../chain/plugin-context.ts'
import { activationFor, celAuthorizerFor } from '../matching/activation.ts'
import { versionAttributes } from '../matching/versioned-attributes.ts'
import type { Webhook } from './configurations.ts'

interface CompiledConditions {
  readonly conditions: readonly CompiledMatchCondition[]
  readonly usesAuthorizer: boolean
}

/** The match conditions of webhooks, compiled when a webhook is first matched. */
export class MatchConditions {
  readonly #context: PluginContext
  readonly #compiled = new WeakMap<Webhook, CompiledConditions>()

  constructor(context: PluginContext) {
    this.#context = context
  }

  /**
   * True if every match condition of the webhook holds. If conditions cannot be evaluated, the failure policy decides: Ignore
   * skips the webhook, Fail rejects the request (supplement Q-07).
   *
   * @throws StatusError (Forbidden) if a condition cannot be evaluated and the failure policy is Fail
   */
  async hold(webhook: Webhook, version: AnyKind, attributes: Attributes): Promise<boolean> {
    if (webhook.matchConditions.length === 0) return true
    const outcome = await this.#evaluate(this.#conditionsOf(webhook), version, attributes)
    if (outcome.is !== 'failed') return outcome.is === 'true'
    if (webhook.ignoreFailure) return false
    throw forbidden(attributes, outcome.text)
  }

  /** Only conditions that use the authorizer are asynchronous. */
  async #evaluate(
    { conditions, usesAuthorizer: isAsync }: CompiledConditions,
    version: AnyKind,
    attributes: Attributes,
  ): Promise<MatchOutcome> {
    const context = this.#context
    const versioned = await versionAttributes(context, version, attributes)
    const activation = activationFor(attributes, versioned)
    if (!isAsync) {
      return evaluateMatchConditions(conditions, new Evaluator(activation, [], undefined))
    }
    return withAuthorizationChecks(celAuthorizerFor(context, attributes.user), (authorizer) =>
      evaluateMatchConditions(conditions, new Evaluator(activation, [], authorizer)),
    )
  }

  #conditionsOf(webhook: Webhook): CompiledConditions {
    const { brand } = this.#context.scheme.platform
    const compiled = this.#compiled.get(webhook) ?? compile(webhook, brand)
    this.#compiled.set(webhook, compiled)
    return compiled
  }
}

function compile({ matchConditions }: Webhook, brand: string): CompiledConditions {
  const environment = environmentFor({ brand, params: false, authorizer: true })
  const conditions = compileMatchConditions(matchConditions, environment)
  return {
    conditions,
    usesAuthorizer: usesAuthorizer(conditions.map(({ compiled }) => compiled)),
  }
}
