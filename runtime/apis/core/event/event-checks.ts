/**
 * What both views of an event are checked for (supplement U-07). Errors stand at the names of the older view, whichever was
 * written; only the reporter has the name of its own view.
 */
import type { Event } from '../../../../generated/apis/core/v1/event.ts'
import type { Platform } from '../../../kernel/descriptors/platform.ts'
import { qualifiedNameProblems } from '../../../kernel/meta/names.ts'
import type { FieldError } from '../../../kernel/validation/field-error.ts'
import { invalid, invalidAll, required } from '../../../kernel/validation/field-errors.ts'
import type { LooseObject } from '../../../kernel/walker/loose.ts'

/** Bytes of instance, action and reason, and of the text. */
const longest = 128
const longestNote = 1024

/** An event in the words of the older view. */
export type AnyEvent = LooseObject<Event>
/** The name of the reporter in a view. */
export type Reporter = 'reportingComponent' | 'reportingController'

/** What is wrong with any event: where it lives, and, if it says when it happened, who saw what. */
export function eventErrors(
  event: AnyEvent,
  reporter: Reporter,
  { prefix }: Platform,
): readonly FieldError[] {
  return event.eventTime
    ? [
        ...namespaceErrors(event, ['default', `${prefix}-system`], true),
        ...reportErrors(event, reporter),
      ]
    : namespaceErrors(event, ['', 'default'], false)
}

/**
 * An event lives beside the object that it is about; one about an object of the cluster, where the system's are. Of an event that
 * says when it happened the object may be elsewhere.
 */
function namespaceErrors(
  { involvedObject, metadata }: AnyEvent,
  ofCluster: readonly string[],
  anywhere: boolean,
): readonly FieldError[] {
  const about = involvedObject?.namespace ?? ''
  const namespace = metadata?.namespace ?? ''
  const fits = about === '' ? ofCluster.includes(namespace) : anywhere || about === namespace
  if (fits) return []
  return [invalid('involvedObject.namespace', about, 'does not match event.namespace')]
}

/**
 * Reporter, instance, action and reason are required; the note may be empty. Errors of length do not repeat the text.
 */
function reportErrors(event: AnyEvent, reporter: Reporter): readonly FieldError[] {
  const name = event.reportingComponent ?? ''
  return [
    ...(name === '' ? [required(reporter)] : []),
    ...invalidAll(reporter, name, qualifiedNameProblems(name)),
    ...(['reportingInstance', 'action', 'reason'] as const).flatMap((key) =>
      event[key] ? lengthErrors(key, event[key], longest) : [required(key)],
    ),
    ...lengthErrors('message', event.message ?? '', longestNote),
  ]
}

function lengthErrors(path: string, text: string, most: number): readonly FieldError[] {
  if (Buffer.byteLength(text) <= most) return []
  return [invalid(path, '', `can have at most ${most} characters`)]
}
