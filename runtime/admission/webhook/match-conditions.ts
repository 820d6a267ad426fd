import { withAuthorizationChecks } from '../../cel/cel.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import {
  type CompiledMatchCondition,
  compileMatchConditions,
  Evaluator,
  environmentFor,
  evaluateMatchConditions as evaluated,
  type MatchOutcome,
  usesAuthorizer,
} from '../../policy/policy.ts'
import type { Attributes } from '../chain/attributes.ts'
import { forbidden } from '../chain/errors.ts'
import type { PluginContext } from '../chain/plugin-context.ts'
import { activationFor, celAuthorizerFor } from '../policy/activation.ts'
import type { Webhook } from './configurations.ts'
import { versionAttributes } from './review-client.ts'

/** The conditions of a webhook, compiled. */
interface CompiledConditions {
  readonly compiled: readonly CompiledMatchCondition[]
  readonly checksRights: boolean
}

const known = new WeakMap<Webhook, CompiledConditions>()

/**
 * True if the webhook is to be called as far as its conditions say. Conditions that cannot be evaluated refuse the request
 * or leave the webhook out, as its failure policy says (supplement Q-07).
 */
export async function matchConditionsHold(
  world: PluginContext,
  hook: Webhook,
  asked: AnyKind,
  subject: Attributes,
): Promise<boolean> {
  if (hook.matchConditions.length === 0) return true
  const held = await evaluateConditions(world, conditionsOf(hook, world), asked, subject)
  if (held.is !== 'failed') return held.is === 'true'
  if (hook.ignoreFailure) return false
  throw forbidden(subject, held.text)
}

async function evaluateConditions(
  world: PluginContext,
  { compiled, checksRights: slow }: CompiledConditions,
  asked: AnyKind,
  subject: Attributes,
): Promise<MatchOutcome> {
  const inputs = activationFor(subject, await versionAttributes(world, asked, subject))
  if (!slow) return evaluated(compiled, new Evaluator(inputs, [], undefined))
  return withAuthorizationChecks(celAuthorizerFor(world, subject.caller), (authority) =>
    evaluated(compiled, new Evaluator(inputs, [], authority)),
  )
}

function conditionsOf(hook: Webhook, { scheme: { platform } }: PluginContext): CompiledConditions {
  const found = known.get(hook) ?? compile(hook, platform.brand)
  known.set(hook, found)
  return found
}

function compile({ matchConditions: conditions }: Webhook, brand: string): CompiledConditions {
  const scope = environmentFor({ brand, params: false, authorizer: true })
  const compiled = compileMatchConditions(conditions, scope)
  return { compiled, checksRights: usesAuthorizer(compiled.map((one) => one.compiled)) }
}
