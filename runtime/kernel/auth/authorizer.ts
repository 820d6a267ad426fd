/** Who asks, what somebody wants to be allowed, and who decides. */

/** Who makes a request. */
export interface UserInfo {
  readonly username: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** What somebody wants to be allowed. */
export interface AuthorizationAttributes {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly name: string
  readonly subresource?: string
  readonly namespace?: string
  /** A path that is no resource: group, resource and name are empty. */
  readonly path?: string
}

/** Decides whether a caller has a right. */
export type Authorizer = (caller: UserInfo, right: AuthorizationAttributes) => Promise<boolean>

/** Everybody may do everything. */
export const allowAll: Authorizer = async () => true

/** What a caller may do in a namespace, as far as it can be told; rules only add. */
export interface SubjectRules {
  readonly resourceRules: readonly {
    readonly verbs: readonly string[]
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
    readonly resourceNames?: readonly string[]
  }[]
  readonly nonResourceRules: readonly {
    readonly verbs: readonly string[]
    readonly nonResourceURLs: readonly string[]
  }[]
  /** There may be more than these. */
  readonly incomplete: boolean
  /** Why it could not all be told. */
  readonly evaluationError?: string
}

const all = ['*']

/** The rights that an authorizer gives. One that only decides about single rights cannot list them, and that is told. */
export function subjectRulesOf(authorize: Authorizer): SubjectRules {
  if (authorize === allowAll) {
    return {
      resourceRules: [{ verbs: all, apiGroups: all, resources: all }],
      nonResourceRules: [{ verbs: all, nonResourceURLs: all }],
      incomplete: false,
    }
  }
  const evaluationError = 'the authorizer decides about single requests and does not list rules'
  return { resourceRules: [], nonResourceRules: [], incomplete: true, evaluationError }
}
