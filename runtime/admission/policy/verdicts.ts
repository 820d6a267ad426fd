import { withChecks } from '../../cel/cel.ts'
import type { AnyKind } from '../../kernel/kind.ts'
import type { ApiObject } from '../../kernel/object.ts'
import { inSlices } from '../../kernel/turns.ts'
import { type Inputs, judge, type Verdict } from '../../policy/policy.ts'
import type { Subject } from '../attempt.ts'
import { type Shown, shownAs } from '../webhook/call.ts'
import { objectAt, type World } from '../world.ts'
import { ConfigurationError, paramKindOf, paramsOf } from './params.ts'
import type { Binding, Policy } from './policies.ts'
import { authorityOf, inputsOf } from './request.ts'

/** What a policy says of a request, once for each of the parameters that its binding gives it. */
export async function verdictsOf(
  world: World,
  policy: Policy,
  binding: Binding,
  version: AnyKind,
  subject: Subject,
): Promise<readonly Verdict[]> {
  const { namespace: place } = subject
  const kind = policy.paramKind && paramKindOf(world.tree, policy.paramKind)
  const { paramRef } = binding
  const params = kind && paramRef ? await paramsOf(world, kind, paramRef, place) : [undefined]
  if (params.length === 0) return []
  const shown = convertedTo(world, version, subject)
  const namespace = await namespaceOf(world, subject)
  const verdicts: Verdict[] = []
  for (const one of params) {
    const inputs = inputsOf(subject, shown, {
      ...(one && { params: one }),
      ...(namespace && { namespace }),
    })
    verdicts.push(await judged(world, policy, inputs, subject))
  }
  return verdicts
}

function convertedTo(world: World, version: AnyKind, subject: Subject): Shown {
  try {
    return shownAs(world, version, subject)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError(`failed to convert object version: ${why}`)
  }
}

/** The namespace of an object; a namespace is in none. */
async function namespaceOf(
  world: World,
  { resource, namespace }: Subject,
): Promise<ApiObject | undefined> {
  if (resource.scope === 'Cluster' || namespace === undefined) return undefined
  return objectAt(world, 'api/v1/namespaces', namespace)
}

/** Checks of rights may have to wait for their answers: then the policy is judged again. */
async function judged(
  world: World,
  policy: Policy,
  inputs: Inputs,
  { caller }: Subject,
): Promise<Verdict> {
  const { ignoreFailure } = policy
  if (!policy.checksRights) return inSlices(judge(policy, inputs, undefined, ignoreFailure))
  return withChecks(authorityOf(world, caller), (authority) =>
    inSlices(judge(policy, inputs, authority, ignoreFailure)),
  )
}
