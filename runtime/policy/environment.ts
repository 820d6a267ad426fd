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

/** The types of objects, for the type check of a policy. To be evaluated, expressions are compiled without them. */
export interface ObjectTypes {
  readonly object?: DeclaredType
  readonly params?: DeclaredType
}

/** Which variables an environment has beside those of the request. */
export interface EnvironmentOptions {
  /** The prefix of the names of request types: `orch.AdmissionRequest`. */
  readonly brand: string
  readonly params: boolean
  readonly authorizer: boolean
  readonly objects?: ObjectTypes
  /** The expressions that were stored before; undefined if none is judged as new. */
  readonly stored?: ReadonlySet<string> | undefined
}

/** Created with the first expression: servers without policies never pay for the libraries. */
let base: Environment | undefined
const requestTypesByBrand = new Map<string, RequestTypes>()

/**
 * The CEL environment of admission expressions (supplement Q-11). `object` and `oldObject` have one
 * type. Without object types both are `dyn`, so that one compiled policy serves every version that
 * it matches (A2.49).
 */
export function environmentFor(options: EnvironmentOptions): Environment {
  const { request, namespace } = requestTypesOf(options.brand)
  const { object = dynType, params = dynType } = options.objects ?? {}
  base ??= createEnvironment({ libraries: apiLibraries, libraryCosts: false })
  const environment = { ...base, stored: options.stored }
  return withVariables(environment, [
    { name: 'object', ...object },
    { name: 'oldObject', ...object },
    { name: 'request', ...request },
    { name: 'namespaceObject', ...namespace },
    ...(options.params ? [{ name: 'params', ...params }] : []),
    ...(options.authorizer ? authorizerVariables : []),
  ])
}

/** The second is one variable with a dot in its name, not a field of the first. */
const authorizerVariables: readonly Variable[] = [
  { name: 'authorizer', type: authorizerType, read: adopt },
  { name: 'authorizer.requestResource', type: resourceCheckType, read: adopt },
]

function requestTypesOf(brand: string): RequestTypes {
  const known = requestTypesByBrand.get(brand) ?? requestTypes(brand)
  requestTypesByBrand.set(brand, known)
  return known
}
