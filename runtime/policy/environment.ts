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
import { type DeclaredType, dynType } from './declared-types.ts'
import { type RequestTypes, requestTypes } from './request-types.ts'

/** Types that are known of the objects, where they are: an expression is checked against them and not run. */
export interface ObjectTypes {
  readonly object?: DeclaredType
  readonly params?: DeclaredType
}

/** What an expression is about, beside the request itself. */
export interface EnvironmentOptions {
  /** The platform's name for the types of a request. */
  readonly brand: string
  /** There are parameters. */
  readonly params: boolean
  /** Rights may be checked. */
  readonly authorizer: boolean
  readonly objects?: ObjectTypes
}

let base: Environment | undefined
const brands = new Map<string, RequestTypes>()

/** The names that expressions of a scope may use (supplement Q-11). */
export function environmentFor({
  brand,
  params,
  authorizer,
  objects = {},
}: EnvironmentOptions): Environment {
  const { request, namespace } = requestTypesOf(brand)
  const { object = dynType, params: parameters = dynType } = objects
  base ??= createEnvironment({ libraries: apiLibraries })
  return withVariables(base, [
    { name: 'object', ...object },
    { name: 'oldObject', ...object },
    { name: 'request', ...request },
    { name: 'namespaceObject', ...namespace },
    ...(params ? [{ name: 'params', ...parameters }] : []),
    ...(authorizer ? authorizerVariables : []),
  ])
}

const authorizerVariables: readonly Variable[] = [
  { name: 'authorizer', type: authorizerType, read: adopt },
  { name: 'authorizer.requestResource', type: resourceCheckType, read: adopt },
]

function requestTypesOf(brand: string): RequestTypes {
  const known = brands.get(brand) ?? requestTypes(brand)
  brands.set(brand, known)
  return known
}
