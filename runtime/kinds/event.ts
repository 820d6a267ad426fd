/** The rules of Event. */
import { qualifiedNameProblems } from '../kernel/names.ts'
import type { ApiObject } from '../kernel/object.ts'
import type { Finding } from '../kernel/read.ts'
import { invalid, problems, required } from './findings.ts'
import type { Rule, RuleContext } from './kinds.ts'
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

const longest = 128
const longestNote = 1024

/** An event lives beside its object. One that says when it happened (the newer style) also says who saw what. */
export const event: Rule = {
  validate(object, _, context) {
    const given = object as Event
    return [...checkNamespace(given, context), ...(given.eventTime ? checkNewStyle(given) : [])]
  },
}

function checkNamespace({ metadata, involvedObject }: Event, { platform }: RuleContext): Finding[] {
  const about = involvedObject?.namespace ?? ''
  const allowed = about === '' ? ['', 'default', `${platform.prefix}-system`] : [about]
  if (allowed.includes(metadata.namespace ?? '')) return []
  return [invalid('involvedObject.namespace', about, 'does not match event.namespace')]
}

function checkNewStyle(event: Event): readonly Finding[] {
  const { reportingComponent, reportingInstance, action, reason, message = '' } = event
  return [
    ...checkReporter(reportingComponent),
    ...checkText('reportingInstance', reportingInstance),
    ...checkText('action', action),
    ...checkText('reason', reason),
    ...(message.length > longestNote ? [invalid('message', '', most(longestNote))] : []),
  ]
}

function checkReporter(name: string | undefined): readonly Finding[] {
  if (!name) return [required('reportingComponent')]
  return problems('reportingComponent', name, qualifiedNameProblems(name))
}

function checkText(path: string, text: string | undefined): readonly Finding[] {
  if (!text) return [required(path)]
  return text.length > longest ? [invalid(path, '', most(longest))] : []
}

function most(characters: number): string {
  return `can have at most ${characters} characters`
}
