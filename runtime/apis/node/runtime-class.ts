import type { RuntimeClass } from '../../../generated/apis/node/v1.ts'
import { errorsOf } from '../../kernel/walker/field.ts'
import { overhead } from '../core/pod/resources.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { deprecatedNodeLabel } from '../types/deprecations.ts'

/**
 * A class names a handler, and adds to pods only what a pod may have.
 * Two tolerations are the same if key, operator, value and effect are; the seconds do not count.
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
    if (podFixed !== undefined) object.report(...errorsOf(overhead, podFixed, 'overhead'))
    object.visit('scheduling')
    const seen = new Set<string>()
    object.child('scheduling').each('tolerations', (toleration) => {
      const { key, operator, value, effect } = toleration.value
      const identity = JSON.stringify([key, operator, value, effect])
      if (seen.has(identity)) toleration.duplicate('')
      seen.add(identity)
    })
  },
}
