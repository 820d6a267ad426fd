import type { Asked } from './asked.ts'
import { flowRequestOf } from './asked.ts'
import type { Core } from './core.ts'
import { type Answer, type Incoming, textAnswer } from './exchange.ts'
import type { Entry } from './flow/flow.ts'
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
export async function gated(
  core: Core,
  request: Incoming,
  asked: Asked,
  audit: string,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const start = core.clock.now()
  const entering = core.flow.enter(flowRequestOf(asked, request.method), core.widths.of(asked))
  const entry = entering instanceof Promise ? await entering : entering
  if (entry.leave === undefined) {
    const refused = tooMany(entry)
    core.meters.answered(asked, request, refused, core.clock.now() - start)
    return told(core, audit, entry, refused)
  }
  const changing = isChanging(asked, request)
  core.meters.began(changing)
  let answer: Answer
  try {
    answer = await work()
  } finally {
    entry.leave()
    core.meters.ended(changing)
  }
  core.widths.learn(asked, answer)
  answer = followed(core, request, asked, answer)
  core.meters.answered(asked, request, answer, core.clock.now() - start)
  return told(core, audit, entry, answer, warningOf(core, request, asked, audit, answer))
}

/** Records what was answered; gives what the client is warned of. */
function warningOf(
  core: Core,
  { method }: Incoming,
  asked: Asked,
  audit: string,
  { status, annotations: noted }: Answer,
): string | undefined {
  const { target, segments } = asked
  const deprecation = target && core.deprecations.of(target.kind)
  if (core.onServed !== undefined) {
    const annotations = { ...deprecation?.annotations, ...(noted && Object.fromEntries(noted)) }
    core.onServed({ audit, asked, method, status, annotations })
  }
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
): Answer {
  const all: Record<string, string | readonly string[]> = {
    'Audit-Id': audit,
    'Cache-Control': 'no-cache, private',
  }
  for (const name in headers) all[name] = headers[name] ?? ''
  if (schema !== '') {
    all[flowHeaderNames.schema] = schema
    all[flowHeaderNames.level] = level
  }
  if (warning !== undefined) {
    const { Warning: before = [] } = all
    all.Warning = [
      ...warningHeaders([warning]),
      ...(typeof before === 'string' ? [before] : before),
    ]
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
