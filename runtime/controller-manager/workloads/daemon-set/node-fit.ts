/** Whether pods of a template may be on a node. */
import type { Node } from '../../../../generated/apis/core/v1/node.ts'
import type { PodSpec } from '../../../../generated/apis/core/v1/pod.ts'
import type { Stored } from '../../../kernel/meta/object.ts'
import { matchesNodeAffinity, untolerated } from '../../../pods/pods.ts'

/** What a pod may do on a node. */
export interface NodeFit {
  /** One may begin there. */
  readonly starts: boolean
  /** One that is there already may stay. */
  readonly stays: boolean
}

const nowhere: NodeFit = { starts: false, stays: false }

/** What a pod of such a spec may do on a node. Taints that keep new pods away let those stay that are there. */
export function fitOf(spec: PodSpec, node: Stored<Node>): NodeFit {
  if ((spec.nodeName ?? '') !== '' && spec.nodeName !== node.metadata.name) return nowhere
  if (!matchesNodeAffinity(spec, node)) return nowhere
  const bad = (...effects: readonly ('NoExecute' | 'NoSchedule')[]) =>
    untolerated(node.spec?.taints, spec.tolerations, effects) !== undefined
  const stays = !bad('NoExecute')
  return { stays, starts: stays && !bad('NoSchedule') }
}
