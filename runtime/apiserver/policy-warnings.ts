import { isObject, type JsonObject } from '../kernel/json.ts'
import type { AnyKind } from '../kernel/kind.ts'
import { apiVersionOf } from '../kernel/object.ts'
import { extensionPrefixes } from '../kernel/platform.ts'
import type { Tree } from '../kernel/tree.ts'
import { inSlices } from '../kernel/turns.ts'
import {
  type CheckedSpec,
  type CheckedType,
  publishedType,
  type TypeWarning,
  typeWarnings,
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
export async function warningsOf(
  tree: Tree,
  spec: CheckedPolicySpec,
): Promise<readonly TypeWarning[]> {
  const schemas = new Schemas(tree)
  const { apiVersion = '', kind = '' } = spec.paramKind ?? {}
  const paramKind = Object.values(tree.routes).find(
    (one) => one.kind === kind && apiVersionOf(one) === apiVersion,
  )
  const kinds = matchedKinds(tree, spec.matchConstraints?.resourceRules ?? [])
  const types = await Promise.all(kinds.map((one) => schemas.typeOf(one)))
  const params = paramKind && (await schemas.typeOf(paramKind))
  const steps = typeWarnings(
    spec,
    tree.platform.brand,
    types.filter((one) => one !== undefined),
    spec.paramKind && { place: params?.place },
  )
  return inSlices(steps)
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
