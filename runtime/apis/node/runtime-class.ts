import type { RuntimeClass } from '../../../generated/apis/node/v1.ts'
import { errorsOf } from '../../kernel/walker/field.ts'
import { overhead } from '../core/pod/resources.ts'
import { toleration } from '../core/pod/tolerations.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { deprecatedNodeLabel } from '../types/deprecations.ts'

/**
 * A class names a handler, and adds to pods only what a pod may have.
 * Errors in a toleration stand at a list in the list, as in release 1.29. Two tolerations are the same if key, operator, value and effect are; the seconds do not count.
 * The handler never changes (supplement I-20), which the schema says.
 */
export const runtimeClass: Strategy<RuntimeClass> = {
  warn: ({ scheduling }, _, { platform }) =>
    Object.keys(scheduling?.nodeSelector ?? {}).flatMap((key) => {
      const message = deprecatedNodeLabel(key, platform.domain)
      return message === undefined ? [] : [`scheduling.nodeSelector: ${message}`]
    }),
  check(object) {
    object.visit('handler')
    const { podFixed } = object.value.overhead ?? {}
    if (podFixed !== undefined)
      object.report(...errorsOf(overhead, podFixed, 'overhead', object.domain))
    const scheduling = object.child('scheduling')
    scheduling.visit('nodeSelector')
    const seen = new Set<string>()
    scheduling.each('tolerations', (item, at) => {
      const told = `tolerations.tolerations[${at}]` as const
      item.tellAt('', scheduling, told)
      object.report(...errorsOf(toleration, item.value, scheduling.path(told)))
    })
    scheduling.each('tolerations', (item) => {
      const { key, operator, value, effect } = item.value
      const identity = JSON.stringify([key, operator, value, effect])
      if (seen.has(identity)) item.duplicate('')
      seen.add(identity)
    })
  },
}
