import type { ParamKind } from '../../../generated/apis/admissionregistration/v1beta1/policy.ts'
import type { ParamRef } from '../../../generated/apis/admissionregistration/v1beta1/policy-binding.ts'
import { runInSlices, type Steps } from '../../kernel/async/slices.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import {
  type LabelRequirement,
  labelRequirementsOf,
  matchesLabels,
} from '../../kernel/meta/label-selector.ts'
import { apiVersionOf } from '../../kernel/meta/object.ts'
import { ParsedObjects } from '../chain/parsed-objects.ts'
import type { PluginContext, StoredObject } from '../chain/plugin-context.ts'

/** A policy or binding that cannot be applied to a request as it is. The failure policy decides what that means. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

/** Costs in steps: reading an object, and looking at labels that are parsed already. */
const [readCost, matchCost] = [100, 1]

/** The param kinds of policies, and the param objects of bindings. */
export class Params {
  readonly #context: PluginContext
  readonly #labels = new ParsedObjects((stored) => stored.object().metadata.labels)
  #routes: Scheme['routes'] | undefined
  #kinds: ReadonlyMap<string, AnyKind> = new Map()

  constructor(context: PluginContext) {
    this.#context = context
  }

  /** The kind that a param kind names; undefined if it is not served. */
  findKind({ apiVersion = '', kind = '' }: ParamKind): AnyKind | undefined {
    const { routes } = this.#context.scheme
    if (routes !== this.#routes) {
      this.#routes = routes
      this.#kinds = new Map(
        Object.values(routes).map((one) => [`${apiVersionOf(one)} ${one.kind}`, one]),
      )
    }
    return this.#kinds.get(`${apiVersion} ${kind}`)
  }

  /**
   * The param objects that a binding refers to, for a request in the namespace. The policy is evaluated once with each.
   *
   * @throws ConfigurationError if the reference does not fit the kind, or nothing is found and the binding denies that
   */
  async resolve(
    kind: AnyKind,
    ref: ParamRef,
    namespace: string | undefined,
  ): Promise<readonly StoredObject[]> {
    const found = await this.#find(kind, ref, paramNamespace(kind, ref, namespace))
    if (found.length === 0 && ref.parameterNotFoundAction === 'Deny') {
      throw new ConfigurationError(
        'no params found for policy binding with `Deny` parameterNotFoundAction',
      )
    }
    return found
  }

  async #find(
    kind: AnyKind,
    { name, selector = {} }: ParamRef,
    namespace: string | undefined,
  ): Promise<readonly StoredObject[]> {
    const { lister } = this.#context
    if (name) {
      const found = await lister.find(kind, name, namespace)
      return found === undefined ? [] : [found]
    }
    const requirements = labelRequirementsOf(selector) ?? []
    const all = lister.list(kind, namespace)
    return requirements.length === 0 ? all : runInSlices(this.#matching(all, requirements))
  }

  *#matching(
    all: readonly StoredObject[],
    requirements: readonly LabelRequirement[],
  ): Steps<readonly StoredObject[]> {
    const found: StoredObject[] = []
    for (const stored of all) {
      yield this.#labels.has(stored) ? matchCost : readCost
      if (matchesLabels(requirements, this.#labels.get(stored))) found.push(stored)
    }
    return found
  }
}

/** The namespace of params: that of the reference, else of the request; undefined for cluster-scoped params. */
function paramNamespace(
  kind: AnyKind,
  ref: ParamRef,
  requestNamespace: string | undefined,
): string | undefined {
  if (kind.scope === 'Cluster') {
    if (!ref.namespace) return undefined
    throw new ConfigurationError(
      'paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
    )
  }
  const namespace = ref.namespace || requestNamespace
  if (namespace) return namespace
  throw new ConfigurationError(
    'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
  )
}
