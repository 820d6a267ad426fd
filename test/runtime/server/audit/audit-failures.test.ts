/** What the audit log says of our own mistakes, and what requests meet when it cannot be written. U-02, U-05 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { platform } from '../../../../generated/platform.ts'
import { scheme } from '../../../../generated/scheme.ts'
import { type AuditMode, type Auditor, createAuditor } from '../../../../runtime/audit/audit.ts'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { createMetrics, silentLog } from '../../../../runtime/observe/observe.ts'
import { contains, fits, startTestServer } from '../harness.ts'

const test = suite('runtime/server: audit failures')

const maps = '/api/v1/namespaces/default/configmaps'
const metrics = createMetrics(scheme.metrics ?? [], { release: platform.release })

function auditorTo(output: (line: string) => void, mode: AuditMode): Auditor {
  const policy = {
    rules: [
      { level: 'None', nonResourceURLs: ['/livez'] } as const,
      {
        level: 'Metadata',
        resources: [{ resources: ['secrets'] }],
        omitStages: ['RequestReceived'],
      } as const,
      { level: 'RequestResponse' } as const,
    ],
  }
  return createAuditor(
    { policy, log: { output, mode } },
    { platform, clock: systemClock, log: silentLog, metrics },
  )
}

test('a mistake of ours ends in the stage Panic, once', async () => {
  const events: unknown[] = []
  const auditor = auditorTo((line) => void events.push(JSON.parse(line)), 'blocking')
  const broken = { ...scheme, openapi: () => Promise.reject(new Error('broken')) }
  const wire = await startTestServer({ auditor, scheme: broken })
  const reply = await wire.request({ path: '/openapi/v3' })
  await wire.stop()
  fits(reply, { status: 500, body: { reason: 'InternalError' } })
  assert.not.match(reply.text, 'broken')
  assert.is(events.length, 2)
  contains(events[0], { stage: 'RequestReceived' }, '0')
  const responseStatus = { status: 'Failure', reason: 'InternalError', code: 500 }
  contains(events[1], { stage: 'Panic', auditID: reply.headers['audit-id'], responseStatus }, '1')
})

for (const mode of ['blocking', 'blocking-strict'] as const) {
  const strict = mode === 'blocking-strict'
  test(`mode ${mode}: a log that cannot be written ${strict ? 'stops' : 'stops no'} requests`, async () => {
    let full = true
    const print = (): void => {
      if (full) throw new Error('no space left')
    }
    const wire = await startTestServer({ auditor: auditorTo(print, mode), metrics })
    const make = (name: string) =>
      wire.request({
        method: 'POST',
        path: maps,
        headers: { 'content-type': 'application/json' },
        body: { metadata: { name } },
      })
    const refused = {
      status: 500,
      body: { reason: 'InternalError', message: /the audit log cannot record the request$/ },
    }
    fits(await make('first'), strict ? refused : { status: 201 })
    fits(await wire.request({ path: maps }), strict ? refused : { status: 200 })
    fits(await wire.request({ path: '/livez' }), { status: 200 })
    fits(await wire.request({ path: '/api/v1/secrets' }), { status: 200 })
    full = false
    fits(await wire.request({ path: `${maps}/first` }), { status: strict ? 404 : 200 })
    fits(await make('second'), { status: 201 })
    const { text } = await wire.request({ path: '/metrics' })
    if (strict) assert.match(text, /^apiserver_audit_requests_rejected_total(\{\})? 2$/m)
    await wire.stop()
  })
}

test.run()
