import { withChecks } from '../../cel/cel.ts'
import type { AnyKind } from '../../kernel/kind.ts'
import {
  type CompiledCondition,
  checksRights,
  compileConditions,
  conditionsHold as evaluated,
  type Holding,
  Run,
  scopeOf,
} from '../../policy/policy.ts'
import type { Subject } from '../attempt.ts'
import { authorityOf, inputsOf } from '../policy/request.ts'
import { forbidden } from '../refusal.ts'
import type { World } from '../world.ts'
import { shownAs } from './call.ts'
import type { Hook } from './hook.ts'

/** The conditions of a webhook, compiled. */
interface Conditions {
  readonly compiled: readonly CompiledCondition[]
  readonly checksRights: boolean
}

const known = new WeakMap<Hook, Conditions>()

/**
 * True if the webhook is to be called as far as its conditions say. Conditions that cannot be evaluated refuse the request
 * or leave the webhook out, as its failure policy says (supplement Q-07).
 */
export async function conditionsHold(
  world: World,
  hook: Hook,
  asked: AnyKind,
  subject: Subject,
): Promise<boolean> {
  if (hook.conditions.length === 0) return true
  const held = await holding(world, conditionsOf(hook, world), asked, subject)
  if (held.is !== 'failed') return held.is === 'true'
  if (hook.ignoreFailure) return false
  throw forbidden(subject, held.text)
}

function holding(
  world: World,
  { compiled, checksRights: slow }: Conditions,
  asked: AnyKind,
  subject: Subject,
): Promise<Holding> | Holding {
  const inputs = inputsOf(subject, shownAs(world, asked, subject))
  if (!slow) return evaluated(compiled, new Run(inputs, [], undefined))
  return withChecks(authorityOf(world, subject.caller), (authority) =>
    evaluated(compiled, new Run(inputs, [], authority)),
  )
}

function conditionsOf(hook: Hook, { tree: { platform } }: World): Conditions {
  const found = known.get(hook) ?? compile(hook, platform.brand)
  known.set(hook, found)
  return found
}

function compile({ conditions }: Hook, brand: string): Conditions {
  const scope = scopeOf({ brand, params: false, authorizer: true })
  const compiled = compileConditions(conditions, scope)
  return { compiled, checksRights: checksRights(compiled.map((one) => one.compiled)) }
}
