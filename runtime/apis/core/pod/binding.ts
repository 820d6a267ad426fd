/** A pod gets its node. */
import type { Binding } from '../../../../generated/apis/core/v1/binding.ts'
import type { Pod } from '../../../../generated/apis/core/v1/pod.ts'
import { timestamp } from '../../../kernel/async/clock.ts'
import { withCondition } from '../../../kernel/meta/status-conditions.ts'
import { quoted } from '../../../kernel/values/quoted.ts'
import { errorsOf, type Field } from '../../../kernel/walker/field.ts'
import type { LooseObject } from '../../../kernel/walker/loose.ts'
import type { Action } from '../../strategy/action.ts'

/**
 * A pod is bound once, to a node, while it lives and nothing gates it.
 * Annotations of the binding are added to those of the pod, and win over them (supplement I-05).
 */
export const binding: Action = {
  validate: (body) =>
    errorsOf((binding: Field<Binding>) => {
      const { kind = '', name = '' } = binding.value.target ?? {}
      if (kind !== '' && kind !== 'Node') binding.unsupported('target.kind', ['Node', '<empty>'])
      if (name === '') binding.required('target.name')
    }, body),
  apply(object, body, { now }) {
    const pod = object as LooseObject<Pod>
    const why = bindingConflict(pod)
    if (why !== undefined) return `pod ${pod.metadata.name} ${why}`
    const { metadata } = pod
    const annotations = { ...metadata.annotations, ...body.metadata.annotations }
    const given = Object.keys(annotations).length > 0
    const scheduled = { type: 'PodScheduled', status: 'True' }
    return {
      ...pod,
      metadata: { ...metadata, ...(given && { annotations }) },
      spec: { ...pod.spec, nodeName: (body as LooseObject<Binding>).target?.name ?? '' },
      status: withCondition(withoutReason(pod.status ?? {}), scheduled, timestamp(now)),
    } as LooseObject<Pod>
  },
}

/** The status without what was said of a pod that had no node. */
function withoutReason(status: NonNullable<LooseObject<Pod>['status']>): typeof status {
  const conditions = status.conditions?.map((one) => {
    if (one.type !== 'PodScheduled') return one
    const { reason: _, message: __, ...rest } = one
    return rest
  })
  return { ...status, ...(conditions && { conditions }) }
}

/**
 * The first reason: deletion, a node, gates. It is a 409, even if the pod is on that very node
 * already.
 */
function bindingConflict({ metadata, spec = {} }: LooseObject<Pod>): string | undefined {
  if (metadata.deletionTimestamp !== undefined) {
    return 'is being deleted, cannot be assigned to a host'
  }
  if (spec.nodeName) return `is already assigned to node ${quoted(spec.nodeName)}`
  return spec.schedulingGates?.length ? 'has non-empty .spec.schedulingGates' : undefined
}
