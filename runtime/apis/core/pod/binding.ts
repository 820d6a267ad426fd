/** A pod gets its node. */

import { timestamp } from '../../../kernel/async/clock.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import type { Action } from '../../strategy/actions.ts'
import { required, unsupported } from '../../types/field-errors.ts'
import type { Pod } from '../../types/shapes.ts'
import { withCondition } from '../../types/status-conditions.ts'

interface Binding extends ApiObject {
  readonly target?: { readonly kind?: string; readonly name?: string }
}

/** A pod is bound once, to a node, while it lives and nothing gates it. */
export const binding: Action = {
  validate(body) {
    const { kind = '', name = '' } = (body as Binding).target ?? {}
    return [
      ...(kind === '' || kind === 'Node'
        ? []
        : [unsupported('target.kind', kind, ['Node', '<empty>'])]),
      ...(name === '' ? [required('target.name')] : []),
    ]
  },
  apply(object, body, { now }) {
    const pod = object as Pod
    const why = bindingConflict(pod)
    if (why !== undefined) return `pod ${pod.metadata.name} ${why}`
    const { metadata } = pod
    const annotations = { ...metadata.annotations, ...body.metadata.annotations }
    const given = Object.keys(annotations).length > 0
    const scheduled = { type: 'PodScheduled', status: 'True' }
    return {
      ...pod,
      metadata: { ...metadata, ...(given && { annotations }) },
      spec: { ...pod.spec, nodeName: (body as Binding).target?.name ?? '' },
      status: withCondition(pod.status ?? {}, scheduled, timestamp(now)),
    } as Pod
  },
}

function bindingConflict({ metadata, spec = {} }: Pod): string | undefined {
  if (metadata.deletionTimestamp !== undefined) {
    return 'is being deleted, cannot be assigned to a host'
  }
  if (spec.nodeName) return `is already assigned to node ${JSON.stringify(spec.nodeName)}`
  return spec.schedulingGates?.length ? 'has non-empty .spec.schedulingGates' : undefined
}
