/** The strategy of the newer view of events, and the names that the older one has for the same fields. */
import type { Event as CoreEvent } from '../../../../generated/apis/core/v1/event.ts'
import type { Event } from '../../../../generated/apis/events/v1.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { invalid, required } from '../../../kernel/validation/field-errors.ts'
import { Shown } from '../../../kernel/validation/go-value.ts'
import { deepEqual } from '../../../kernel/values/deep-equal.ts'
import type { LooseObject } from '../../../kernel/walker/loose.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { type AnyEvent, eventErrors } from './event-checks.ts'

/**
 * A new event says when, what and who; deprecated fields stay unset, and later only its series
 * changes.
 */
export const eventV1: Strategy<Event> = {
  check(object, { platform }) {
    const { old } = object
    const event = toCoreEvent(object.value as LooseObject<Event>)
    const older = eventErrors(event, 'reportingController', platform)
    object.report(...older.map((error) => ({ ...error, beforeMetadata: true as const })))
    if (old === undefined) object.report(...newErrors(event))
    else object.report(...changeErrors(event, toCoreEvent(old as LooseObject<Event>)))
  },
}

/**
 * An event of either view in the words of the older one.
 * The view is told by the field `regarding`. An event of the newer view gets the fields of the
 * older one in addition to its own.
 */
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

function newErrors(event: AnyEvent): readonly FieldError[] {
  const { count, eventTime, firstTimestamp, lastTimestamp, source, type = '' } = event
  const unset = { firstTimestamp, lastTimestamp, count, source: source?.component || source?.host }
  return [
    ...seriesErrors(event),
    ...(eventTime ? [] : [required('eventTime')]),
    ...(type === 'Normal' || type === 'Warning'
      ? []
      : [invalid('type', '', `has invalid value: ${type}`)]),
    ...Object.entries(unset).flatMap(([path, given]) =>
      given ? [invalid(path, '', 'needs to be unset')] : [],
    ),
  ]
}

/** A series has begun when the event came a second time. */
function seriesErrors({ series }: AnyEvent): readonly FieldError[] {
  if (series === undefined) return []
  return [
    ...((series.count ?? 0) < 2 ? [invalid('series.count', '', 'should be at least 2')] : []),
    ...(series.lastObservedTime ? [] : [required('series.lastObservedTime')]),
  ]
}

/** The fields that stay, in the order of their errors; the reason is told twice, as the public server does. */
const fixed = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'reason',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
] as const

/** What an event says does not change, except that it goes on. */
function changeErrors(event: AnyEvent, old: AnyEvent): readonly FieldError[] {
  const changed = fixed.filter((key) => !deepEqual(event[key], old[key]))
  return [
    ...(deepEqual(event.series, old.series) ? [] : seriesErrors(event)),
    ...changed.map((key) => {
      const path = key === 'reportingComponent' ? 'reportingController' : key
      const error = invalid(path, shownField(key, event[key]), 'field is immutable')
      return { ...error, after: 'metadata' }
    }),
  ]
}

/** Times in the words of the public library; an absent time is the first of all, an absent text empty. */
function shownField(key: (typeof fixed)[number], value: unknown): unknown {
  if (/(Timestamp|Time)$/.test(key)) return shownTime(value)
  const structs: readonly string[] = ['involvedObject', 'source', 'related']
  return structs.includes(key) ? value : (value ?? (key === 'count' ? 0 : ''))
}

function shownTime(value: unknown): Shown {
  const text = typeof value === 'string' ? value : '0001-01-01T00:00:00Z'
  const [, date, time, fraction = ''] = /^([\d-]{10})T([\d:]{8})(\.\d+)?/.exec(text) ?? []
  const digits = fraction.replace(/\.?0+$/, '')
  return new Shown(`${date} ${time}${digits} +0000 UTC`)
}
