import { type Awaitable, chain } from '../kernel/awaitable.ts'
import { isStatus, StatusError } from '../kernel/status.ts'
import type { Clock } from '../kernel/time.ts'
import { logBug, logRequest } from '../observe/observe.ts'
import { type Said, saidBefore } from '../registry/registry.ts'
import { type Asked, askedOf } from './asked.ts'
import type { Core } from './core.ts'
import { type Answer, headerOf, type Incoming, type Reply } from './exchange.ts'
import { gated } from './gate.ts'
import { contentType, type Media, negotiate, offers, plainJson } from './media.ts'
import { type Binary, binaryDocument } from './protobuf.ts'
import { splitUrl, timeoutOf } from './query.ts'
import { route } from './route.ts'
import { failureBody, failureHeaders, toStatus } from './status.ts'
import { layOut, layoutOf } from './text.ts'
import { trailOf } from './trail.ts'
import { warningHeaders } from './warning.ts'

/** Writes are cut off earlier than reads: whoever waits for one holds a conflict in his hands. */
const writeTimeoutMs = 34_000

/** Answers a request, whatever happens; never fails. What is in memory is answered at once. */
export function answerTo(core: Core, request: Incoming): Awaitable<Reply> {
  const start = core.clock.now()
  const audit = auditId(core, request)
  const asked = askedOf(core.routes, request, core.callerOf(request))
  const trail = core.auditor && trailOf(core, core.auditor, request, asked, audit)
  const decide = (): Awaitable<Answer> =>
    trail?.refused
      ? failureAnswer(core, request, audit, unrecorded())
      : decided(core, trail?.request ?? request, asked, audit)
  const reply = gated(core, request, asked, audit, decide, trail)
  if (!core.log.debugging) return reply
  return chain(reply, (made) => {
    const ms = core.clock.now() - start
    const { method } = request
    logRequest(core.log, { audit, method, path: asked.path, status: made.status, ms })
    return made
  })
}

function decided(core: Core, request: Incoming, asked: Asked, audit: string): Awaitable<Answer> {
  const failed = async (error: unknown): Promise<Answer> =>
    withSaid(await failureAnswer(core, request, audit, error), saidBefore(error))
  try {
    const ms = timeLimit(core, request)
    const routed = route(core, request, asked, audit)
    return routed instanceof Promise ? withDeadline(core.clock, ms, routed).catch(failed) : routed
  } catch (error) {
    return failed(error)
  }
}

function timeLimit({ requestTimeoutMs }: Core, request: Incoming): number {
  const reads = request.method === 'GET' || request.method === 'HEAD'
  const own = reads ? requestTimeoutMs : Math.min(requestTimeoutMs, writeTimeoutMs)
  if (!request.url.includes('timeout')) return own
  const { query } = splitUrl(request.url)
  const seconds = reads ? query.integer('timeoutSeconds') : undefined
  return Math.min(own, timeoutOf(query) ?? own, seconds ? seconds * 1000 : own)
}

/** What `work` gives, or a Timeout if that takes longer. The work itself goes on: a write may still land. */
function withDeadline<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      const text = 'Timeout: request did not complete within the allotted timeout'
      reject(new StatusError('Timeout', text))
    })
    work.then(
      (value) => {
        cancel()
        resolve(value)
      },
      (error) => {
        cancel()
        reject(error)
      },
    )
  })
}

async function failureAnswer(
  core: Core,
  request: Incoming,
  audit: string,
  error: unknown,
): Promise<Answer> {
  const status = toStatus(error, audit, (bug) => logBug(core.log, audit, request.method, bug))
  const media = failureMedia(request, core.binary)
  const outcome = failureBody(status)
  const layout = layoutOf(media, request, splitUrl(request.url).query)
  return {
    status: status.code,
    headers: { 'Content-Type': contentType(media), ...failureHeaders(status) },
    body:
      media.format === 'protobuf' && core.binary !== undefined
        ? await binaryDocument(core.binary, outcome)
        : await layOut(JSON.stringify(outcome), layout),
    outcome,
    ...(!isStatus(error) && { bug: true }),
  }
}

function unrecorded(): StatusError {
  return new StatusError('InternalError', 'the audit log cannot record the request')
}

/** A refusal with what plugins warned of and noted before it. */
function withSaid(answer: Answer, said: Said | undefined): Answer {
  if (said === undefined) return answer
  const { warnings, annotations } = said
  const headers = warnings.length > 0 && { Warning: warningHeaders(warnings) }
  return { ...answer, headers: { ...answer.headers, ...headers }, annotations }
}

/** The form of a Status: what the client accepts, JSON if that is nothing we have. */
function failureMedia(request: Incoming, binary: Binary | undefined): Media {
  const offer = { ...offers.plain, ...(binary && { binary: binary.types }) }
  try {
    return negotiate(headerOf(request, 'accept'), offer)
  } catch {
    return plainJson
  }
}

/** The caller's own id if it is one, so that both logs name the request alike. */
function auditId({ newId }: Core, request: Incoming): string {
  const given = headerOf(request, 'audit-id')
  return given !== undefined && /^[\w.-]{1,128}$/.test(given) ? given : newId()
}
