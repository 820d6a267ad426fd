import { withAuthorizationChecks } from '../../cel/cel.ts'
import { runInSlices, type Steps, yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { type Activation, evaluatePolicy, type PolicyResult } from '../../policy/policy.ts'
import type { Attributes } from '../chain/attributes.ts'
import { getObject, type PluginContext, type StoredObject } from '../chain/plugin-context.ts'
import { activationFor, celAuthorizerFor } from '../matching/activation.ts'
import { type VersionedAttributes, versionAttributes } from '../matching/versioned-attributes.ts'
import { ConfigurationError, type Params } from './params.ts'
import type { Binding, Policy } from './policies.ts'

/** Cost in steps of reading a param object. */
const readCost = 100

/** Evaluates the policies of a server. */
export class BindingEvaluator {
  readonly #context: PluginContext
  readonly #params: Params

  constructor(context: PluginContext, params: Params) {
    this.#context = context
    this.#params = params
  }

  /** Begins the evaluation of a policy for a request that matched in the version. */
  begin(policy: Policy, version: AnyKind, attributes: Attributes): PolicyEvaluation {
    return new PolicyEvaluation(this.#context, this.#params, policy, { version, attributes })
  }
}

interface MatchedRequest {
  readonly version: AnyKind
  readonly attributes: Attributes
}

/** A param object, or none for a policy that has no params. */
type Param = StoredObject | undefined

/** The evaluation of one policy for one request. */
class PolicyEvaluation {
  readonly #context: PluginContext
  readonly #params: Params
  readonly #policy: Policy
  readonly #request: MatchedRequest

  constructor(context: PluginContext, params: Params, policy: Policy, request: MatchedRequest) {
    this.#context = context
    this.#params = params
    this.#policy = policy
    this.#request = request
  }

  /**
   * Evaluates the policy for a binding, once with each of its param objects.
   *
   * @throws ConfigurationError if params cannot be resolved or the objects cannot be converted
   */
  async evaluate({ paramRef }: Binding): Promise<readonly PolicyResult[]> {
    const { paramKind, usesAuthorizer } = this.#policy
    const { attributes } = this.#request
    const kind = paramKind && this.#params.findKind(paramKind)
    const params: readonly Param[] =
      kind && paramRef
        ? await this.#params.resolve(kind, paramRef, attributes.namespace)
        : [undefined]
    if (params.length === 0) return []
    const versioned = await this.#versioned()
    const namespace = await this.#namespaceObject()
    const activationWith = (param: Param) =>
      activationFor(attributes, versioned, {
        ...(param && { params: param.object() }),
        ...(namespace && { namespace }),
      })
    return usesAuthorizer
      ? this.#evaluateWithAuthorizer(params, activationWith)
      : runInSlices(this.#evaluateParams(params, activationWith))
  }

  *#evaluateParams(
    params: readonly Param[],
    activationWith: (param: Param) => Activation,
  ): Steps<readonly PolicyResult[]> {
    const results: PolicyResult[] = []
    const { ignoreFailure } = this.#policy
    for (const param of params) {
      if (param !== undefined) yield readCost
      results.push(
        yield* evaluatePolicy(this.#policy, activationWith(param), undefined, ignoreFailure),
      )
    }
    return results
  }

  /** The authorizer is asynchronous and CEL is not: `withAuthorizationChecks` evaluates again after each new decision. */
  async #evaluateWithAuthorizer(
    params: readonly Param[],
    activationWith: (param: Param) => Activation,
  ): Promise<readonly PolicyResult[]> {
    const results: PolicyResult[] = []
    const celAuthorizer = celAuthorizerFor(this.#context, this.#request.attributes.user)
    for (const [index, param] of params.entries()) {
      if (index > 0) await yieldToEventLoop()
      const activation = activationWith(param)
      const result = await withAuthorizationChecks(celAuthorizer, (authorizer) =>
        runInSlices(
          evaluatePolicy(this.#policy, activation, authorizer, this.#policy.ignoreFailure),
        ),
      )
      results.push(result)
    }
    return results
  }

  async #versioned(): Promise<VersionedAttributes> {
    try {
      return await versionAttributes(this.#context, this.#request.version, this.#request.attributes)
    } catch (error) {
      const reason = errorText(error)
      throw new ConfigurationError(`failed to convert object version: ${reason}`)
    }
  }

  /** The namespace of the object; undefined for cluster-scoped resources, namespaces among them. */
  async #namespaceObject(): Promise<ApiObject | undefined> {
    const { resource, namespace } = this.#request.attributes
    if (resource.scope === 'Cluster' || namespace === undefined) return undefined
    return getObject(this.#context, 'api/v1/namespaces', namespace)
  }
}
