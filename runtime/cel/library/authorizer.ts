/**
 * Authorization checks in expressions: `authorizer.group('apps').resource('deployments').check('get').allowed()`. The
 * variable `authorizer` holds an `authorizerValue`.
 */
import { dnsLabelProblems, dnsSubdomainProblems } from '../../kernel/meta/names.ts'
import { exactly } from '../cost/ranges.ts'
import type { Library, OverloadExtras } from '../functions/functions.ts'
import { method } from '../functions/functions.ts'
import { boolType, type OpaqueType, opaqueType, stringType, type Type } from '../types/types.ts'
import { fail, Opaque, type Result, type Value } from '../values/values.ts'
import { unit } from './estimates.ts'

/** One check: of a non-resource path, or of a resource. Attributes that the expression does not set are empty. */
export type AuthorizationCheck =
  | { readonly is: 'path'; readonly verb: string; readonly path: string }
  | ({ readonly is: 'resource'; readonly verb: string } & ResourceAttributes)

/** The resource attributes of a check. */
export interface ResourceAttributes {
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

/** An authorizer's decision. `allowed` is false for no opinion, too; `error` is set if the check itself failed. */
export interface Decision {
  readonly allowed: boolean
  readonly reason: string
  readonly error?: string
}

/** An authorizer bound to receiver user. Neither method throws. */
export interface CelAuthorizer {
  /** Decides receiver check at once. */
  authorize(check: AuthorizationCheck): Decision
  /** The same authorizer for a service account. */
  serviceAccount(namespace: string, name: string): CelAuthorizer
}

/** The cost of receiver check, in units: the limit of an evaluation has room for two. */
export const checkCost = 350_000

/** The type of `authorizer`. */
export const authorizerType = opaqueType('authorization.Authorizer')
/** The type of `authorizer.path(...)`: a check of a non-resource path. */
export const pathCheckType = opaqueType('authorization.PathCheck')
/** The type of `authorizer.group(...)`. */
export const groupCheckType = opaqueType('authorization.GroupCheck')
/** The type of `authorizer.group(...).resource(...)` and of `authorizer.requestResource`. */
export const resourceCheckType = opaqueType('authorization.ResourceCheck')
/** The type of `check(...)`: a decision. */
export const decisionType = opaqueType('authorization.Decision')

/** The content of a `resourceCheckType` value. */
interface ResourceCheck extends ResourceAttributes {
  readonly authorizer: CelAuthorizer
}

/** The value of the variable `authorizer`. */
export function authorizerValue(authorizer: CelAuthorizer): Value {
  return new Opaque(authorizerType, authorizer)
}

/** The value of the variable `authorizer.requestResource`: a check of the resource that the request is for. */
export function resourceCheckValue(authorizer: CelAuthorizer, resource: ResourceAttributes): Value {
  return new Opaque(resourceCheckType, { ...resource, authorizer })
}

/** Safe because overloads are called with values of their declared types only. */
function inside<T>(value: Value): T {
  return (value as Opaque<T>).value
}

/** White space alone counts as empty, as for Go's `strings.TrimSpace`. */
function blank(text: string): boolean {
  return text.trim() === ''
}

/** A method with receiver string argument, which returns a new value of an opaque type. */
function builder(
  name: string,
  id: string,
  of: OpaqueType,
  result: OpaqueType,
  call: (receiver: Value, text: string) => Result,
) {
  return {
    name,
    overloads: [method(id, [of, stringType], result, call, { estimate: unit })],
  }
}

/** A method that sets receiver attribute of a resource check. */
function part(name: 'subresource' | 'namespace' | 'name') {
  return builder(
    name,
    `resourcecheck_${name}`,
    resourceCheckType,
    resourceCheckType,
    (receiver, text) => {
      return new Opaque(resourceCheckType, { ...inside<ResourceCheck>(receiver), [name]: text })
    },
  )
}

/** An accessor of a decision. */
function decisionPart(name: string, result: Type, read: (decision: Decision) => Value) {
  return {
    name,
    overloads: [
      method(`decision_${name}`, [decisionType], result, (receiver) => read(inside(receiver)), {
        estimate: unit,
      }),
    ],
  }
}

const checking: OverloadExtras<readonly [OpaqueType, typeof stringType]> = {
  cost: () => checkCost,
  waits: true,
  estimate: () => ({ cost: exactly(checkCost) }),
}

/** The authorizer is asked when `check` is evaluated, not when the decision is read. */
function decision(authorizer: CelAuthorizer, check: AuthorizationCheck): Value {
  return new Opaque(decisionType, authorizer.authorize(check))
}

function resourceAttributesCheck(check: ResourceCheck, verb: string): AuthorizationCheck {
  const { group, resource, subresource, namespace, name } = check
  return { is: 'resource', verb, group, resource, subresource, namespace, name }
}

/** The content of a `pathCheckType` value. */
interface PathCheck {
  readonly authorizer: CelAuthorizer
  readonly path: string
}

/**
 * `check(verb)` on a path or a resource: the only functions that ask the authorizer, and that
 * cost more than 1.
 */
const check = {
  name: 'check',
  overloads: [
    method(
      'pathcheck_check',
      [pathCheckType, stringType],
      decisionType,
      (receiver, verb) => {
        const { authorizer, path } = inside<PathCheck>(receiver)
        return decision(authorizer, { is: 'path', verb, path })
      },
      checking,
    ),
    method(
      'resourcecheck_check',
      [resourceCheckType, stringType],
      decisionType,
      (receiver, verb) => {
        const attributes = inside<ResourceCheck>(receiver)
        return decision(attributes.authorizer, resourceAttributesCheck(attributes, verb))
      },
      checking,
    ),
  ],
}

/** Longer names are refused before their characters are looked at. */
const longestName = 253

/**
 * `authorizer.serviceAccount(namespace, name)`: further checks are those of the account, whose
 * names must be valid: a DNS label and a DNS subdomain.
 */
const serviceAccount = {
  name: 'serviceAccount',
  overloads: [
    method(
      'authorizer_serviceaccount',
      [authorizerType, stringType, stringType],
      authorizerType,
      (receiver, namespace, name) => {
        if (name.length > longestName || dnsSubdomainProblems(name).length > 0)
          return fail('Invalid service account name')
        if (namespace.length > longestName || dnsLabelProblems(namespace).length > 0)
          return fail('Invalid service account namespace')
        return authorizerValue(inside<CelAuthorizer>(receiver).serviceAccount(namespace, name))
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
    builder('path', 'authorizer_path', authorizerType, pathCheckType, (receiver, path) => {
      if (blank(path)) return fail('path must not be empty')
      return new Opaque(pathCheckType, { authorizer: inside<CelAuthorizer>(receiver), path })
    }),
    builder('group', 'authorizer_group', authorizerType, groupCheckType, (receiver, group) => {
      return new Opaque(groupCheckType, { authorizer: inside<CelAuthorizer>(receiver), group })
    }),
    serviceAccount,
    builder(
      'resource',
      'groupcheck_resource',
      groupCheckType,
      resourceCheckType,
      (receiver, resource) => {
        if (blank(resource)) return fail('resource must not be empty')
        const { authorizer, group } = inside<{ authorizer: CelAuthorizer; group: string }>(receiver)
        return resourceCheckValue(authorizer, {
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
    decisionPart('allowed', boolType, ({ allowed }) => allowed),
    decisionPart('reason', stringType, ({ reason }) => reason),
    decisionPart('errored', boolType, ({ error }) => error !== undefined),
    decisionPart('error', stringType, ({ error }) => error ?? ''),
  ],
}
