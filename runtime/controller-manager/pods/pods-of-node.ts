import type { Pod } from '../../../generated/apis/core/v1/pod.ts'
import { pods } from '../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import type { Indexes, Lookup } from '../../reconcile/reconcile.ts'

/** What the pods of a node are found by. */
export const nodeIndex: Indexes<Pod> = {
  node: ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []),
}

/** The pods that are bound to a node, in a cache that has `nodeIndex`. */
export function podsOfNode(
  name: string,
  { cached }: Pick<Lookup, 'cached'>,
): readonly Stored<Pod>[] {
  return cached(pods).index('node', name)
}
