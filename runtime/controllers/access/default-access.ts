import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Subject,
} from '../../../generated/apis/rbac/v1.ts'
import { missingRules } from '../../auth/auth.ts'
import type { Client } from '../../client/client.ts'
import type {
  AccessFacts,
  AccessRule,
  BindingFacts,
  RoleFacts,
} from '../../kernel/descriptors/access-facts.ts'
import type { EnabledGates } from '../../kernel/descriptors/enabled-gates.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { ignoreLostRace } from '../contract/lost-race.ts'

/** The kinds of roles and bindings. */
export interface AccessKinds {
  readonly group: string
  readonly clusterRoles: AnyKind
  readonly clusterRoleBindings: AnyKind
  readonly roles: AnyKind
  readonly roleBindings: AnyKind
}

/** The kinds of roles and bindings, if a scheme has them. */
export function accessKinds({ routes, platform }: Scheme): AccessKinds | undefined {
  const group = `rbac.authorization.${platform.api}`
  const kindAt = (plural: string) => {
    const path = `apis/${group}/v1/${plural}`
    return Object.hasOwn(routes, path) ? routes[path] : undefined
  }
  const [clusterRoles, clusterRoleBindings] = [
    kindAt('clusterroles'),
    kindAt('clusterrolebindings'),
  ]
  const [roles, roleBindings] = [kindAt('roles'), kindAt('rolebindings')]
  if (!clusterRoles || !clusterRoleBindings || !roles || !roleBindings) return undefined
  return { group, clusterRoles, clusterRoleBindings, roles, roleBindings }
}

/** What the stored roles and bindings are compared with. */
export interface DefaultAccessOptions {
  readonly kinds: AccessKinds
  readonly facts: AccessFacts
  readonly gates: EnabledGates
}

type AnyRole = ApiObject & Pick<ClusterRole, 'rules' | 'aggregationRule'>
type AnyBinding = ApiObject & Pick<ClusterRoleBinding, 'roleRef' | 'subjects'>
/** An object without its type, as a client creates it. */
type Body<T> = Omit<T, 'apiVersion' | 'kind'>

/**
 * Makes the roles and bindings that a server begins with, and adds what is missing in those that are there. What was added
 * otherwise stays; one whose annotation says "false" stays as it is (supplement Z-11).
 */
export async function syncDefaultAccess(
  { kinds, facts, gates }: DefaultAccessOptions,
  client: Client,
): Promise<void> {
  const isOn = ({ gate }: { readonly gate?: string }) => gate === undefined || gates.has(gate)
  const roles = (rows: readonly RoleFacts[]) =>
    rows.filter(isOn).map((row) => roleOf({ ...row, rules: rulesOf(row, gates) }, facts))
  const bindings = (rows: readonly BindingFacts[]) =>
    rows.filter(isOn).map((row) => bindingOf(row, facts, kinds.group))
  await Promise.all([
    ensureAll(client, kinds.clusterRoles, roles(facts.clusterRoles), nextRole(facts)),
    ensureAll(client, kinds.roles, roles(facts.roles), nextRole(facts)),
  ])
  await Promise.all([
    ensureAll(
      client,
      kinds.clusterRoleBindings,
      bindings(facts.clusterRoleBindings),
      nextBinding(facts),
    ),
    ensureAll(client, kinds.roleBindings, bindings(facts.roleBindings), nextBinding(facts)),
  ])
}

function metadataOf(
  { name, namespace }: RoleFacts | BindingFacts,
  facts: AccessFacts,
  labels = {},
) {
  return {
    name,
    ...(namespace && { namespace }),
    labels: { [facts.label.name]: facts.label.value, ...labels },
    annotations: { [facts.annotation]: 'true' },
  }
}

/** The rules of a role whose gates are on. */
function rulesOf({ rules = [] }: RoleFacts, gates: EnabledGates): readonly AccessRule[] {
  const on = rules.filter(({ gate }) => gate === undefined || gates.has(gate))
  return on.map(({ gate: _, ...rule }) => rule)
}

function roleOf(row: RoleFacts, facts: AccessFacts): Body<AnyRole> {
  const { aggregates, rules = [] } = row
  const clusterRoleSelectors = aggregates?.map((label) => ({ matchLabels: { [label]: 'true' } }))
  return {
    metadata: metadataOf(row, facts, row.labels),
    rules,
    ...(clusterRoleSelectors && { aggregationRule: { clusterRoleSelectors } }),
  }
}

function bindingOf(row: BindingFacts, facts: AccessFacts, group: string): Body<AnyBinding> {
  const kind = row.namespace === undefined ? 'ClusterRole' : 'Role'
  const subjects = row.subjects.map((subject) => ({
    ...subject,
    ...(subject.kind !== 'ServiceAccount' && { apiGroup: group }),
  }))
  return {
    metadata: metadataOf(row, facts),
    roleRef: { apiGroup: group, kind, name: row.role },
    ...(subjects.length > 0 && { subjects }),
  }
}

/** What a stored role is to become; the very same one if nothing is missing. */
export function nextRole({ annotation }: Pick<AccessFacts, 'annotation'>) {
  return (stored: Stored<AnyRole>, wanted: Body<AnyRole>): Stored<AnyRole> => {
    if (stored.metadata.annotations?.[annotation] === 'false') return stored
    const missing = missingRules(stored.rules ?? [], wanted.rules ?? [])
    const rules: readonly PolicyRule[] = [...(stored.rules ?? []), ...missing]
    const { aggregationRule: _, ...rest } = stored
    const selectors = stored.aggregationRule?.clusterRoleSelectors ?? []
    const added = (wanted.aggregationRule?.clusterRoleSelectors ?? []).filter(
      (selector) => !selectors.some((one) => deepEqual(one, selector)),
    )
    const aggregationRule = { clusterRoleSelectors: [...selectors, ...added] }
    const next = {
      ...rest,
      metadata: withMetadataOf(stored, wanted),
      rules,
      ...(wanted.aggregationRule && { aggregationRule }),
    } as Stored<AnyRole>
    return deepEqual(next, { ...stored, rules: stored.rules ?? [] }) ? stored : next
  }
}

/** What a stored binding is to become; undefined if it names another role and has to be made anew. */
export function nextBinding({ annotation }: Pick<AccessFacts, 'annotation'>) {
  return (stored: Stored<AnyBinding>, wanted: Body<AnyBinding>): Stored<AnyBinding> | undefined => {
    if (stored.metadata.annotations?.[annotation] === 'false') return stored
    if (!deepEqual(stored.roleRef, wanted.roleRef)) return undefined
    const known = new Set((stored.subjects ?? []).map(subjectText))
    const missing = (wanted.subjects ?? []).filter((subject) => !known.has(subjectText(subject)))
    const metadata = withMetadataOf(stored, wanted)
    if (missing.length === 0 && deepEqual(metadata, stored.metadata)) return stored
    return { ...stored, metadata, subjects: [...(stored.subjects ?? []), ...missing] }
  }
}

function subjectText({ kind, name, namespace = '', apiGroup = '' }: Subject): string {
  return JSON.stringify([kind, name, namespace, apiGroup])
}

/** Labels and annotations that are there stay as they are. */
function withMetadataOf<T extends ApiObject>({ metadata }: Stored<T>, wanted: Body<ApiObject>) {
  return {
    ...metadata,
    labels: { ...wanted.metadata.labels, ...metadata.labels },
    annotations: { ...wanted.metadata.annotations, ...metadata.annotations },
  }
}

/** Creates what is missing of a kind, and writes what `next` changes. */
async function ensureAll<T extends AnyRole | AnyBinding>(
  client: Client,
  kind: AnyKind,
  wanted: readonly Body<T>[],
  next: (stored: Stored<T>, wanted: Body<T>) => Stored<T> | undefined,
): Promise<void> {
  const resource = client.resource<T>(kind)
  const { items } = await resource.listAll()
  const stored = new Map(items.map((one) => [placeOf(one), one]))
  await Promise.all(
    wanted.map(async (object) => {
      const known = stored.get(placeOf(object))
      if (known === undefined) return ignoreLostRace(resource.create(object as never))
      const changed = next(known, object)
      if (changed === known) return
      if (changed !== undefined) return ignoreLostRace(resource.update(changed as never))
      await ignoreLostRace(resource.delete(known as never))
      await ignoreLostRace(resource.create(object as never))
    }),
  )
}

function placeOf({ metadata: { namespace = '', name } }: Body<ApiObject>): string {
  return `${namespace}/${name}`
}
