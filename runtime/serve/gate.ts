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
    return { ...refused, headers: { ...refused.headers, ...flowHeaders(core, entry) } }
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
  return told(core, request, asked, audit, entry, answer)
}

function told(
  core: Core,
  request: Incoming,
  asked: Asked,
  audit: string,
  entry: Entry,
  answer: Answer,
): Answer {
  const { method } = request
  const deprecation = asked.target && core.deprecations.of(asked.target.kind)
  const annotations = deprecation?.annotations ?? {}
  core.onServed?.({ audit, asked, method, status: answer.status, annotations })
  const flow = flowHeaders(core, entry)
  if (deprecation !== undefined && asked.target !== undefined) {
    core.meters.deprecated(asked.target, deprecation.removedRelease)
    return withWarning({ ...answer, headers: { ...answer.headers, ...flow } }, deprecation.warning)
  }
  const gone = answer.status === 404 && asked.target === undefined && asked.segments !== undefined
  const instead = gone ? core.deprecations.gone(asked.segments ?? []) : undefined
  if (instead !== undefined) {
    core.log.warn('removed API asked for', { audit, method, path: asked.path, instead })
    return withWarning({ ...answer, headers: { ...answer.headers, ...flow } }, instead)
  }
  return { ...answer, headers: { ...answer.headers, ...flow } }
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

function withWarning(answer: Answer, text: string): Answer {
  const before = answer.headers.Warning ?? []
  const all = [...warningHeaders([text]), ...(typeof before === 'string' ? [before] : before)]
  return { ...answer, headers: { ...answer.headers, Warning: all } }
}

function tooMany({ retryAfterSeconds }: Entry): Answer {
  return textAnswer(429, 'Too many requests, please try again later.\n', {
    'Retry-After': String(retryAfterSeconds),
  })
}

function flowHeaders({ flowHeaderNames }: Core, { schema, level }: Entry): Answer['headers'] {
  if (schema === '') return {}
  return { [flowHeaderNames.schema]: schema, [flowHeaderNames.level]: level }
}
