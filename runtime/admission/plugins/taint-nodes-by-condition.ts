import type { Node } from '../../../generated/apis/core/v1/node.ts'
import { isMainResource, isResource } from '../chain/attributes.ts'
import type { PluginFactory } from '../chain/plugin.ts'

/** Nothing is scheduled on a new node before somebody has seen it ready (supplement Q-22). */
export const taintNodesByCondition: PluginFactory = ({ scheme }) => {
  const key = `node.${scheme.platform.domain}/not-ready`
  return {
    handles: (place) =>
      isResource(place, '', 'nodes') && isMainResource(place) && place.operation === 'CREATE',
    mutate({ object }) {
      const node = object as Node | undefined
      const taints = node?.spec?.taints ?? []
      if (node === undefined) return undefined
      if (taints.some((one) => one.key === key && one.effect === 'NoSchedule')) return node
      return { ...node, spec: { ...node.spec, taints: [...taints, { key, effect: 'NoSchedule' }] } }
    },
  }
}
