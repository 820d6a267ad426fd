/**
 * The authorization of policy authors: messages of a policy can show param objects, so that the author of a policy must be
 * allowed to read every object of its param kind, and the author of a binding the params that it refers to.
 */
import type { ParamKind } from '../../../generated/apis/admissionregistration/v1beta1/policy.ts'
import type { ParamRef } from '../../../generated/apis/admissionregistration/v1beta1/policy-binding.ts'
import { type AuthorizationAttributes, isAllowed } from '../../auth/auth.ts'
import type { StatusError } from '../../kernel/errors/status-error.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import type { Attributes } from '../chain/attributes.ts'
import { invalid } from '../chain/errors.ts'
import { getObject, type PluginContext } from '../chain/plugin-context.ts'
import { Params } from './params.ts'
import { policyPath } from './policy-resources.ts'

interface PolicyOrBindingSpec {
  readonly paramKind?: ParamKind
  readonly policyName?: string
  readonly paramRef?: ParamRef
}

type Access = Omit<AuthorizationAttributes, 'user'>

/** Authorizes writes of policies and bindings. */
export class ParamAuthorization {
  readonly #context: PluginContext
  readonly #params: Params

  constructor(context: PluginContext) {
    this.#context = context
    this.#params = new Params(context)
  }

  /**
   * Checks that the user may read the params of a policy or binding. What an update does not change is not checked.
   *
   * @throws StatusError (Invalid) if the user may not
   */
  async check(attributes: Attributes): Promise<void> {
    const { paramKind, policyName = '', paramRef } = specOf(attributes.object)
    const old = specOf(attributes.oldObject)
    if (paramKind !== undefined && !deepEqual(paramKind, old.paramKind)) {
      const access = { verb: 'get', ...this.#resourceOf(paramKind), name: '*', namespace: '*' }
      await this.#require(attributes, access, () => paramKindError(attributes, paramKind))
    }
    const unchanged = policyName === old.policyName && deepEqual(paramRef, old.paramRef)
    if (paramRef === undefined || unchanged) return
    const access = await this.#accessTo(policyName, paramRef)
    await this.#require(attributes, access, () => paramRefError(attributes, access))
  }

  async #require({ user }: Attributes, access: Access, error: () => StatusError): Promise<void> {
    if (!(await isAllowed(this.#context.authorizer, { user, ...access }))) throw error()
  }

  async #accessTo(policyName: string, ref: ParamRef): Promise<Access> {
    const path = policyPath(this.#context, 'validatingadmissionpolicies')
    const policy = await getObject(this.#context, path, policyName)
    return {
      verb: ref.name ? 'get' : 'list',
      ...this.#resourceOf(specOf(policy).paramKind),
      name: ref.name ?? '',
      namespace: ref.namespace || '*',
    }
  }

  /** The resource of a param kind; every resource while the kind is not served. */
  #resourceOf(kind: ParamKind | undefined) {
    const found = kind && this.#params.findKind(kind)
    return { group: found?.group ?? '*', resource: found?.plural ?? '*' }
  }
}

function specOf(object: ApiObject | undefined): PolicyOrBindingSpec {
  return (object as { readonly spec?: PolicyOrBindingSpec } | undefined)?.spec ?? {}
}

function paramKindError(attributes: Attributes, { kind, apiVersion }: ParamKind): StatusError {
  const what = `all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`
  return forbiddenField(attributes, 'spec.paramKind', 'get', what)
}

function paramRefError(attributes: Attributes, { verb }: Access): StatusError {
  return forbiddenField(attributes, 'spec.paramRef', verb, 'the objects referenced by paramRef')
}

function forbiddenField(
  attributes: Attributes,
  path: string,
  verb: string,
  what: string,
): StatusError {
  const reason = `user ${attributes.user.username} must have "${verb}" permission on ${what}`
  const message = `Forbidden: ${reason}`
  return invalid(attributes, [{ path, reason: 'FieldValueForbidden', message }])
}
