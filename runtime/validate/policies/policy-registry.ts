/** A registry that admits objects as a server with the policies of a run would: those among its documents, and a pod security level. */
import { unknownServicePools } from '../../apis/apis.ts'
import { systemClock } from '../../kernel/async/clock.ts'
import { enabledGatesOf } from '../../kernel/descriptors/enabled-gates.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import { isStatus, type StatusError } from '../../kernel/errors/status-error.ts'
import { isObject, type Json, type JsonObject } from '../../kernel/values/json.ts'
import { createRegistry, type Registry, type WriteOptions } from '../../registry/registry.ts'
import { withResourceVersion } from '../../serializer/serializer.ts'
import { MemoryStore } from '../../store/store.ts'
import { createWatchCache, type WatchCache } from '../../watch/watch.ts'
import { dryOptions } from '../object/dry-registry.ts'

/** A pod security level. */
export type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted'

/** What admission says of an object. */
export interface AdmissionAnswer {
  readonly warnings: readonly string[]
  readonly refusal?: StatusError
}

const plugins = ['PodSecurity', 'ValidatingAdmissionPolicy']
const policyGate = 'ValidatingAdmissionPolicy'
const bindingKind = 'ValidatingAdmissionPolicyBinding'
const keptOptions: WriteOptions = { ...dryOptions, dryRun: false }

/**
 * Keeps policies, bindings, params and namespaces, and admits other objects in dry runs. Bindings are kept with the action Warn, so that
 * every failure is told and not the first alone; `actions` has what they do in truth.
 */
export class PolicyRegistry {
  readonly #scheme: () => Scheme
  readonly #cache: WatchCache
  readonly #registry: Registry
  readonly #namespaces = new Set<string>()
  readonly #actions = new Map<string, readonly string[]>()

  private constructor(
    scheme: () => Scheme,
    cache: WatchCache,
    level: PodSecurityLevel | undefined,
  ) {
    this.#scheme = scheme
    this.#cache = cache
    this.#registry = createRegistry({
      store: cache,
      scheme: scheme(),
      clock: systemClock,
      pools: unknownServicePools(),
      gates: new Set([...enabledGatesOf(scheme()), policyGate]),
      admission: { only: plugins, ...(level && { settings: podSecuritySettings(level) }) },
    })
  }

  /** Opens one without policies. */
  static async open(scheme: () => Scheme, level?: PodSecurityLevel): Promise<PolicyRegistry> {
    const clock = systemClock
    const log = new MemoryStore({ entries: new Map(), revision: 1 }, { clock })
    const cache = await createWatchCache(log, { clock, stampResourceVersion: withResourceVersion })
    return new PolicyRegistry(scheme, cache, level)
  }

  /** Keeps an object that decides about others. One that is refused is not kept: it has findings of its own. */
  async keep(kind: AnyKind, value: JsonObject): Promise<void> {
    this.#follow()
    const name = textAt(value, 'metadata', 'name')
    if (kind.kind === 'Namespace') this.#namespaces.add(name)
    const namespace = await this.#namespaceOf(kind, value)
    const kept = kind.kind === bindingKind ? this.#asWarning(name, value) : value
    await this.#create(kind, kept, namespace, keptOptions)
    await this.#cache.waitForRevision(await this.#cache.revision(), 60_000)
  }

  /** What admission says of a creation of the object. */
  async admit(kind: AnyKind, value: JsonObject): Promise<AdmissionAnswer> {
    this.#follow()
    const namespace = await this.#namespaceOf(kind, value)
    return this.#create(kind, value, namespace, dryOptions)
  }

  /** What a binding does about a failure. */
  actions(binding: string): readonly string[] {
    return this.#actions.get(binding) ?? []
  }

  /** Ends what was opened. */
  async close(): Promise<void> {
    this.#registry.close()
    await this.#cache.close()
  }

  #asWarning(name: string, value: JsonObject): JsonObject {
    const spec = isObject(value.spec) ? value.spec : {}
    const actions = Array.isArray(spec.validationActions) ? spec.validationActions : []
    this.#actions.set(name, actions.map(String))
    return { ...value, spec: { ...spec, validationActions: ['Warn'] } }
  }

  #follow(): void {
    this.#registry.replaceScheme(this.#scheme())
  }

  /** The namespace of an object, which is made if no document has it. */
  async #namespaceOf(kind: AnyKind, value: JsonObject): Promise<string | undefined> {
    if (kind.scope !== 'Namespaced') return undefined
    const name = textAt(value, 'metadata', 'namespace') || 'default'
    const namespaces = this.#scheme().routes['api/v1/namespaces']
    if (this.#namespaces.has(name) || namespaces === undefined) return name
    await this.keep(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    return name
  }

  /** An object that is kept already is refused last of all, so that nothing else is wrong with it. */
  async #create(
    kind: AnyKind,
    value: JsonObject,
    namespace: string | undefined,
    options: WriteOptions,
  ): Promise<AdmissionAnswer> {
    const target = { kind, ...(namespace !== undefined && { namespace }) }
    try {
      return await this.#registry.create(target, { value, duplicates: [] }, options)
    } catch (error) {
      if (!isStatus(error)) throw error
      return error.reason === 'AlreadyExists' ? { warnings: [] } : { warnings: [], refusal: error }
    }
  }
}

function podSecuritySettings(level: PodSecurityLevel) {
  const latest = 'latest'
  const levels = { enforce: level, warn: level, audit: 'privileged' as const }
  const versions = { 'enforce-version': latest, 'warn-version': latest, 'audit-version': latest }
  return { PodSecurity: { defaults: { ...levels, ...versions } } }
}

function textAt(value: Json, ...path: readonly string[]): string {
  let found: Json | undefined = value
  for (const step of path) found = isObject(found ?? null) ? (found as JsonObject)[step] : undefined
  return typeof found === 'string' ? found : ''
}
