import type { Awaitable } from '../kernel/awaitable.ts'
import { compressionGate } from '../kernel/gates.ts'
import type { Asked } from './asked.ts'
import { flowRequestOf } from './asked.ts'
import type { Core } from './core.ts'
import { type Answer, type Incoming, type Reply, textAnswer } from './exchange.ts'
import type { Entry } from './flow/flow.ts'
import { compressed } from './gzip.ts'
import type { Trail } from './trail.ts'
import { warningHeaders } from './warning.ts'

/** A request that was answered, for whoever keeps a record of them. */
export interface Served {
  readonly audit: string
  readonly asked: Asked
  readonly method: string
  readonly status: number
  readonly annotations: Readonly<Record<string, string>>
}

/**
 * What happens around every request: it waits for its seats, what it is told beside its answer is put into headers, and it
 * is counted. Seats are held until the answer is decided, not while it is sent: a slow reader holds up nobody.
 */
export function gated(
  core: Core,
  request: Incoming,
  asked: Asked,
  audit: string,
  work: () => Awaitable<Answer>,
  trail?: Trail,
): Awaitable<Reply> {
  const start = core.clock.now()
  const passing: Passing = { core, request, asked, audit, start, trail }
  const entry = core.flow.enter(flowRequestOf(asked, request.method), core.widths.of(asked))
  return entry instanceof Promise
    ? entry.then((one) => entered(passing, one, work))
    : entered(passing, entry, work)
}

/** A request on its way through the gate. */
interface Passing {
  readonly core: Core
  readonly request: Incoming
  readonly asked: Asked
  readonly audit: string
  readonly start: number
  /** What keeps the record of it. */
  readonly trail: Trail | undefined
}

function entered(passing: Passing, entry: Entry, work: () => Awaitable<Answer>): Awaitable<Reply> {
  const { core, request, asked, audit, start, trail } = passing
  const { leave } = entry
  if (leave === undefined) {
    const refused = tooMany(entry)
    core.meters.answered(asked, request, refused, core.clock.now() - start)
    const reply = told(core, audit, entry, refused)
    return trail === undefined ? reply : trail.answered(refused, {}, reply)
  }
  const changing = isChanging(asked, request)
  core.meters.began(changing)
  const left = (): void => {
    leave()
    core.meters.ended(changing)
  }
  const answer = attempted(work, left)
  if (answer instanceof Promise) {
    return answer.finally(left).then((made) => answered(passing, entry, made))
  }
  left()
  return answered(passing, entry, answer)
}

function attempted(work: () => Awaitable<Answer>, left: () => void): Awaitable<Answer> {
  try {
    return work()
  } catch (error) {
    left()
    throw error
  }
}

function answered(passing: Passing, entry: Entry, made: Answer): Awaitable<Reply> {
  const { core, request, asked, audit, start, trail } = passing
  core.widths.learn(asked, made)
  const answer = followed(core, request, asked, made)
  core.meters.answered(asked, request, answer, core.clock.now() - start)
  const notes = notesOf(passing, answer)
  const warning = warningOf(core, request, asked, audit, answer)
  const packed = core.gates.has(compressionGate) ? compressed(request, answer) : answer
  const reply = told(core, audit, entry, packed, warning)
  return trail === undefined ? reply : trail.answered(answer, notes, reply)
}

const nothing: Readonly<Record<string, string>> = {}

/** What is noted of a request, for those who keep records; nothing where nobody does. */
function notesOf(
  { core, request: { method }, asked, audit, trail }: Passing,
  { status, annotations: noted }: Answer,
): Readonly<Record<string, string>> {
  if (core.onServed === undefined && trail === undefined) return nothing
  const deprecation = asked.target && core.deprecations.of(asked.target.kind)
  const annotations = { ...deprecation?.annotations, ...(noted && Object.fromEntries(noted)) }
  core.onServed?.({ audit, asked, method, status, annotations })
  return annotations
}

/** What the client is warned of. */
function warningOf(
  core: Core,
  { method }: Incoming,
  asked: Asked,
  audit: string,
  { status }: Answer,
): string | undefined {
  const { target, segments } = asked
  const deprecation = target && core.deprecations.of(target.kind)
  if (target !== undefined) {
    if (deprecation !== undefined) core.meters.deprecated(target, deprecation.removedRelease)
    return deprecation?.warning
  }
  const instead = status === 404 && segments ? core.deprecations.gone(segments) : undefined
  if (instead !== undefined) {
    core.log.warn('removed API asked for', { audit, method, path: asked.path, instead })
  }
  return instead
}

/** The answer with the headers of every answer. They are gathered once: each request comes through here. */
function told(
  { flowHeaderNames }: Core,
  audit: string,
  { schema, level }: Entry,
  { status, headers, body }: Answer,
  warning?: string,
): Reply {
  const all: (string | readonly string[])[] = ['Audit-Id', audit]
  if (headers['Cache-Control'] === undefined) all.push('Cache-Control', 'no-cache, private')
  if (schema !== '') all.push(flowHeaderNames.schema, schema, flowHeaderNames.level, level)
  for (const name in headers) {
    if (name !== 'Warning' || warning === undefined) all.push(name, headers[name] ?? '')
  }
  if (warning !== undefined) {
    const { Warning: before = [] } = headers
    const others = typeof before === 'string' ? [before] : before
    all.push('Warning', [...warningHeaders([warning]), ...others])
  }
  return { status, headers: all, body }
}

/** A watch counts as under way until its stream ends. */
function followed({ meters }: Core, request: Incoming, asked: Asked, answer: Answer): Answer {
  const { body } = answer
  if (asked.verb !== 'watch' || typeof body !== 'function') return answer
  return {
    ...answer,
    async body(sink) {
      const ended = meters.streaming(asked, request)
      try {
        await body(sink)
      } finally {
        ended()
      }
    },
  }
}

function isChanging({ verb }: Asked, { method }: Incoming): boolean {
  return verb === undefined ? method !== 'GET' && method !== 'HEAD' : !reading.has(verb)
}

const reading: ReadonlySet<string> = new Set(['get', 'list', 'watch'])

function tooMany({ retryAfterSeconds }: Entry): Answer {
  return textAnswer(429, 'Too many requests, please try again later.\n', {
    'Retry-After': String(retryAfterSeconds),
  })
}
