/**
 * The roles and bindings that a new server has, as generated from `schemas/access.yaml`: what the RBAC authorizer needs for
 * the parts of a cluster to do their work.
 */
export interface AccessFacts {
  /** The label that these objects bear. */
  readonly label: { readonly name: string; readonly value: string }
  /** The annotation of an object to which the server adds at its start what is missing in it, as long as it is "true". */
  readonly annotation: string
  readonly clusterRoles: readonly RoleFacts[]
  readonly clusterRoleBindings: readonly BindingFacts[]
  readonly roles: readonly RoleFacts[]
  readonly roleBindings: readonly BindingFacts[]
}

/** A role. */
export interface RoleFacts {
  readonly name: string
  /** Where it stands; absent for a cluster role. */
  readonly namespace?: string
  /** The feature gate that it goes with. */
  readonly gate?: string
  readonly labels?: Readonly<Record<string, string>>
  /** Its rules are those of all cluster roles that bear one of these labels as "true". */
  readonly aggregates?: readonly string[]
  readonly rules?: readonly AccessRule[]
}

/** See PolicyRule of the API. */
export interface AccessRule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
  /** The feature gate that it goes with. */
  readonly gate?: string
}

/** A binding of a role of its own scope. */
export interface BindingFacts {
  readonly name: string
  readonly namespace?: string
  readonly gate?: string
  readonly role: string
  readonly subjects: readonly AccessSubject[]
}

/** See Subject of the API. */
export interface AccessSubject {
  readonly kind: 'User' | 'Group' | 'ServiceAccount'
  readonly name: string
  readonly namespace?: string
}
