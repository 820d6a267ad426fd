import { withAuthorizationChecks } from '../../cel/cel.ts'
import { runInSlices, type Steps, yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { type Activation, evaluatePolicy, type PolicyResult } from '../../policy/policy.ts'
import type { Attributes } from '../chain/attributes.ts'
import { getObject, type PluginContext, type StoredObject } from '../chain/plugin-context.ts'
import { type VersionedAttributes, versionAttributes } from '../webhook/review-client.ts'
import { activationFor, celAuthorizerFor } from './activation.ts'
import { ConfigurationError, findParamKind, resolveParams } from './params.ts'
import type { Binding, Policy } from './policies.ts'

/** Reading a parameter. */
const workOfReading = 100

/** What a policy says of a request, once for each of the parameters that its binding gives it. */
export async function evaluateBinding(
  world: PluginContext,
  policy: Policy,
  binding: Binding,
  version: AnyKind,
  subject: Attributes,
): Promise<readonly PolicyResult[]> {
  const kind = policy.paramKind && findParamKind(world.scheme, policy.paramKind)
  const { paramRef } = binding
  const params: readonly (StoredObject | undefined)[] =
    kind && paramRef ? await resolveParams(world, kind, paramRef, subject.namespace) : [undefined]
  if (params.length === 0) return []
  const shown = await versionAttributesFor(world, version, subject)
  const namespace = await getNamespaceObject(world, subject)
  const activationWith = (one: StoredObject | undefined) =>
    activationFor(subject, shown, {
      ...(one && { params: one.object() }),
      ...(namespace && { namespace }),
    })
  const judging = { world, policy, params, activationWith }
  return policy.usesAuthorizer
    ? evaluateWithAuthorizer(judging, subject)
    : runInSlices(evaluateParams(judging))
}

/** A policy about a request, with each of some parameters. */
interface BindingEvaluation {
  readonly world: PluginContext
  readonly policy: Policy
  readonly params: readonly (StoredObject | undefined)[]
  readonly activationWith: (params: StoredObject | undefined) => Activation
}

function* evaluateParams({
  policy,
  params,
  activationWith: inputsWith,
}: BindingEvaluation): Steps<readonly PolicyResult[]> {
  const verdicts: PolicyResult[] = []
  for (const one of params) {
    if (one !== undefined) yield workOfReading
    verdicts.push(yield* evaluatePolicy(policy, inputsWith(one), undefined, policy.ignoreFailure))
  }
  return verdicts
}

/** Checks of rights may have to wait for their answers: then the policy is judged again. */
async function evaluateWithAuthorizer(
  { world, policy, params, activationWith: inputsWith }: BindingEvaluation,
  { caller }: Attributes,
): Promise<readonly PolicyResult[]> {
  const verdicts: PolicyResult[] = []
  for (const [index, one] of params.entries()) {
    if (index > 0) await yieldToEventLoop()
    const inputs = inputsWith(one)
    const verdict = await withAuthorizationChecks(celAuthorizerFor(world, caller), (authority) =>
      runInSlices(evaluatePolicy(policy, inputs, authority, policy.ignoreFailure)),
    )
    verdicts.push(verdict)
  }
  return verdicts
}

async function versionAttributesFor(
  world: PluginContext,
  version: AnyKind,
  subject: Attributes,
): Promise<VersionedAttributes> {
  try {
    return await versionAttributes(world, version, subject)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError(`failed to convert object version: ${why}`)
  }
}

/** The namespace of an object; a namespace is in none. */
async function getNamespaceObject(
  world: PluginContext,
  { resource, namespace }: Attributes,
): Promise<ApiObject | undefined> {
  if (resource.scope === 'Cluster' || namespace === undefined) return undefined
  return getObject(world, 'api/v1/namespaces', namespace)
}
