import { isStatus } from '../../kernel/errors/status-error.ts'
import type { Attributes, Recorder } from '../chain/attributes.ts'
import type { PluginContext } from '../chain/plugin-context.ts'
import { RequestMatcher } from '../matching/request-matcher.ts'
import { BindingEvaluator } from './binding-evaluator.ts'
import { PolicyDecisions } from './decisions.ts'
import { policyDenialError } from './denial.ts'
import { matchingVersion } from './match-constraints.ts'
import { ConfigurationError, Params } from './params.ts'
import { type Binding, Policies, type Policy } from './policies.ts'

/** Enforces the policies of a server. */
export class PolicyEnforcer {
  readonly #context: PluginContext
  readonly #policies: Policies
  readonly #params: Params
  readonly #matcher: RequestMatcher
  readonly #evaluator: BindingEvaluator

  constructor(context: PluginContext) {
    this.#context = context
    this.#policies = new Policies(context)
    this.#params = new Params(context)
    this.#matcher = new RequestMatcher(context)
    this.#evaluator = new BindingEvaluator(context, this.#params)
  }

  /**
   * Evaluates every bound policy that matches the request, and records warnings and audit annotations.
   *
   * @throws StatusError for the first denial
   */
  async enforce(attributes: Attributes, recorder: Recorder): Promise<void> {
    const decisions = new PolicyDecisions(recorder, this.#context.scheme.platform)
    const bindings = this.#policies.listBindings()
    for (const policy of this.#policies.listPolicies()) {
      const own = bindings.filter(({ policyName }) => policyName === policy.name)
      if (own.length === 0) continue
      await this.#evaluatePolicy(policy, own, attributes, decisions)
      decisions.publishAuditAnnotations(policy)
    }
    const [first] = decisions.denials
    if (first !== undefined) throw policyDenialError(attributes, first)
  }

  /** Evaluates one policy for each of its bindings. A binding that is misconfigured does not keep the others from running. */
  async #evaluatePolicy(
    policy: Policy,
    bindings: readonly Binding[],
    attributes: Attributes,
    decisions: PolicyDecisions,
  ): Promise<void> {
    try {
      const version = await matchingVersion(this.#matcher, policy.constraints, attributes)
      if (version === undefined) return
      this.#checkParamKind(policy)
      const evaluation = this.#evaluator.begin(policy, version, attributes)
      for (const binding of bindings) {
        try {
          if (!(await this.#bindingMatches(binding, attributes))) continue
          const results = await evaluation.evaluate(binding)
          for (const result of results) decisions.add(policy, binding, result)
        } catch (error) {
          const text = `failed to configure binding: ${configurationMessage(error)}`
          decisions.addConfigurationError(policy, binding, text)
        }
      }
    } catch (error) {
      const text = `failed to configure policy: ${configurationMessage(error)}`
      decisions.addConfigurationError(policy, undefined, text)
    }
  }

  async #bindingMatches({ constraints }: Binding, attributes: Attributes): Promise<boolean> {
    if (constraints === undefined) return true
    return (await matchingVersion(this.#matcher, constraints, attributes)) !== undefined
  }

  #checkParamKind({ paramKind }: Policy): void {
    if (paramKind === undefined || this.#params.findKind(paramKind) !== undefined) return
    const { apiVersion = '', kind = '' } = paramKind
    const name = `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`
    throw new ConfigurationError(`failed to find resource referenced by paramKind: '${name}'`)
  }
}

/** The message of an error that means a wrong configuration; throws every other error again. */
function configurationMessage(error: unknown): string {
  if (error instanceof ConfigurationError || isStatus(error)) return error.message
  throw error
}
