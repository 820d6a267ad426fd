/** What both views of an event are checked for (supplement U-07); each has names of its own for some fields. */
import type { Event } from '../../../../generated/apis/core/v1/event.ts'
import type { Event as EventV1 } from '../../../../generated/apis/events/v1.ts'
import type { Platform } from '../../../kernel/descriptors/platform.ts'
import { qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import type { Field } from '../../../kernel/walker/field.ts'

/** Characters of instance, action and reason, and of the text. */
const longest = 128
const longestNote = 1024

type AnyEvent = Omit<Event, 'kind' | 'apiVersion'> & Omit<EventV1, 'kind' | 'apiVersion'>

/**
 * An event lives beside the object that it is about; one about an object of the cluster in the default namespace or, if it
 * says when it happened, with the system's. One that says both when and about what in a namespace may live in any.
 * The error stands at the object that the event is about, under its older name.
 */
export function checkNamespace(
  object: Field<Event> | Field<EventV1>,
  key: 'involvedObject' | 'regarding',
  { prefix }: Platform,
): void {
  const event = object as unknown as Field<AnyEvent>
  const about = event.value[key]?.namespace ?? ''
  const dated = Boolean(event.value.eventTime)
  if (dated && about) return
  const allowed = about ? [about] : ['default', dated ? `${prefix}-system` : '']
  if (allowed.includes(event.value.metadata?.namespace ?? '')) return
  event.invalid('involvedObject.namespace', 'does not match event.namespace', about)
}

/**
 * An event that says when it happened says who saw it, what they did and why.
 * Reporter, instance, action and reason are required; the note may be empty. Errors of length do
 * not repeat the text.
 */
export function checkReport(
  object: Field<Event> | Field<EventV1>,
  reporter: 'reportingComponent' | 'reportingController',
  note: 'message' | 'note',
): void {
  const event = object as unknown as Field<AnyEvent>
  const { value } = event
  if (value[reporter]) event.checkText(reporter, qualifiedNameProblems)
  else event.required(reporter)
  const atMost = (key: keyof AnyEvent, size: number, most: number) => {
    if (size > most) event.invalid(key, `can have at most ${most} characters`, '')
  }
  for (const key of ['reportingInstance', 'action', 'reason'] as const) {
    if (value[key]) atMost(key, value[key].length, longest)
    else event.required(key)
  }
  atMost(note, (value[note] ?? '').length, longestNote)
}
