import type { Auditor } from '../../audit/audit.ts'
import { type Awaitable, chainAwaitable } from '../../kernel/async/awaitable.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import { auditContextOf } from '../audit/audit-context.ts'
import type { Filter, RequestState } from '../context/filter.ts'
import type { ServerContext } from '../context/server-context.ts'
import { failureResponse } from '../negotiation/failure-response.ts'
import { annotationsOf } from './annotations.ts'
import { afterwards } from './compose.ts'

/** Records what the audit policy wants recorded: the request before it goes on, its response before it is sent. */
export function audit(context: ServerContext): Filter {
  const { auditor } = context
  return function audit({ state }, next) {
    return auditor === undefined ? next() : audited(context, auditor, state, next)
  }
}

/** In the blocking modes nothing is sent before its event is out; a response that is there is recorded without a promise. */
function audited(
  context: ServerContext,
  auditor: Auditor,
  state: RequestState,
  next: () => Awaitable<void>,
): Awaitable<void> {
  const { request, info, user, auditId } = state
  const record = auditContextOf(context, auditor, { request, info, user, auditId })
  if (record === undefined) return next()
  state.request = record.request
  const work = chainAwaitable(record.mayGoOn, (may) => (may ? next() : refuse(context, state)))
  return afterwards(work, () => {
    if (state.response === undefined) return
    const { response: decided, user: actor, impersonator } = state
    const annotations = annotationsOf(state)
    const facts = { annotations, ...(impersonator && { impersonatedUser: actor }) }
    return chainAwaitable(record.complete(decided, facts), (response) => {
      state.response = response
    })
  })
}

/** Mode `blocking-strict`: what cannot be recorded is not done. */
async function refuse({ serializers }: ServerContext, state: RequestState): Promise<void> {
  const error = new StatusError('InternalError', 'the audit log cannot record the request')
  state.response = await failureResponse(error, state.request, serializers)
}
