/** Kinds that are known only at run time, as descriptors: what is typed for a generated kind is untyped for them. */
import {
  allVerbs,
  type ScalableKind,
  type Subresource,
  type Verb,
} from '../kernel/descriptors/kind.ts'
import type { ApiObject, ResourceScope } from '../kernel/meta/object.ts'

/** An object of a kind that is known only at run time: all of its fields, untyped. */
export interface DynamicObject extends ApiObject {
  // biome-ignore lint/suspicious/noExplicitAny: nothing is known of the fields of such an object
  readonly [field: string]: any
}

/** What has to be known of a kind to send requests for it; a server tells it, see `Client.dynamic`. */
export interface DynamicKindFacts {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly scope: ResourceScope
  /** Default: the kind in lower case. */
  readonly singular?: string
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  /** Default: all of them. */
  readonly verbs?: readonly Verb[]
  readonly subresources?: readonly Subresource[]
}

/**
 * The descriptor of a kind without its schema: `client.resource`, `createInformer` and controllers take it as they take a
 * generated one. Objects are what the server says: nothing is pruned, defaulted or checked here. Whether they can be scaled is seen when
 * that is asked for: it is among `subresources`, or is not.
 *
 * @example
 * const widgets = dynamicKind({
 *   ...{ group: 'example.com', version: 'v1', kind: 'Widget', plural: 'widgets', scope: 'Namespaced' },
 * })
 * for await (const widget of client.resource(widgets).list()) console.log(widget.spec.size)
 */
export function dynamicKind<T extends ApiObject = DynamicObject>(
  facts: DynamicKindFacts,
): ScalableKind<T> {
  const { kind, singular = kind.toLowerCase(), verbs = allVerbs } = facts
  const { shortNames = [], categories = [], subresources = [] } = facts
  return {
    ...facts,
    scalable: true,
    ...{ singular, verbs, shortNames, categories, subresources },
    listKind: `${kind}List`,
    nameFormat: 'dns-subdomain',
    createOnUpdate: false,
    unconditionalUpdate: false,
    deleteReturns: 'Object',
    generation: true,
    columns: [],
    selectableFields: {},
    strategies: [],
    applyReset: {},
    merge: {},
    read: (input) => input as T,
  }
}
