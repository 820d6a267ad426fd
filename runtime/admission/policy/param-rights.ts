/**
 * Who writes a policy must be allowed to read what its messages could tell: all objects of the kind of its parameters; who
 * writes a binding, the parameters that it refers to.
 */
import type { ParamKind } from '../../../generated/apis/admissionregistration/v1beta1/policy.ts'
import type { ParamRef } from '../../../generated/apis/admissionregistration/v1beta1/policy-binding.ts'
import type { Right } from '../../kernel/access.ts'
import { equal } from '../../kernel/equal.ts'
import type { ApiObject } from '../../kernel/object.ts'
import type { StatusError } from '../../kernel/status.ts'
import type { Subject } from '../attempt.ts'
import { invalid } from '../refusal.ts'
import { objectAt, type World } from '../world.ts'
import { paramKindOf } from './params.ts'

interface Spec {
  readonly paramKind?: ParamKind
  readonly policyName?: string
  readonly paramRef?: ParamRef
}

/** Refuses a policy or a binding whose parameters its author may not read. What an update leaves alone is not asked for. */
export async function checkParamRights(world: World, subject: Subject): Promise<void> {
  const { paramKind, policyName = '', paramRef } = specOf(subject.object)
  const old = specOf(subject.old)
  if (paramKind !== undefined && !equal(paramKind, old.paramKind)) {
    const right = { verb: 'get', ...resourceOf(world, paramKind), name: '*', namespace: '*' }
    if (!(await world.authorize(subject.caller, right))) throw unreadableKind(subject, paramKind)
  }
  const same = policyName === old.policyName && equal(paramRef, old.paramRef)
  if (paramRef === undefined || same) return
  const right = await rightToParams(world, policyName, paramRef)
  if (!(await world.authorize(subject.caller, right))) throw unreadableParams(subject, right)
}

function specOf(object: ApiObject | undefined): Spec {
  return (object as { readonly spec?: Spec } | undefined)?.spec ?? {}
}

/** The resource of a kind; anything, as long as it is not known. */
function resourceOf({ tree }: World, kind: ParamKind | undefined) {
  const found = kind && paramKindOf(tree, kind)
  return { group: found?.group ?? '*', resource: found?.plural ?? '*' }
}

async function rightToParams(world: World, policyName: string, ref: ParamRef): Promise<Right> {
  const { api } = world.tree.platform
  const path = `apis/admissionregistration.${api}/v1beta1/validatingadmissionpolicies`
  const policy = await objectAt(world, path, policyName)
  return {
    verb: ref.name ? 'get' : 'list',
    ...resourceOf(world, specOf(policy).paramKind),
    name: ref.name ?? '',
    namespace: ref.namespace || '*',
  }
}

function unreadableKind(subject: Subject, { kind, apiVersion }: ParamKind): StatusError {
  const what = `all objects of the referenced paramKind (kind=${kind}, apiVersion=${apiVersion})`
  return refused(subject, 'spec.paramKind', 'get', what)
}

function unreadableParams(subject: Subject, { verb }: Right): StatusError {
  return refused(subject, 'spec.paramRef', verb, 'the objects referenced by paramRef')
}

function refused(subject: Subject, path: string, verb: string, what: string): StatusError {
  const why = `user ${subject.caller.username} must have "${verb}" permission on ${what}`
  return invalid(subject, [{ path, reason: 'FieldValueForbidden', message: `Forbidden: ${why}` }])
}
