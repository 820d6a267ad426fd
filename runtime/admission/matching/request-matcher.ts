/** Whether the rules and selectors of a webhook, policy or binding match a request (supplement Q-07). */
import type { RuleWithOperations } from '../../../generated/apis/admissionregistration/v1/webhook.ts'
import { type AnyKind, storedKind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import {
  type LabelRequirement,
  type LabelSelectorFields,
  labelRequirementsOf,
  matchesLabels,
} from '../../kernel/meta/label-selector.ts'
import type { Metadata } from '../../kernel/meta/object.ts'
import type { Attributes } from '../chain/attributes.ts'
import { notFound } from '../chain/errors.ts'
import { type PluginContext, servedKind } from '../chain/plugin-context.ts'

/** The parsed selectors of a webhook, policy or binding; empty ones match everything. */
export interface Selectors {
  readonly namespaceSelector: readonly LabelRequirement[]
  readonly objectSelector: readonly LabelRequirement[]
}

/** Parses the selectors of a webhook, policy or binding. Validation has accepted them. */
export function parseSelectors(from: {
  readonly namespaceSelector?: LabelSelectorFields
  readonly objectSelector?: LabelSelectorFields
}): Selectors {
  return {
    namespaceSelector: labelRequirementsOf(from.namespaceSelector ?? {}) ?? [],
    objectSelector: labelRequirementsOf(from.objectSelector ?? {}) ?? [],
  }
}

/** Matches requests of one server. */
export class RequestMatcher {
  readonly #context: PluginContext
  readonly #versions: EquivalentVersions = new EquivalentVersions()

  constructor(context: PluginContext) {
    this.#context = context
  }

  /**
   * The version of the request's resource that one of the rules matches: its own if possible, else, if `equivalent`, the
   * first equivalent version that a rule names. Undefined if no rule matches.
   */
  versionMatchedBy(
    rules: readonly RuleWithOperations[],
    equivalent: boolean,
    attributes: Attributes,
  ): AnyKind | undefined {
    const { resource } = attributes
    if (rules.some((rule) => matchesRule(rule, attributes, resource))) return resource
    if (!equivalent || rules.length === 0) return undefined
    const others = this.#versions
      .of(resource, this.#context.scheme)
      .filter((version) => version !== resource)
    for (const rule of rules) {
      const found = others.find((version) => matchesRule(rule, attributes, version))
      if (found !== undefined) return found
    }
    return undefined
  }

  /**
   * True if both selectors match: the object's labels before or after the change, and those of its namespace.
   *
   * @throws StatusError (NotFound) if the namespace of the request does not exist
   */
  async selectorsMatch(selectors: Selectors, attributes: Attributes): Promise<boolean> {
    if (!matchesObject(selectors, attributes)) return false
    return this.#matchesNamespace(selectors, attributes)
  }

  /** Cluster-scoped objects other than namespaces always match. */
  async #matchesNamespace(
    { namespaceSelector }: Selectors,
    attributes: Attributes,
  ): Promise<boolean> {
    if (namespaceSelector.length === 0) return true
    const { resource, namespace = '', object, operation } = attributes
    const isNamespace = resource.group === '' && resource.plural === 'namespaces'
    if (!isNamespace && resource.scope === 'Cluster') return true
    if (isNamespace && object !== undefined && (operation === 'CREATE' || operation === 'UPDATE')) {
      return matchesLabels(namespaceSelector, object.metadata.labels)
    }
    return matchesLabels(namespaceSelector, await this.#labelsOfNamespace(namespace))
  }

  async #labelsOfNamespace(name: string): Promise<Metadata['labels']> {
    const kind = servedKind(this.#context, 'api/v1/namespaces')
    if (kind === undefined) return undefined
    const found = await this.#context.lister.find(kind, name)
    if (found === undefined) throw notFound(kind, name)
    return found.object().metadata.labels
  }
}

/** The served versions of resources that are stored as the same kind, groups that share it included. */
class EquivalentVersions {
  #scheme: Scheme | undefined
  #byStoredKind = new Map<AnyKind, AnyKind[]>()

  /** The served versions of what a kind is stored as. Indexed anew when the scheme is another one. */
  of(kind: AnyKind, scheme: Scheme): readonly AnyKind[] {
    if (scheme !== this.#scheme) this.#index(scheme)
    return this.#byStoredKind.get(storedKind(kind)) ?? []
  }

  #index(scheme: Scheme): void {
    this.#scheme = scheme
    this.#byStoredKind = new Map()
    for (const kind of Object.values(scheme.routes)) {
      const key = storedKind(kind)
      this.#byStoredKind.set(key, [...(this.#byStoredKind.get(key) ?? []), kind])
    }
  }
}

/** True if a rule matches the operation and the resource, taken as one of its versions. */
function matchesRule(
  { operations, apiGroups, apiVersions, resources = [], scope = '*' }: RuleWithOperations,
  { operation, subresource = '' }: Attributes,
  kind: AnyKind,
): boolean {
  return (
    listMatches(operations, operation) &&
    listMatches(apiGroups, kind.group) &&
    listMatches(apiVersions, kind.version) &&
    resources.some((pattern) => matchesResource(pattern, kind.plural, subresource)) &&
    (scope === '*' || scope === kind.scope)
  )
}

/** True if the list names the value or `*`. A missing list matches nothing. */
function listMatches(list: readonly string[] | undefined, value: string): boolean {
  return (list ?? []).some((one) => one === '*' || one === value)
}

/** Matches `pods`, `pods/status`, `pods/*`, `*` (main resources) and every subresource of all. */
function matchesResource(pattern: string, plural: string, subresource: string): boolean {
  const [resource = '', sub = ''] = pattern.split('/', 2)
  return (resource === '*' || resource === plural) && (sub === '*' || sub === subresource)
}

/** True if the labels match before or after the change, so that removing a label is no way around a webhook. */
function matchesObject({ objectSelector }: Selectors, { object, oldObject }: Attributes): boolean {
  if (objectSelector.length === 0) return true
  return [object, oldObject].some(
    (one) => one !== undefined && matchesLabels(objectSelector, one.metadata.labels),
  )
}
