/** How a DaemonSet replaces its pods. */
import type {
  DaemonSet,
  DaemonSetUpdateStrategy,
} from '../../../generated/apis/apps/v1/daemon-set.ts'
import type { ApiObject } from '../../kernel/meta/object.ts'
import { shownIntOrString } from '../../kernel/validation/go-value.ts'
import { change } from '../../kernel/values/change.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import {
  intOrPercentProblems,
  intOrPercentValue,
  percentBoundProblems,
} from '../../kernel/values/int-or-percent.ts'
import type { Field } from '../../kernel/walker/field.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'
import type { Strategy } from '../strategy/strategy.ts'
import { shownAmount } from '../types/formats.ts'

/** The annotation that counts the templates a daemon set has had (supplement I-31). */
const generation = 'deprecated.daemonset.template.generation'

/**
 * Pods are replaced node by node by default; an annotation counts the changes of the template. A
 * client cannot set the count: it is written over on every write, and counted from 1 if the stored
 * one is no number (supplement I-31). What does not state it states 0, which the sender manages then.
 */
export const daemonSet: Strategy<DaemonSet> = {
  defaults: (object) => withCount(withBounds(object)),
  prepareCreate: (object) => counted(object, 1),
  prepareUpdate(object, old) {
    const same = deepEqual(object.spec?.template, old.spec?.template)
    return counted(object, same ? countOf(old) : countOf(old) + 1)
  },
  prepareSubresource: (object, old) => counted(object, countOf(old)),
  check: (object) => checkStrategy(object.child('spec').child('updateStrategy')),
}

/** An absent type counts as RollingUpdate; of any other type, bounds that are left out of an update are zero. */
function withBounds(object: LooseObject<DaemonSet>): LooseObject<DaemonSet> {
  const { spec } = object
  const strategy = spec?.updateStrategy ?? {}
  const rolling = (strategy.type || 'RollingUpdate') === 'RollingUpdate'
  const given = strategy.rollingUpdate ?? (rolling ? {} : undefined)
  if (spec === undefined || given === undefined) return object
  const { maxUnavailable = rolling ? 1 : 0, maxSurge = 0 } = given
  const rollingUpdate = change(given, { maxUnavailable, maxSurge })
  return change(object, {
    spec: change(spec, { updateStrategy: change(strategy, { rollingUpdate }) }),
  })
}

function countOf({ metadata }: ApiObject): number {
  return Number(metadata.annotations?.[generation] ?? '1') || 1
}

function withCount(object: LooseObject<DaemonSet>): ApiObject {
  const given = object.metadata.annotations?.[generation] ?? ''
  return /^-?\d+$/.test(given) ? object : counted(object, 0)
}

function counted(object: ApiObject, count: number): ApiObject {
  const { metadata } = object
  const annotations = { ...metadata.annotations, [generation]: String(count) }
  return { ...object, metadata: { ...metadata, annotations } }
}

const strategies = ['RollingUpdate', 'OnDelete']

/**
 * Form of both bounds, then that neither is above 100 percent, then that exactly one of them is
 * more than zero: a pod of a node is replaced either after the old one has gone or beside it. A
 * text that is no amount is zero.
 */
function checkStrategy(strategy: Field<DaemonSetUpdateStrategy>): void {
  if (!strategies.includes(strategy.value.type ?? '')) {
    strategy.passOver('type')
    strategy.unsupported('', strategies, strategy.value)
  }
  if (strategy.value.type !== 'RollingUpdate') return
  strategy.when('rollingUpdate', (update) => {
    const { maxUnavailable = 1, maxSurge = 0 } = update.value
    update.invalidAll(
      'maxUnavailable',
      intOrPercentProblems(maxUnavailable),
      shownAmount(maxUnavailable),
    )
    update.invalidAll('maxSurge', intOrPercentProblems(maxSurge), shownAmount(maxSurge))
    update.invalidAll(
      'maxUnavailable',
      percentBoundProblems(maxUnavailable),
      shownAmount(maxUnavailable),
    )
    update.invalidAll('maxSurge', percentBoundProblems(maxSurge), shownAmount(maxSurge))
    const [gone, extra] = [intOrPercentValue(maxUnavailable), intOrPercentValue(maxSurge)]
    if (gone !== 0 && extra !== 0) {
      update.invalid(
        'maxSurge',
        'may not be set when maxUnavailable is non-zero',
        shownIntOrString(maxSurge),
      )
    }
    if (gone === 0 && extra === 0) {
      update.required('maxUnavailable', 'cannot be 0 when maxSurge is 0')
    }
  })
}
