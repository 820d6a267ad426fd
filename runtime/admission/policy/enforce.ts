import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Attributes, Recorder } from '../chain/attributes.ts'
import type { PluginContext } from '../chain/plugin-context.ts'
import { PolicyDecisions } from './decisions.ts'
import { type PolicyDenial, policyDenialError } from './denial.ts'
import { evaluateBinding } from './evaluate-binding.ts'
import { matchingVersion } from './match-constraints.ts'
import { ConfigurationError, findParamKind } from './params.ts'
import { type Binding, listBindings, listPolicies, type Policy } from './policies.ts'

/** Fails if a policy that is bound refuses the request. */
export async function enforce(
  world: PluginContext,
  subject: Attributes,
  voice: Recorder,
): Promise<void> {
  const [first] = await denialsFor(world, listBindings(world), subject, voice)
  if (first !== undefined) throw policyDenialError(subject, first)
}

async function denialsFor(
  world: PluginContext,
  bindings: readonly Binding[],
  subject: Attributes,
  voice: Recorder,
): Promise<readonly PolicyDenial[]> {
  const decisions = new PolicyDecisions(voice, world.scheme.platform)
  for (const policy of listPolicies(world)) {
    const own = bindings.filter(({ policyName }) => policyName === policy.name)
    if (own.length === 0) continue
    await recordingConfigurationErrors(decisions, policy, undefined, async () => {
      const version = await matchingVersion(world, policy.constraints, subject)
      if (version === undefined) return
      checkParamKind(world, policy)
      for (const binding of own)
        await enforceBinding(world, decisions, { policy, binding, version }, subject)
    })
    decisions.publishAuditAnnotations(policy)
  }
  return decisions.denials
}

function checkParamKind({ scheme }: PluginContext, { paramKind }: Policy): void {
  if (paramKind === undefined || findParamKind(scheme, paramKind) !== undefined) return
  const { apiVersion = '', kind = '' } = paramKind
  const name = `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`
  throw new ConfigurationError(`failed to find resource referenced by paramKind: '${name}'`)
}

/** A policy with one of its bindings, about a request in one version. */
interface BoundPolicy {
  readonly policy: Policy
  readonly binding: Binding
  readonly version: AnyKind
}

function enforceBinding(
  world: PluginContext,
  decisions: PolicyDecisions,
  { policy, binding, version }: BoundPolicy,
  subject: Attributes,
): Promise<void> {
  return recordingConfigurationErrors(decisions, policy, binding, async () => {
    const { constraints } = binding
    if (constraints && !(await matchingVersion(world, constraints, subject))) return
    for (const verdict of await evaluateBinding(world, policy, binding, version, subject)) {
      decisions.add(policy, binding, verdict)
    }
  })
}

/** Does what needs a policy and a binding that are as they have to be. */
async function recordingConfigurationErrors(
  decisions: PolicyDecisions,
  policy: Policy,
  binding: Binding | undefined,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ConfigurationError || isStatus(error))) throw error
    const what = binding === undefined ? 'policy' : 'binding'
    decisions.addConfigurationError(
      policy,
      binding,
      `failed to configure ${what}: ${error.message}`,
    )
  }
}
