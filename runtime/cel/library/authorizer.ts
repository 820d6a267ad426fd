/**
 * Checks of what a caller may do: `authorizer.group('apps').resource('deployments').check('get').allowed()`. The
 * variable that these functions start from is made by `authorizerValue`; whoever decides stands behind `Authority`.
 */
import { dnsLabelProblems, dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import { exactly } from '../cost/ranges.ts'
import type { Library, OverloadExtras } from '../functions/functions.ts'
import { method } from '../functions/functions.ts'
import { boolType, type OpaqueType, opaqueType, stringType, type Type } from '../types/types.ts'
import { fail, Opaque, type Result, type Value } from '../values/values.ts'
import { unit } from './estimates.ts'

/** What is asked: a path, or a resource of a group. Empty texts are not set. */
export type AuthorizationCheck =
  | { readonly is: 'path'; readonly verb: string; readonly path: string }
  | ({ readonly is: 'resource'; readonly verb: string } & ResourceAttributes)

/** A resource as a check names it. */
export interface ResourceAttributes {
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

/** The answer. `allowed` is false for no opinion, too; `error` says that the check itself failed. */
export interface Decision {
  readonly allowed: boolean
  readonly reason: string
  readonly error?: string
}

/** Who decides, for one caller. `serviceAccount` gives the same for a service account. Both never throw. */
export interface CelAuthorizer {
  authorize(question: AuthorizationCheck): Decision
  serviceAccount(namespace: string, name: string): CelAuthorizer
}

/** One check may be most of what an evaluation may cost: two of them fit. */
export const checkCost = 350_000

export const authorizerType = opaqueType('authorization.Authorizer')
export const pathCheckType = opaqueType('authorization.PathCheck')
export const groupCheckType = opaqueType('authorization.GroupCheck')
export const resourceCheckType = opaqueType('authorization.ResourceCheck')
export const decisionType = opaqueType('authorization.Decision')

interface ResourceCheck extends ResourceAttributes {
  readonly authority: CelAuthorizer
}

/** The value of the variable `authorizer`. */
export function authorizerValue(authority: CelAuthorizer): Value {
  return new Opaque(authorizerType, authority)
}

/** The value of the variable `authorizer.requestResource`: a check of what the request is about. */
export function resourceCheckValue(authority: CelAuthorizer, resource: ResourceAttributes): Value {
  return new Opaque(resourceCheckType, { ...resource, authority })
}

function inside<T>(value: Value): T {
  return (value as Opaque<T>).value
}

function blank(text: string): boolean {
  return text.trim() === ''
}

function builder(
  name: string,
  id: string,
  of: OpaqueType,
  result: OpaqueType,
  call: (one: Value, text: string) => Result,
) {
  return {
    name,
    overloads: [method(id, [of, stringType], result, call, { estimate: unit })],
  }
}

function part(name: 'subresource' | 'namespace' | 'name') {
  return builder(
    name,
    `resourcecheck_${name}`,
    resourceCheckType,
    resourceCheckType,
    (one, text) => {
      return new Opaque(resourceCheckType, { ...inside<ResourceCheck>(one), [name]: text })
    },
  )
}

function fact(name: string, result: Type, read: (decision: Decision) => Value) {
  return {
    name,
    overloads: [
      method(`decision_${name}`, [decisionType], result, (one) => read(inside(one)), {
        estimate: unit,
      }),
    ],
  }
}

const checking: OverloadExtras<readonly [OpaqueType, typeof stringType]> = {
  cost: () => checkCost,
  estimate: () => ({ cost: exactly(checkCost) }),
}

function decided(authority: CelAuthorizer, question: AuthorizationCheck): Value {
  return new Opaque(decisionType, authority.authorize(question))
}

function resourceQuestion(check: ResourceCheck, verb: string): AuthorizationCheck {
  const { group, resource, subresource, namespace, name } = check
  return { is: 'resource', verb, group, resource, subresource, namespace, name }
}

interface PathCheck {
  readonly authority: CelAuthorizer
  readonly path: string
}

const check = {
  name: 'check',
  overloads: [
    method(
      'pathcheck_check',
      [pathCheckType, stringType],
      decisionType,
      (one, verb) => {
        const { authority, path } = inside<PathCheck>(one)
        return decided(authority, { is: 'path', verb, path })
      },
      checking,
    ),
    method(
      'resourcecheck_check',
      [resourceCheckType, stringType],
      decisionType,
      (one, verb) => {
        const asked = inside<ResourceCheck>(one)
        return decided(asked.authority, resourceQuestion(asked, verb))
      },
      checking,
    ),
  ],
}

const longestName = 253

const serviceAccount = {
  name: 'serviceAccount',
  overloads: [
    method(
      'authorizer_serviceaccount',
      [authorizerType, stringType, stringType],
      authorizerType,
      (one, namespace, name) => {
        if (name.length > longestName || dnsSubdomainProblems(name).length > 0)
          return fail('Invalid service account name')
        if (namespace.length > longestName || dnsLabelProblems(namespace).length > 0)
          return fail('Invalid service account namespace')
        return authorizerValue(inside<CelAuthorizer>(one).serviceAccount(namespace, name))
      },
      { estimate: unit },
    ),
  ],
}

/** The library of authorization checks. */
export const authorizerLibrary: Library = {
  name: 'authorizer',
  types: Object.fromEntries(
    [authorizerType, pathCheckType, groupCheckType, resourceCheckType, decisionType].map((type) => [
      type.name,
      type,
    ]),
  ),
  functions: [
    builder('path', 'authorizer_path', authorizerType, pathCheckType, (one, path) => {
      if (blank(path)) return fail('path must not be empty')
      return new Opaque(pathCheckType, { authority: inside<CelAuthorizer>(one), path })
    }),
    builder('group', 'authorizer_group', authorizerType, groupCheckType, (one, group) => {
      return new Opaque(groupCheckType, { authority: inside<CelAuthorizer>(one), group })
    }),
    serviceAccount,
    builder(
      'resource',
      'groupcheck_resource',
      groupCheckType,
      resourceCheckType,
      (one, resource) => {
        if (blank(resource)) return fail('resource must not be empty')
        const { authority, group } = inside<{ authority: CelAuthorizer; group: string }>(one)
        return resourceCheckValue(authority, {
          group,
          resource,
          subresource: '',
          namespace: '',
          name: '',
        })
      },
    ),
    part('subresource'),
    part('namespace'),
    part('name'),
    check,
    fact('allowed', boolType, ({ allowed }) => allowed),
    fact('reason', stringType, ({ reason }) => reason),
    fact('errored', boolType, ({ error }) => error !== undefined),
    fact('error', stringType, ({ error }) => error ?? ''),
  ],
}
