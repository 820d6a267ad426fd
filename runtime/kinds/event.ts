/** The rules of Event. */
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { checkPlace, checkReport } from './event-checks.ts'
import type { Rule } from './kinds.ts'
import type { TimeText } from './shapes.ts'

/** What the rules and cells of Event look at. */
export interface Event extends ApiObject {
  readonly involvedObject?: {
    readonly kind?: string
    readonly namespace?: string
    readonly name?: string
  }
  readonly type?: string
  readonly reason?: string
  readonly message?: string
  readonly action?: string
  readonly source?: { readonly component?: string; readonly host?: string }
  readonly firstTimestamp?: TimeText
  readonly lastTimestamp?: TimeText
  readonly eventTime?: TimeText
  readonly count?: number
  readonly series?: { readonly count?: number; readonly lastObservedTime?: TimeText }
  readonly reportingComponent?: string
  readonly reportingInstance?: string
}

/** An event lives beside its object. One that says when it happened (the newer style) also says who saw what. */
export const event: Rule = {
  validate(object, _, context) {
    const given = object as Event
    const { metadata, involvedObject, eventTime } = given
    return [
      ...checkPlace('involvedObject', involvedObject?.namespace, metadata.namespace, context),
      ...(eventTime ? checkNewStyle(given) : []),
    ]
  },
}

function checkNewStyle({ reportingComponent, message, ...event }: Event): readonly Finding[] {
  const { reportingInstance, action, reason } = event
  return checkReport(
    ['reportingComponent', reportingComponent],
    Object.entries({ reportingInstance, action, reason }),
    ['message', message],
  )
}
