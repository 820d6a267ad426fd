import { isObject, type JsonObject } from '../kernel/json.ts'
import type { AnyKind } from '../kernel/kind.ts'
import { type ApiObject, apiVersionOf } from '../kernel/object.ts'
import { extensionPrefixes } from '../kernel/platform.ts'
import { isStatus } from '../kernel/status.ts'
import { type Clock, pause } from '../kernel/time.ts'
import type { Tree } from '../kernel/tree.ts'
import type { Log } from '../observe/observe.ts'
import {
  type CheckedSpec,
  type CheckedType,
  publishedType,
  typeWarnings,
} from '../policy/policy.ts'
import type { Body, Registry } from '../registry/registry.ts'

/** The kind of policies as they are stored, if a tree has it. */
export function policyKind({ routes, platform }: Tree): AnyKind | undefined {
  const path = `apis/admissionregistration.${platform.api}/v1beta1/validatingadmissionpolicies`
  return Object.hasOwn(routes, path) ? routes[path] : undefined
}

export interface PolicyChecksOptions {
  readonly registry: Registry
  readonly kind: AnyKind
  readonly clock: Clock
  readonly log: Log
}

/**
 * Tells authors of policies what the published schemas say of their expressions, in the policy's status. Each generation is
 * looked at once. Nothing is decided by it.
 */
export class PolicyChecks {
  readonly #options: PolicyChecksOptions

  constructor(options: PolicyChecksOptions) {
    this.#options = options
  }

  /** Follows the store until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { registry, kind, clock, log } = this.#options
    while (!signal.aborted) {
      try {
        for await (const batch of registry.watch({ kind }, { bookmarks: false }, signal)) {
          for (const { type, item } of batch) {
            if (type !== 'DELETED' && type !== 'BOOKMARK') await this.#check(item.object())
          }
        }
      } catch (error) {
        if (signal.aborted) return
        log.warn('policies not checked', { reason: String(error) })
      }
      await pause(clock, 200, signal)
    }
  }

  async #check(policy: Policy): Promise<void> {
    const { registry, kind } = this.#options
    const { name = '', generation = 0 } = policy.metadata
    if (generation <= (policy.status?.observedGeneration ?? 0)) return
    const expressionWarnings = await warningsOf(registry.tree, policy.spec ?? {})
    const typeChecking = expressionWarnings.length === 0 ? {} : { expressionWarnings }
    const body = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { name },
      status: { observedGeneration: generation, typeChecking },
    }
    const options = { dryRun: false, fieldValidation: 'Ignore', manager, force: true } as const
    try {
      await registry.patch({ kind, name, subresource: 'status' }, 'apply', bodyOf(body), options)
    } catch (error) {
      if (!isStatus(error, 'NotFound') && !isStatus(error, 'Conflict')) throw error
    }
  }
}

const manager = 'validatingadmissionpolicy-status'

interface Policy extends ApiObject {
  readonly spec?: Spec
  readonly status?: { readonly observedGeneration?: number }
}

interface Spec extends CheckedSpec {
  readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string }
  readonly matchConstraints?: { readonly resourceRules?: readonly Rule[] }
}

interface Rule {
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
}

async function warningsOf(tree: Tree, spec: Spec) {
  const schemas = new Schemas(tree)
  const { apiVersion = '', kind = '' } = spec.paramKind ?? {}
  const paramKind = Object.values(tree.routes).find(
    (one) => one.kind === kind && apiVersionOf(one) === apiVersion,
  )
  const kinds = matchedKinds(tree, spec.matchConstraints?.resourceRules ?? [])
  const types = await Promise.all(kinds.map((one) => schemas.typeOf(one)))
  const params = paramKind && (await schemas.typeOf(paramKind))
  return typeWarnings(
    spec,
    tree.platform.brand,
    types.filter((one) => one !== undefined),
    spec.paramKind && { place: params?.place },
  )
}

/** The types of kinds by the published documents, each of which is read once. */
class Schemas {
  readonly #tree: Tree
  readonly #documents = new Map<string, JsonObject>()

  constructor(tree: Tree) {
    this.#tree = tree
  }

  async typeOf({ group, version, kind }: AnyKind): Promise<CheckedType | undefined> {
    const document = await this.#document(`${group === '' ? 'api' : `apis/${group}`}/${version}`)
    const prefixes = extensionPrefixes(this.#tree.platform)
    const place = publishedType(document, { group, version, kind }, prefixes)
    return place && { group, version, kind, place }
  }

  async #document(key: string): Promise<JsonObject> {
    const documents = await this.#tree.openapi()
    const known = this.#documents.get(key)
    if (known !== undefined) return known
    const read: unknown = JSON.parse(
      Object.hasOwn(documents, key) ? (documents[key] ?? '{}') : '{}',
    )
    const document = isObject(read) ? read : {}
    this.#documents.set(key, document)
    return document
  }
}

/** Most kinds that one rule is checked with. */
const mostKinds = 10

/** The kinds that rules name outright, in order; wildcards and subresources name none. */
function matchedKinds({ routes }: Tree, rules: readonly Rule[]): readonly AnyKind[] {
  const found = new Set(rules.flatMap((rule) => kindsOf(rule, routes).slice(0, mostKinds)))
  const name = (kind: AnyKind) => `${kind.group}/${kind.version}/${kind.kind}`
  return [...found].sort((a, b) => (name(a) < name(b) ? -1 : 1))
}

function kindsOf(rule: Rule, routes: Tree['routes']): readonly AnyKind[] {
  const { apiGroups = [], apiVersions = [], resources = [] } = rule
  if ([...apiGroups, ...apiVersions].some((one) => one.includes('*'))) return []
  const plain = resources.filter((one) => !/[*/]/.test(one))
  const sorted = (list: readonly string[]) => [...list].sort()
  return sorted(apiGroups).flatMap((group) =>
    sorted(apiVersions).flatMap((version) =>
      sorted(plain).flatMap((plural) => {
        const path = `${group === '' ? 'api' : `apis/${group}`}/${version}/${plural}`
        return (Object.hasOwn(routes, path) && routes[path]) || []
      }),
    ),
  )
}

function bodyOf(value: object): Body {
  return { value: value as Body['value'], duplicates: [] }
}
