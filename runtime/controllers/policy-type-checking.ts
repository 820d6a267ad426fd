import { runInSlices } from '../kernel/async/slices.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import { extensionPrefixes } from '../kernel/descriptors/platform.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import { apiVersionOf } from '../kernel/meta/object.ts'
import { isObject, type JsonObject } from '../kernel/values/json.ts'
import {
  type CheckedSpec,
  type CheckedType,
  type ExpressionWarning,
  expressionWarnings,
  typeFromOpenApi,
} from '../policy/policy.ts'

/** What of a policy's spec its types have to do with. */
export interface CheckedPolicySpec extends CheckedSpec {
  readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string }
  readonly matchConstraints?: { readonly resourceRules?: readonly Rule[] }
}

interface Rule {
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
}

/** What the published schemas of the kinds that a policy names say of its expressions. */
export async function typeCheckingWarnings(
  scheme: Scheme,
  spec: CheckedPolicySpec,
): Promise<readonly ExpressionWarning[]> {
  const schemas = new Schemas(scheme)
  const { apiVersion = '', kind = '' } = spec.paramKind ?? {}
  const paramKind = Object.values(scheme.routes).find(
    (one) => one.kind === kind && apiVersionOf(one) === apiVersion,
  )
  const kinds = matchedKinds(scheme, spec.matchConstraints?.resourceRules ?? [])
  const types = await Promise.all(kinds.map((one) => schemas.typeOf(one)))
  const params = paramKind && (await schemas.typeOf(paramKind))
  const steps = expressionWarnings(
    spec,
    scheme.platform.brand,
    types.filter((one) => one !== undefined),
    spec.paramKind && { type: params?.type },
  )
  return runInSlices(steps)
}

/** The types of kinds by the published documents, each of which is read once. */
class Schemas {
  readonly #tree: Scheme
  readonly #documents = new Map<string, JsonObject>()

  constructor(scheme: Scheme) {
    this.#tree = scheme
  }

  async typeOf({ group, version, kind }: AnyKind): Promise<CheckedType | undefined> {
    const document = await this.#document(`${group === '' ? 'api' : `apis/${group}`}/${version}`)
    const prefixes = extensionPrefixes(this.#tree.platform)
    const place = typeFromOpenApi(document, { group, version, kind }, prefixes)
    return place && { group, version, kind, type: place }
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
function matchedKinds({ routes }: Scheme, rules: readonly Rule[]): readonly AnyKind[] {
  const found = new Set(rules.flatMap((rule) => kindsOf(rule, routes).slice(0, mostKinds)))
  const name = (kind: AnyKind) => `${kind.group}/${kind.version}/${kind.kind}`
  return [...found].sort((a, b) => (name(a) < name(b) ? -1 : 1))
}

function kindsOf(rule: Rule, routes: Scheme['routes']): readonly AnyKind[] {
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
