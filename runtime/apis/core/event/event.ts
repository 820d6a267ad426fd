import type { Event } from '../../../../generated/apis/core/v1/event.ts'
import type { Strategy } from '../../strategy/strategy.ts'
import { type AnyEvent, eventErrors } from './event-checks.ts'

/** An event lives beside its object. One that says when it happened (the newer style) also says who saw what. */
export const event: Strategy<Event> = {
  check(object, { platform }) {
    object.report(...eventErrors(object.value as AnyEvent, 'reportingComponent', platform))
  },
}
