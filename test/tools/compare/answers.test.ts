/** Sequences of requests that the comparison with another server found to be answered otherwise: what that one answered to the last. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isObject, type Json } from '../../../runtime/kernel/values/json.ts'
import { normalizedAnswers } from '../../../tools/compare/normalize.ts'
import { withSortedManagers } from '../../../tools/compare/one-object.ts'
import type { Step } from '../../../tools/compare/scenario.ts'
import type { Answer, ComparedServer } from '../../../tools/compare/server.ts'
import { recordedCases, startComparedServer } from '../../support/compared.ts'

interface Recorded {
  /** The subject, class, seed and index of the scenario that found it. */
  readonly about: string
  readonly steps: readonly Step[]
  /** The other server's answer to the last step. */
  readonly told: Told
}

/** An answer: of an error its message and causes, of a list how long it is. */
interface Told {
  readonly status: number
  readonly message?: string
  readonly causes?: readonly string[]
  readonly body?: Json
  readonly warning?: string
}

const recorded = recordedCases<Recorded>('answers.json')

const test = suite<{ server: ComparedServer }>('tools/compare: answers to sequences')

test.before(async (context) => {
  context.server = await startComparedServer()
})
test.after(({ server }) => server.close())

for (const { about, steps, told } of recorded) {
  test(`${about} is answered as by the other server`, async ({ server }) => {
    const [last] = (await server.run(steps)).slice(-1)
    assert.equal(sorted(toldBy(last as Answer)), sorted(told))
  })
}

function toldBy({ status, headers, text }: Answer): Told {
  const [normal] = normalizedAnswers([{ status, headers, text }], Date.now()).map(
    withSortedManagers,
  )
  const body = JSON.parse(normal?.text ?? 'null') as Json
  const warning = normal?.headers.warning
  const warned = warning === undefined ? {} : { warning }
  if (!isObject(body)) return { status, body, ...warned }
  const items = body.items ?? body.rows
  if (Array.isArray(items)) return { status, body: { count: items.length }, ...warned }
  if (body.status !== 'Failure') return { status, body, ...warned }
  const causes = isObject(body.details) ? body.details.causes : undefined
  const texts = Array.isArray(causes)
    ? causes.filter(isObject).map(({ field, message }) => `${field}: ${message}`)
    : undefined
  return { status, message: String(body.message), ...(texts && { causes: texts }), ...warned }
}

/** The problems of a configuration come in the order of a hash table there, and managers in that of the seconds of their writes. */
function sorted(told: Told): Told {
  if (told.body !== undefined) return { ...told, body: withSortedBody(told.body) }
  if (told.message === undefined || !told.message.includes('errors:\n')) return told
  return { ...told, message: told.message.split('\n').sort().join('\n') }
}

function withSortedBody(body: Json): Json {
  const { text } = withSortedManagers({ status: 200, headers: {}, text: JSON.stringify(body) })
  return JSON.parse(text) as Json
}

test.run()
