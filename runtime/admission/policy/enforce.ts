import type { AnyKind } from '../../kernel/kind.ts'
import { isStatus } from '../../kernel/status.ts'
import type { Subject, Voice } from '../attempt.ts'
import type { World } from '../world.ts'
import { Decisions } from './decisions.ts'
import { matchedVersion } from './match.ts'
import { ConfigurationError, paramKindOf } from './params.ts'
import { type Binding, bindingsOf, type Policy, policiesOf } from './policies.ts'
import { type Refused, refusal } from './refusal.ts'
import { verdictsOf } from './verdicts.ts'

/** Fails if a policy that is bound refuses the request. */
export async function enforce(world: World, subject: Subject, voice: Voice): Promise<void> {
  const [first] = await refusedBy(world, bindingsOf(world), subject, voice)
  if (first !== undefined) throw refusal(subject, first)
}

async function refusedBy(
  world: World,
  bindings: readonly Binding[],
  subject: Subject,
  voice: Voice,
): Promise<readonly Refused[]> {
  const decisions = new Decisions(voice, world.tree.platform)
  for (const policy of policiesOf(world)) {
    const own = bindings.filter(({ policyName }) => policyName === policy.name)
    if (own.length === 0) continue
    await configured(decisions, policy, undefined, async () => {
      const version = await matchedVersion(world, policy.constraints, subject)
      if (version === undefined) return
      checkParamKind(world, policy)
      for (const binding of own)
        await bound(world, decisions, { policy, binding, version }, subject)
    })
    decisions.publish(policy)
  }
  return decisions.refused
}

function checkParamKind({ tree }: World, { paramKind }: Policy): void {
  if (paramKind === undefined || paramKindOf(tree, paramKind) !== undefined) return
  const { apiVersion = '', kind = '' } = paramKind
  const name = `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`
  throw new ConfigurationError(`failed to find resource referenced by paramKind: '${name}'`)
}

/** A policy with one of its bindings, about a request in one version. */
interface Bound {
  readonly policy: Policy
  readonly binding: Binding
  readonly version: AnyKind
}

function bound(
  world: World,
  decisions: Decisions,
  { policy, binding, version }: Bound,
  subject: Subject,
): Promise<void> {
  return configured(decisions, policy, binding, async () => {
    const { constraints } = binding
    if (constraints && !(await matchedVersion(world, constraints, subject))) return
    for (const verdict of await verdictsOf(world, policy, binding, version, subject)) {
      decisions.add(policy, binding, verdict)
    }
  })
}

/** Does what needs a policy and a binding that are as they have to be. */
async function configured(
  decisions: Decisions,
  policy: Policy,
  binding: Binding | undefined,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ConfigurationError || isStatus(error))) throw error
    const what = binding === undefined ? 'policy' : 'binding'
    decisions.misconfigured(policy, binding, `failed to configure ${what}: ${error.message}`)
  }
}
