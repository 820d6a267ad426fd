import type { Json } from '../kernel/json.ts'
import type { Kind } from '../kernel/kind.ts'
import type { ApiObject } from '../kernel/object.ts'
import { StatusError } from '../kernel/status.ts'
import { type Answering, answeringOf } from '../kinds/kinds.ts'
import { type Admitting, admitting, mutated, settling, systemCaller, validated } from './admit.ts'
import type { Context } from './context.ts'
import { type Draft, decodeBody, inNamespace, readTyped } from './decode.ts'
import { invalid } from './errors.ts'
import { itemOfObject } from './item.ts'
import { recordsOfNew, withRecords } from './managed.ts'
import type { Body, Target, WriteOptions, Written } from './registry.ts'

/**
 * Answers an object that is a question. It is read and admitted as a new object is, gets no identity and is stored
 * nowhere; a dry run is answered like any other. Fails with BadRequest or Invalid, or as admission refuses.
 */
export async function answer(
  context: Context,
  target: Target,
  body: Body,
  options: WriteOptions,
): Promise<Written> {
  const { kind } = target
  const { authorize, clock } = context
  const { caller = systemCaller } = options
  const answering = await answeringOf(kind)
  const draft = decodeBody(target, body, options.fieldValidation)
  const asked = inNamespace(target, draft.object)
  const records = recordsOfNew(context, target, withoutStatus(asked), options.manager)
  const { name } = asked.metadata
  const way = admitting(context, { ...target, ...(name && { name }) }, 'CREATE', options)
  return settling(way?.case, async () => {
    const read = await admitted(kind, { ...draft, object: asked }, way)
    const question = withRecords(read.object, records)
    check(kind, answering, { ...read, object: question })
    await validated(way, question)
    const inquiry = { caller, authorize, now: clock.now() }
    const { object } = readTyped(kind, asJson(await answering.answer(question, inquiry)))
    const warnings = [...draft.warnings, ...(way?.case.warnings ?? [])]
    return { item: itemOfObject(object), created: true, warnings }
  })
}

type Read = Pick<Draft, 'object' | 'findings'>

/** The question as the mutating plugins leave it. */
async function admitted(kind: Kind, draft: Read, way: Admitting | undefined): Promise<Read> {
  const changed = await mutated(way, draft.object)
  if (changed === draft.object) return draft
  const { object, report } = readTyped(kind, asJson(changed))
  return { object, findings: report.findings }
}

/** What is wrong with the status of a question does not matter: it is not read. */
function check(kind: Kind, { check }: Answering, { object, findings }: Read): void {
  const wrong = check?.(object) ?? []
  if (typeof wrong === 'string') throw new StatusError('BadRequest', wrong)
  const all = [...findings.filter(({ path }) => path.startsWith('spec')), ...wrong]
  if (all.length > 0) throw invalid(kind, '', all)
}

/** Nobody but the server says anything in a status. */
function withoutStatus(question: ApiObject): ApiObject {
  const { status, ...asked } = question as ApiObject & { readonly status?: unknown }
  return asked
}

function asJson(object: ApiObject): Json {
  return object as unknown as Json
}
