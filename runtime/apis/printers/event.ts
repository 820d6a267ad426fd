/** Cells of events, in either view. */
import type { Event } from '../../../generated/apis/core/v1/event.ts'
import { since } from '../../kernel/values/age.ts'
import type { LooseObject } from '../../kernel/walker/loose.ts'
import { toCoreEvent } from '../core/event/events-v1.ts'

/** Time since it happened last: the series knows best, then the last occurrence, then the first. */
export function eventLastSeen(object: LooseObject<Event>, now: number): string {
  const { series, lastTimestamp } = toCoreEvent(object)
  if (series) return since(series.lastObservedTime, now)
  return lastTimestamp ? since(lastTimestamp, now) : eventFirstSeen(object, now)
}

/** Time since it happened first. */
export function eventFirstSeen(object: LooseObject<Event>, now: number): string {
  const { firstTimestamp, eventTime } = toCoreEvent(object)
  return since(firstTimestamp || eventTime, now)
}

/** An event without a count happened once. */
export function eventCount(object: LooseObject<Event>): number {
  const { series, count } = toCoreEvent(object)
  return series ? (series.count ?? 0) : count || 1
}

/** `pod/web`, or only the kind where the object has no name. */
export function eventObject(object: LooseObject<Event>): string {
  const { kind = '', name } = toCoreEvent(object).involvedObject ?? {}
  return name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase()
}

/** The reporting component, and the host or instance of it after a comma. */
export function eventSource(object: LooseObject<Event>): string {
  const { source, reportingComponent, reportingInstance } = toCoreEvent(object)
  const component = source?.component || reportingComponent || ''
  const instance = source?.host || reportingInstance
  return instance ? `${component}, ${instance}` : component
}

/** The message without spaces around it. */
export function eventMessage(object: LooseObject<Event>): string {
  return (toCoreEvent(object).message ?? '').trim()
}
