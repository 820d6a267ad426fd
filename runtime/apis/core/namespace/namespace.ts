import type { Namespace } from '../../../../generated/apis/core/v1/namespace.ts'
import { ownerlessProblems } from '../../../kernel/meta/finalizers.ts'
import { qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import type { ApiObject } from '../../../kernel/meta/object.ts'
import { change } from '../../../kernel/values/change.ts'
import type { Strategy } from '../../strategy/strategy.ts'

/**
 * Every namespace carries its name as a label, begins active, and waits for its contents when it is deleted:
 * its finalizers change through their own subresource only.
 */
export const namespace: Strategy<Namespace> = {
  defaults: (object, { platform }) =>
    change(labelled(object, `${platform.domain}/metadata.name`), {
      status: change(object.status ?? {}, { phase: object.status?.phase || 'Active' }),
    }),
  prepareCreate(object, { platform }) {
    const given = object.spec?.finalizers ?? []
    const finalizers = given.includes(platform.brand) ? given : [...given, platform.brand]
    return change(labelled(object, `${platform.domain}/metadata.name`), {
      spec: { ...object.spec, finalizers },
      status: { phase: 'Active' },
    })
  },
  prepareUpdate: (object, old) =>
    change(object, { spec: change(object.spec ?? {}, { finalizers: old.spec?.finalizers }) }),
  check(object, { platform, subresource }) {
    if (object.old !== undefined && subresource !== 'finalize') return
    const spec = object.child('spec')
    spec.each('finalizers', (finalizer) => {
      const { value } = finalizer
      const problems = [
        ...qualifiedNameProblems(value),
        ...ownerlessProblems(value, platform.brand),
      ]
      if (subresource === 'finalize') finalizer.invalidAll('', problems)
      else spec.invalidAll('finalizers', problems, value)
    })
  },
  checkStatus(object) {
    const deleted = object.value.metadata?.deletionTimestamp !== undefined
    const { phase = '' } = object.value.status ?? {}
    const [wanted, when] = deleted ? ['Terminating', 'not empty'] : ['Active', 'empty']
    if (phase === wanted) return
    const why = `may only be '${wanted}' if \`deletionTimestamp\` is ${when}`
    object.invalid('status.Phase' as 'status', why, phase)
  },
}

/** A client can neither remove nor change the label: it is set on every write (supplement I-11). */
function labelled<T extends ApiObject>(object: T, label: string): T {
  const { metadata } = object
  if (metadata.name === undefined || metadata.labels?.[label] === metadata.name) return object
  return {
    ...object,
    metadata: { ...metadata, labels: { ...metadata.labels, [label]: metadata.name } },
  }
}
