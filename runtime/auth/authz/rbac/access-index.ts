import type { PolicyRule, RoleRef, Subject } from '../../../../generated/apis/rbac/v1.ts'
import type { UserInfo } from '../../../kernel/auth/user-info.ts'

/** A role as far as authorization reads it; `namespace` is empty for a cluster role. */
export interface StoredRole {
  readonly namespace: string
  readonly name: string
  readonly rules: readonly PolicyRule[]
}

/** A binding as far as authorization reads it; `namespace` is empty for a binding of the whole cluster. */
export interface StoredBinding {
  readonly namespace: string
  readonly name: string
  readonly roleRef: RoleRef
  readonly subjects: readonly Subject[]
}

/** A binding, and the first of its subjects that a user is. */
export interface Grant {
  readonly binding: StoredBinding
  readonly subject: Subject
  /** Where the subject stands in the binding. */
  readonly at: number
}

/** The grants of one subject by the namespace of their bindings, and there by name. */
type SubjectGrants = Map<string, Map<string, Grant>>

/**
 * Roles by name, and bindings by subject. It is told of every change, so that a decision reads what concerns its user and
 * nothing else.
 */
export class AccessIndex {
  readonly #roles = new Map<string, StoredRole>()
  readonly #bindings = new Map<string, StoredBinding>()
  /** By `u` and the name of a user, or `g` and the name of a group. */
  readonly #subjects = new Map<string, SubjectGrants>()
  #generation = 0

  /** Another number after each change: what was derived before is out of date. */
  get generation(): number {
    return this.#generation
  }

  setRole(role: StoredRole): void {
    this.#generation++
    this.#roles.set(keyOf(role), role)
  }

  removeRole(place: Pick<StoredRole, 'namespace' | 'name'>): void {
    this.#generation++
    this.#roles.delete(keyOf(place))
  }

  setBinding(binding: StoredBinding): void {
    this.removeBinding(binding)
    this.#bindings.set(keyOf(binding), binding)
    for (const [at, subject] of binding.subjects.entries()) {
      const key = subjectKey(subject, binding.namespace)
      if (key !== undefined) this.#add(key, { binding, subject, at })
    }
  }

  removeBinding(place: Pick<StoredBinding, 'namespace' | 'name'>): void {
    this.#generation++
    const known = this.#bindings.get(keyOf(place))
    if (known === undefined) return
    this.#bindings.delete(keyOf(place))
    for (const subject of known.subjects) this.#forget(subjectKey(subject, known.namespace), known)
  }

  /** The rules of the role that a binding of a namespace names; undefined if there is no such role. */
  rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    return this.#roles.get(keyOf({ namespace: kind === 'Role' ? namespace : '', name }))?.rules
  }

  /** The bindings of a namespace, or with "" those of the cluster, that a user is a subject of, by name. */
  grantsOf({ username, groups }: UserInfo, namespace: string): readonly Grant[] {
    const found = new Map<string, Grant>()
    for (const key of [`u${username}`, ...groups.map((group) => `g${group}`)]) {
      for (const grant of this.#subjects.get(key)?.get(namespace)?.values() ?? []) {
        const known = found.get(grant.binding.name)
        if (known === undefined || grant.at < known.at) found.set(grant.binding.name, grant)
      }
    }
    return [...found.values()].sort((a, b) => (a.binding.name < b.binding.name ? -1 : 1))
  }

  /** Every binding. */
  bindings(): IterableIterator<StoredBinding> {
    return this.#bindings.values()
  }

  /** The first of several subjects that are the same one is the one that counts. */
  #add(key: string, grant: Grant): void {
    const { namespace, name } = grant.binding
    const grants: SubjectGrants = this.#subjects.get(key) ?? new Map()
    const here = grants.get(namespace) ?? new Map<string, Grant>()
    if (!here.has(name)) here.set(name, grant)
    this.#subjects.set(key, grants.set(namespace, here))
  }

  #forget(key: string | undefined, { namespace, name }: StoredBinding): void {
    const grants = key === undefined ? undefined : this.#subjects.get(key)
    const here = grants?.get(namespace)
    if (key === undefined || grants === undefined || here === undefined) return
    here.delete(name)
    if (here.size === 0) grants.delete(namespace)
    if (grants.size === 0) this.#subjects.delete(key)
  }
}

/** What the names of users begin with that are service accounts. */
const accountPrefix = 'system:serviceaccount:'

/** Names cannot hold a slash. */
function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`
}

/** Whom a subject of a binding means; undefined if it means no user. */
function subjectKey(
  { kind, name, namespace: own = '' }: Subject,
  bindingNamespace: string,
): string | undefined {
  if (kind === 'User') return `u${name}`
  if (kind === 'Group') return `g${name}`
  const namespace = own || bindingNamespace
  if (kind !== 'ServiceAccount' || namespace === '') return undefined
  return `u${accountPrefix}${namespace}:${name}`
}
