/** The rights that controllers need, derived from what they declare: no list beside the code can go stale. */
import { type AnyKind, hasSubresource, isSameResource } from '../../kernel/descriptors/kind.ts'
import { stepsOf } from '../changes/field-paths.ts'
import type { AnyController } from './controller.ts'
import type { KeyController, WakeScope, Watch } from './key-controller.ts'
import { ownedOf } from './owned.ts'
import { fieldsOfKinds, type Writing, wholeKinds } from './writing.ts'

/** One rule of a role. */
export interface AccessRule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

/** What a set of controllers may do, and where. */
export interface Access {
  /** Rules for kinds without namespaces. */
  readonly cluster: readonly AccessRule[]
  /** Rules for every namespace. */
  readonly everywhere: readonly AccessRule[]
  /** Rules for watches that name a namespace. */
  readonly inNamespace: Readonly<Record<string, readonly AccessRule[]>>
}

const reads = ['get', 'list', 'watch'] as const
const writes = ['create', 'delete', 'patch', 'update'] as const

/**
 * The rules that a role for these controllers needs:
 *
 *   - `for`: reads, writes of `status` where the kind has it, and of the object itself for a finalizer;
 *   - `owns`: reads and writes, for `ensure` and for a cleanup, in the namespaces that its scope names, and the right to block the
 *     deletion of the owner;
 *   - `watches`: reads, in the namespaces that the watch names;
 *   - `reads`, `writes`: what the controller says it does beside that; of a kind whose fields it names, reads and patches of the object, or
 *     of `status`, as the fields are;
 *   - `scales`: reads, and writes of the subresource `scale`.
 */
export function accessRules(controllers: readonly Declared[]): Access {
  const all = new Grants()
  for (const controller of controllers) {
    if ('for' in controller) grantOwn(all, controller)
    for (const watch of controller.watches ?? []) grantWatch(all, watch)
    for (const kind of controller.reads ?? []) all.grant(kind, reads)
    for (const kind of wholeKinds(controller.writes)) all.grant(kind, [...reads, ...writes])
    for (const one of fieldsOfKinds(controller.writes)) grantFields(all, one)
    for (const kind of controller.scales ?? []) {
      all.grant(kind, reads)
      all.grant(kind, ['get', 'patch', 'update'], 'scale')
    }
  }
  return all.access()
}

/** A controller of either sort, or something else that says what it uses. */
type Declared = AnyController | Pick<KeyController, 'reads' | 'scales' | 'watches' | 'writes'>

function grantOwn(all: Grants, controller: AnyController): void {
  const { for: kind, cleanup } = controller
  const owns = ownedOf(controller.owns)
  const named = fieldsOfKinds(controller.writes).some((one) => isSameResource(one.writes, kind))
  all.grant(kind, cleanup === undefined ? reads : [...reads, 'patch', 'update'])
  if (hasSubresource(kind, 'status') && !named)
    all.grant(kind, ['get', 'patch', 'update'], 'status')
  if (owns.length > 0) all.grant(kind, ['update'], 'finalizers')
  for (const { owns: owned, scope } of owns) {
    for (const place of placesOf(scope)) all.grant(owned, [...reads, ...writes], undefined, place)
  }
}

/** A field of the status is written through `status`, any other by a patch of the object. */
function grantFields(all: Grants, { writes: kind, fields }: Writing): void {
  const ofStatus = fields.filter(
    (field) => stepsOf(field)[0] === 'status' && hasSubresource(kind, 'status'),
  )
  all.grant(kind, ofStatus.length < fields.length ? [...reads, 'patch'] : reads)
  if (ofStatus.length === 0) return
  const whole = ofStatus.includes('status') ? ['update'] : []
  all.grant(kind, ['get', 'patch', ...whole], 'status')
}

function grantWatch(all: Grants, watch: Watch): void {
  for (const place of placesOf(watch)) all.grant(watch.kind, reads, undefined, place)
}

/** The namespaces that a scope names; undefined for all of them. */
function placesOf(
  scope: Pick<WakeScope, 'namespace' | 'namespaces'>,
): readonly (string | undefined)[] {
  return scope.namespaces ?? [scope.namespace]
}

/** Verbs by resource, in the cluster, everywhere and in single namespaces. */
class Grants {
  readonly #cluster: Verbs = new Map()
  readonly #everywhere: Verbs = new Map()
  readonly #inNamespace = new Map<string, Verbs>()

  grant(kind: AnyKind, verbs: readonly string[], subresource?: string, namespace?: string): void {
    const { group, plural } = kind
    const resource = subresource === undefined ? plural : `${plural}/${subresource}`
    const place = this.#placeOf(kind, namespace)
    const key = `${group} ${resource}`
    place.set(key, new Set([...(place.get(key) ?? []), ...verbs]))
  }

  access(): Access {
    const places = [...this.#inNamespace].sort(([a], [b]) => (a < b ? -1 : 1))
    return {
      cluster: rulesOf(this.#cluster),
      everywhere: rulesOf(this.#everywhere),
      inNamespace: Object.fromEntries(places.map(([name, place]) => [name, rulesOf(place)])),
    }
  }

  #placeOf({ scope }: AnyKind, namespace: string | undefined): Verbs {
    if (scope === 'Cluster') return this.#cluster
    if (namespace === undefined) return this.#everywhere
    const place = this.#inNamespace.get(namespace) ?? new Map()
    this.#inNamespace.set(namespace, place)
    return place
  }
}

/** Verbs by group and resource. */
type Verbs = Map<string, ReadonlySet<string>>

/** One rule for the resources of a group that have the same verbs, in a fixed order. */
function rulesOf(place: Verbs): readonly AccessRule[] {
  const rules = new Map<string, AccessRule>()
  for (const [key, granted] of [...place].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const gap = key.indexOf(' ')
    const [group, resource] = [key.slice(0, gap), key.slice(gap + 1)]
    const verbs = [...granted].sort()
    const same = `${group}|${verbs}`
    const { resources = [] } = rules.get(same) ?? {}
    rules.set(same, { apiGroups: [group], resources: [...resources, resource], verbs })
  }
  return [...rules.values()]
}
