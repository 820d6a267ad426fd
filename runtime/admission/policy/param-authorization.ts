/**
 * Who writes a policy must be allowed to read what its messages could tell: all objects of the kind of its parameters; who
 * writes a binding, the parameters that it refers to.
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
import { findParamKind } from './params.ts'

interface PolicyOrBindingSpec {
  readonly paramKind?: ParamKind
  readonly policyName?: string
  readonly paramRef?: ParamRef
}

/** Refuses a policy or a binding whose parameters its author may not read. What an update leaves alone is not asked for. */
export async function authorizeParamAccess(
  world: PluginContext,
  subject: Attributes,
): Promise<void> {
  const { paramKind, policyName = '', paramRef } = specOf(subject.object)
  const old = specOf(subject.old)
  if (paramKind !== undefined && !deepEqual(paramKind, old.paramKind)) {
    const right = { verb: 'get', ...paramResourceOf(world, paramKind), name: '*', namespace: '*' }
    const attributes = { user: subject.caller, ...right }
    if (!(await isAllowed(world.authorizer, attributes))) throw paramKindError(subject, paramKind)
  }
  const same = policyName === old.policyName && deepEqual(paramRef, old.paramRef)
  if (paramRef === undefined || same) return
  const right = await paramAccess(world, policyName, paramRef)
  const attributes = { user: subject.caller, ...right }
  if (!(await isAllowed(world.authorizer, attributes))) throw paramRefError(subject, attributes)
}

function specOf(object: ApiObject | undefined): PolicyOrBindingSpec {
  return (object as { readonly spec?: PolicyOrBindingSpec } | undefined)?.spec ?? {}
}

/** The resource of a kind; anything, as long as it is not known. */
function paramResourceOf({ scheme }: PluginContext, kind: ParamKind | undefined) {
  const found = kind && findParamKind(scheme, kind)
  return { group: found?.group ?? '*', resource: found?.plural ?? '*' }
}

async function paramAccess(
  world: PluginContext,
  policyName: string,
  ref: ParamRef,
): Promise<Omit<AuthorizationAttributes, 'user'>> {
  const { api } = world.scheme.platform
  const path = `apis/admissionregistration.${api}/v1beta1/validatingadmissionpolicies`
  const policy = await getObject(world, path, policyName)
  return {
    verb: ref.name ? 'get' : 'list',
    ...paramResourceOf(world, specOf(policy).paramKind),
    name: ref.name ?? '',
    namespace: ref.namespace || '*',
  }
}

function paramKindError(subject: Attributes, { kind, apiVersion }: ParamKind): StatusError {
  const what = `all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`
  return forbiddenField(subject, 'spec.paramKind', 'get', what)
}

function paramRefError(subject: Attributes, { verb }: AuthorizationAttributes): StatusError {
  return forbiddenField(subject, 'spec.paramRef', verb, 'the objects referenced by paramRef')
}

function forbiddenField(
  subject: Attributes,
  path: string,
  verb: string,
  what: string,
): StatusError {
  const why = `user ${subject.caller.username} must have "${verb}" permission on ${what}`
  return invalid(subject, [{ path, reason: 'FieldValueForbidden', message: `Forbidden: ${why}` }])
}
