/** The strategy of the newer view of events, and the names that the older one has for the same fields. */
import type { Event as CoreEvent } from '../../../../generated/apis/core/v1/event.ts'
import type { Event } from '../../../../generated/apis/events/v1.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import type { Field } from '../../../kernel/walker/field.ts'
import type { LooseObject } from '../../../kernel/walker/loose.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { checkNamespace, checkReport } from './event-checks.ts'

/** A new event says when, what and who; deprecated fields stay unset, and later only its series changes. */
export const eventV1: Strategy<Event> = {
  check(event, { platform }) {
    if (event.old !== undefined) return checkUpdate(event)
    checkNamespace(event, 'regarding', platform)
    checkReport(event, 'reportingController', 'note')
    const { type = '' } = event.value
    if (type !== 'Normal' && type !== 'Warning') {
      event.unsupported('type', ['Normal', 'Warning'], type)
    }
    checkUnset(event)
  },
}

/** An event of either view in the words of the older one. */
export function toCoreEvent(
  object: LooseObject<CoreEvent> | LooseObject<Event>,
): LooseObject<CoreEvent> {
  const event = object as LooseObject<CoreEvent & Event>
  if (event.regarding === undefined) return event
  return {
    ...event,
    involvedObject: event.regarding,
    message: event.note ?? '',
    source: event.deprecatedSource ?? {},
    firstTimestamp: event.deprecatedFirstTimestamp ?? null,
    lastTimestamp: event.deprecatedLastTimestamp ?? null,
    count: event.deprecatedCount ?? 0,
    reportingComponent: event.reportingController ?? '',
  }
}

function checkUnset(event: Field<Event>): void {
  const { value } = event
  for (const [path, given] of [
    ['deprecatedFirstTimestamp', value.deprecatedFirstTimestamp],
    ['deprecatedLastTimestamp', value.deprecatedLastTimestamp],
    ['deprecatedCount', value.deprecatedCount],
    ['deprecatedSource.component', value.deprecatedSource?.component],
    ['deprecatedSource.host', value.deprecatedSource?.host],
  ] as const) {
    if (given) event.invalid(path, 'needs to be unset', given)
  }
}

/** What an event says does not change. */
function checkUpdate(event: Field<Event>): void {
  const fields = Object.keys({ ...event.old, ...event.value }) as (keyof Event)[]
  for (const key of fields) {
    if (['metadata', 'series', 'kind', 'apiVersion'].includes(key)) continue
    if (!deepEqual(event.value[key], event.old?.[key])) event.invalid(key, 'field is immutable')
  }
}
