/** The rules of Event. */
import type { ApiObject } from '../../../kernel/meta/object.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import type { TimeText } from '../../types/shapes.ts'
import { checkNamespace, checkReport } from './event-checks.ts'

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
export const event: Strategy = {
  validate(object, _, context) {
    const given = object as Event
    const { metadata, involvedObject, eventTime } = given
    return [
      ...checkNamespace('involvedObject', involvedObject?.namespace, metadata.namespace, context),
      ...(eventTime ? checkNewStyle(given) : []),
    ]
  },
}

function checkNewStyle({ reportingComponent, message, ...event }: Event): readonly FieldError[] {
  const { reportingInstance, action, reason } = event
  return checkReport(
    ['reportingComponent', reportingComponent],
    Object.entries({ reportingInstance, action, reason }),
    ['message', message],
  )
}
