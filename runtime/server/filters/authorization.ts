import {
  type AuthorizationAttributes,
  type AuthorizationResult,
  alwaysAllow,
  forbiddenError,
  ruleText,
  smallestRule,
} from '../../auth/auth.ts'
import type { Awaitable } from '../../kernel/async/awaitable.ts'
import { requestNamespace } from '../../registry/registry.ts'
import type { Filter, RequestState } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { type OutcomeMetrics, outcomeMetrics } from '../metrics/access-metrics.ts'
import { requestedName } from '../request/requested-name.ts'
import { unservedResource, verbOfMethod } from '../request/unserved-resource.ts'

/**
 * Refuses requests whose credentials did not hold (401) and those that their user may not make (403). The verdict is annotated
 * where annotations are read.
 */
export function authorization(context: ServerContext): Filter {
  const { authorizer, clock } = context
  const verdicts = verdictNotes(context)
  const decided = decisionMetrics(context)
  return function authorization({ state }, next) {
    if (state.authenticationError !== undefined) throw state.authenticationError
    if (authorizer === alwaysAllow) {
      verdicts?.allowed(state, '')
      return next()
    }
    const attributes = attributesOf(state)
    const began = clock.monotonic()
    let result: Awaitable<AuthorizationResult>
    try {
      result = authorizer.authorize(attributes)
    } catch (error) {
      decided('error', began)
      throw error
    }
    if (result instanceof Promise) return awaited(result, state, attributes, began).then(next)
    decided(outcomeOf(result), began)
    settle(state, attributes, result, verdicts)
    return next()
  }

  async function awaited(
    pending: Promise<AuthorizationResult>,
    state: RequestState,
    attributes: AuthorizationAttributes,
    began: number,
  ): Promise<void> {
    const result = await pending.catch((error: unknown) => {
      decided('error', began)
      throw error
    })
    decided(outcomeOf(result), began)
    settle(state, attributes, result, verdicts)
  }
}

type DecisionOutcome = 'allowed' | 'denied' | 'no-opinion' | 'error'

const outcomes: readonly DecisionOutcome[] = ['allowed', 'denied', 'no-opinion', 'error']

function decisionMetrics({ metrics, clock }: ServerContext): OutcomeMetrics<DecisionOutcome> {
  return outcomeMetrics(metrics, clock, outcomes, {
    attempts: 'authorization_attempts_total',
    duration: 'authorization_duration_seconds',
  })
}

function outcomeOf({ decision, error }: AuthorizationResult): DecisionOutcome {
  if (decision === 'Allow') return 'allowed'
  if (error !== undefined) return 'error'
  return decision === 'Deny' ? 'denied' : 'no-opinion'
}

/** How a verdict is annotated. */
interface VerdictNotes {
  allowed(state: RequestState, reason: string): void
  refused(state: RequestState, reason: string, attributes: AuthorizationAttributes): void
}

/** Undefined where no annotations are read. */
function verdictNotes(context: ServerContext): VerdictNotes | undefined {
  const { auditor, onRequestCompleted, view } = context
  if (auditor === undefined && onRequestCompleted === undefined) return undefined
  const group = `authorization.${view.scheme.platform.api}`
  const [decision, because, missing] = ['decision', 'reason', 'missing-rule'].map(
    (word) => `${group}/${word}`,
  ) as [string, string, string]
  return {
    allowed(state, reason) {
      state.annotations = { ...state.annotations, [decision]: 'allow', [because]: reason }
    },
    refused(state, reason, attributes) {
      const rule = ruleText(smallestRule(attributes))
      const notes = { [decision]: 'forbid', [because]: reason, [missing]: rule }
      state.annotations = { ...state.annotations, ...notes }
    },
  }
}

/** The request as an authorizer judges it. */
function attributesOf({ info, user, request }: RequestState): AuthorizationAttributes {
  const { target, segments, path, remote } = info
  if (remote?.resource !== undefined) return { user, verb: remote.verb, ...remote.resource }
  if (target === undefined) {
    const unserved = segments && unservedResource(segments)
    if (unserved !== undefined) {
      return { user, verb: verbOfMethod(request.method, unserved.name), ...unserved }
    }
    const verb = request.method.toLowerCase()
    return { user, verb, group: '', resource: '', name: '', path: decoded(path) }
  }
  const { kind, subresource } = target
  const name = requestedName(info)
  const verb = info.verb ?? verbOfMethod(request.method, name)
  const namespace = requestNamespace(target)
  return {
    user,
    verb,
    group: kind.group,
    version: kind.version,
    resource: kind.plural,
    name,
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
  }
}

/** The path without percent signs, where it can be decoded: so do the rules name it. */
function decoded(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** No opinion is no permission. */
function settle(
  state: RequestState,
  attributes: AuthorizationAttributes,
  { decision, reason = '', error }: AuthorizationResult,
  verdicts: VerdictNotes | undefined,
): void {
  if (decision === 'Allow') {
    verdicts?.allowed(state, reason)
    return
  }
  verdicts?.refused(state, reason, attributes)
  throw error ?? forbiddenError(attributes, reason)
}
