import {
  adopt,
  apiLibraries,
  authorizerType,
  createEnvironment,
  type Environment,
  resourceCheckType,
  type Variable,
  withVariables,
} from '../cel/cel.ts'
import { anything, type Place } from './fields.ts'
import { type RequestTypes, requestTypes } from './request-types.ts'

/** Types that are known of the objects, where they are: an expression is checked against them and not run. */
export interface Objects {
  readonly object?: Place
  readonly params?: Place
}

/** What an expression is about, beside the request itself. */
export interface Scope {
  /** The platform's name for the types of a request. */
  readonly brand: string
  /** There are parameters. */
  readonly params: boolean
  /** Rights may be checked. */
  readonly authorizer: boolean
  readonly objects?: Objects
}

let base: Environment | undefined
const brands = new Map<string, RequestTypes>()

/** The names that expressions of a scope may use (supplement Q-11). */
export function scopeOf({ brand, params, authorizer, objects = {} }: Scope): Environment {
  const { request, namespace } = typesOf(brand)
  const { object = anything, params: parameters = anything } = objects
  base ??= createEnvironment({ libraries: apiLibraries })
  return withVariables(base, [
    { name: 'object', ...object },
    { name: 'oldObject', ...object },
    { name: 'request', ...request },
    { name: 'namespaceObject', ...namespace },
    ...(params ? [{ name: 'params', ...parameters }] : []),
    ...(authorizer ? checks : []),
  ])
}

const checks: readonly Variable[] = [
  { name: 'authorizer', type: authorizerType, read: adopt },
  { name: 'authorizer.requestResource', type: resourceCheckType, read: adopt },
]

function typesOf(brand: string): RequestTypes {
  const known = brands.get(brand) ?? requestTypes(brand)
  brands.set(brand, known)
  return known
}
