import { withChecks } from '../../cel/cel.ts'
import type { AnyKind } from '../../kernel/kind.ts'
import type { ApiObject } from '../../kernel/object.ts'
import { inSlices, othersTurn, type Steps } from '../../kernel/turns.ts'
import { type Inputs, judge, type Verdict } from '../../policy/policy.ts'
import type { Subject } from '../attempt.ts'
import { type Shown, shownAs } from '../webhook/call.ts'
import { objectAt, type Stored, type World } from '../world.ts'
import { ConfigurationError, paramKindOf, paramsOf } from './params.ts'
import type { Binding, Policy } from './policies.ts'
import { authorityOf, inputsOf } from './request.ts'

/** Reading a parameter. */
const workOfReading = 100

/** What a policy says of a request, once for each of the parameters that its binding gives it. */
export async function verdictsOf(
  world: World,
  policy: Policy,
  binding: Binding,
  version: AnyKind,
  subject: Subject,
): Promise<readonly Verdict[]> {
  const kind = policy.paramKind && paramKindOf(world.tree, policy.paramKind)
  const { paramRef } = binding
  const params: readonly (Stored | undefined)[] =
    kind && paramRef ? await paramsOf(world, kind, paramRef, subject.namespace) : [undefined]
  if (params.length === 0) return []
  const shown = convertedTo(world, version, subject)
  const namespace = await namespaceOf(world, subject)
  const inputsWith = (one: Stored | undefined) =>
    inputsOf(subject, shown, {
      ...(one && { params: one.object() }),
      ...(namespace && { namespace }),
    })
  const judging = { world, policy, params, inputsWith }
  return policy.checksRights ? judgedWithChecks(judging, subject) : inSlices(judged(judging))
}

/** A policy about a request, with each of some parameters. */
interface Judging {
  readonly world: World
  readonly policy: Policy
  readonly params: readonly (Stored | undefined)[]
  readonly inputsWith: (params: Stored | undefined) => Inputs
}

function* judged({ policy, params, inputsWith }: Judging): Steps<readonly Verdict[]> {
  const verdicts: Verdict[] = []
  for (const one of params) {
    if (one !== undefined) yield workOfReading
    verdicts.push(yield* judge(policy, inputsWith(one), undefined, policy.ignoreFailure))
  }
  return verdicts
}

/** Checks of rights may have to wait for their answers: then the policy is judged again. */
async function judgedWithChecks(
  { world, policy, params, inputsWith }: Judging,
  { caller }: Subject,
): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = []
  for (const [index, one] of params.entries()) {
    if (index > 0) await othersTurn()
    const inputs = inputsWith(one)
    const verdict = await withChecks(authorityOf(world, caller), (authority) =>
      inSlices(judge(policy, inputs, authority, policy.ignoreFailure)),
    )
    verdicts.push(verdict)
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
