import type { AnyKind } from '../../kernel/kind.ts'
import { isStatus } from '../../kernel/status.ts'
import { policyGate } from '../../policy/policy.ts'
import { isWhole, type Place, type Subject, type Voice } from '../attempt.ts'
import type { PluginFactory } from '../plugin.ts'
import type { World } from '../world.ts'
import { Decisions } from './decisions.ts'
import { matchedVersion } from './match.ts'
import { checkParamRights } from './param-rights.ts'
import { ConfigurationError, paramKindOf } from './params.ts'
import { type Binding, bindingsOf, type Policy, policiesOf } from './policies.ts'
import { type Refused, refusal } from './refusal.ts'
import { verdictsOf } from './verdicts.ts'

/**
 * Policies that are stored as objects look at every request but those about themselves (supplement Q-11). These are only
 * asked whether their author may read what they show.
 */
export const validatingPolicies: PluginFactory = (world) => {
  const inForce = world.gates.has(policyGate)
  return {
    handles: (place) => (isPolicy(place, world) ? isAuthored(place) : inForce),
    async validate(subject, voice) {
      if (isPolicy(subject, world)) return checkParamRights(world, subject)
      const bindings = bindingsOf(world)
      if (bindings.length === 0) return
      const [first] = await refusedBy(world, bindings, subject, voice)
      if (first !== undefined) throw refusal(subject, first)
    },
  }
}

const ownResources = ['validatingadmissionpolicies', 'validatingadmissionpolicybindings']

/** Policies could not be repaired through one that refuses everything. */
function isPolicy({ resource }: Place, { tree: { platform } }: World): boolean {
  const { group, plural } = resource
  return group === `admissionregistration.${platform.api}` && ownResources.includes(plural)
}

function isAuthored(place: Place): boolean {
  return isWhole(place) && (place.operation === 'CREATE' || place.operation === 'UPDATE')
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
