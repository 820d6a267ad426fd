import type { Node } from '../../../generated/apis/core/v1/node.ts'
import { isMainResource, isResource } from '../chain/attributes.ts'
import type { PluginFactory } from '../chain/plugin.ts'

/** TaintNodesByCondition taints new nodes as not ready, so that no pod is scheduled before the node reports (supplement Q-22). */
export const taintNodesByCondition: PluginFactory = ({ scheme }) => {
  const key = `node.${scheme.platform.domain}/not-ready`
  return {
    handles: (request) =>
      request.operation === 'CREATE' && isResource(request, '', 'nodes') && isMainResource(request),
    mutate({ object }) {
      const node = object as Node | undefined
      if (node === undefined) return undefined
      const taints = node.spec?.taints ?? []
      if (taints.some((taint) => taint.key === key && taint.effect === 'NoSchedule')) return node
      return { ...node, spec: { ...node.spec, taints: [...taints, { key, effect: 'NoSchedule' }] } }
    },
  }
}
