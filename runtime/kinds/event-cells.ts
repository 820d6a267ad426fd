/** What a list of events shows. */
import type { ApiObject } from '../kernel/object.ts'
import { since } from './age.ts'
import type { Event } from './event.ts'

/** Time since it happened last: the series knows best, then the last occurrence, then the first. */
export function eventLastSeen(object: ApiObject, now: number): string {
  const { series, lastTimestamp } = object as Event
  if (series) return since(series.lastObservedTime, now)
  return lastTimestamp ? since(lastTimestamp, now) : eventFirstSeen(object, now)
}

export function eventFirstSeen(object: ApiObject, now: number): string {
  const { firstTimestamp, eventTime } = object as Event
  return since(firstTimestamp || eventTime, now)
}

/** An event without a count happened once. */
export function eventCount(object: ApiObject): number {
  const { series, count } = object as Event
  return series ? (series.count ?? 0) : count || 1
}

/** `pod/web`, or only the kind where the object has no name. */
export function eventObject(object: ApiObject): string {
  const { kind = '', name } = (object as Event).involvedObject ?? {}
  return name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase()
}

/** The reporting component, and the host or instance of it after a comma. */
export function eventSource(object: ApiObject): string {
  const { source, reportingComponent, reportingInstance } = object as Event
  const component = source?.component || reportingComponent || ''
  const instance = source?.host || reportingInstance
  return instance ? `${component}, ${instance}` : component
}

export function eventMessage(object: ApiObject): string {
  return ((object as Event).message ?? '').trim()
}
