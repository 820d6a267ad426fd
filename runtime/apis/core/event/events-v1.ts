/** The rules of the newer view of events, and the names that the older one has for the same fields. */

import type { ApiObject } from '../../../kernel/meta/object.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { invalid, unsupported } from '../../types/field-errors.ts'
import type { TimeText } from '../../types/shapes.ts'
import type { Event } from './event.ts'
import { checkNamespace, checkReport } from './event-checks.ts'

interface NewEvent extends ApiObject {
  readonly type?: string
  readonly reason?: string
  readonly note?: string
  readonly action?: string
  readonly eventTime?: TimeText
  readonly series?: Event['series']
  readonly regarding?: Event['involvedObject']
  readonly reportingController?: string
  readonly reportingInstance?: string
  readonly deprecatedSource?: Event['source']
  readonly deprecatedFirstTimestamp?: TimeText
  readonly deprecatedLastTimestamp?: TimeText
  readonly deprecatedCount?: number
}

/** A new event says when, what and who; what it has from older times stays unset, and later only its series changes. */
export const eventV1: Strategy = {
  validate(object, old, context) {
    const event = object as NewEvent
    if (old !== undefined) return checkUpdate(event, old as NewEvent)
    return [
      ...checkNamespace('regarding', event.regarding?.namespace, event.metadata.namespace, context),
      ...checkNew(event),
      ...checkUnset(event),
    ]
  },
}

/** An event of either view in the words of the older one. */
export function toCoreEvent(object: ApiObject): Event {
  const event = object as Event & NewEvent
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

function checkNew({
  reportingController,
  note,
  type = '',
  ...event
}: NewEvent): readonly FieldError[] {
  const { reportingInstance, action, reason } = event
  const known = type === 'Normal' || type === 'Warning'
  return [
    ...checkReport(
      ['reportingController', reportingController],
      Object.entries({ reportingInstance, action, reason }),
      ['note', note],
    ),
    ...(known ? [] : [unsupported('type', type, ['Normal', 'Warning'])]),
  ]
}

function checkUnset(event: NewEvent): readonly FieldError[] {
  const { deprecatedSource = {} } = event
  const given = {
    deprecatedFirstTimestamp: event.deprecatedFirstTimestamp,
    deprecatedLastTimestamp: event.deprecatedLastTimestamp,
    deprecatedCount: event.deprecatedCount,
    'deprecatedSource.component': deprecatedSource.component,
    'deprecatedSource.host': deprecatedSource.host,
  }
  return Object.entries(given)
    .filter(([, value]) => value)
    .map(([path, value]) => invalid(path, value, 'needs to be unset'))
}

/** What an event says stays said. */
function checkUpdate(event: NewEvent, old: NewEvent): readonly FieldError[] {
  const fields = Object.keys({ ...old, ...event }).filter(
    (field) => !['metadata', 'series', 'kind', 'apiVersion'].includes(field),
  )
  const [now, before] = [event, old] as unknown as Readonly<Record<string, unknown>>[]
  return fields
    .filter((field) => !deepEqual(now?.[field], before?.[field]))
    .map((field) => invalid(field, now?.[field] ?? null, 'field is immutable'))
}
