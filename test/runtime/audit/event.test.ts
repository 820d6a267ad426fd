/** What stands in a record. U-01 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readEvent } from '../../../generated/apis/audit/v1.read.ts'
import { platform } from '../../../generated/platform.ts'
import { type AuditEvent, type AuditFormat, createAuditor } from '../../../runtime/audit/audit.ts'
import { createReport } from '../../../runtime/kernel/validation/field-error.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { fakeClock } from '../../support/clock.ts'

const test = suite('runtime/audit: event')

const event: AuditEvent = {
  level: 'RequestResponse',
  auditID: 'a-1',
  stage: 'ResponseComplete',
  requestURI: '/api/v1/namespaces/shop/pods?pretty=true',
  verb: 'create',
  user: { username: 'ann', uid: 'u', groups: ['dev'], extra: { scope: ['x'] } },
  impersonatedUser: { username: 'bob', groups: ['ops', 'dev'] },
  sourceIPs: ['10.0.0.1'],
  userAgent: 'kubectl "quoted"\n',
  objectRef: {
    resource: 'pods',
    namespace: 'shop',
    name: 'web',
    uid: 'p',
    apiGroup: 'apps',
    apiVersion: 'v1',
    resourceVersion: '7',
    subresource: 'status',
  },
  responseStatus: { metadata: {}, code: 201 },
  requestObject: '{"a":9007199254740993}',
  responseObject: '{"b":1}',
  received: 1_000,
  reached: 1_234,
  annotations: { 'orch.io/deprecated': 'true' },
}

function lineOf(one: AuditEvent, format: AuditFormat = 'json', maxEventBytes = 0): string {
  const lines: string[] = []
  const auditor = createAuditor(
    {
      policy: { rules: [] },
      log: { output: (line) => void lines.push(line), format, maxEventBytes },
    },
    { platform, clock: fakeClock(), log: silentLog },
  )
  auditor.record(one)
  assert.is(lines.length, 1)
  return lines[0] ?? ''
}

// U-01
test('an event is a line that the published type reads whole', () => {
  const line = lineOf(event)
  assert.not.match(line, '\n')
  const report = createReport()
  const read = readEvent(JSON.parse(line), report)
  assert.equal(report, createReport())
  assert.is(JSON.stringify(read), JSON.stringify(JSON.parse(line)))
  assert.is(read.requestReceivedTimestamp, '1970-01-01T00:00:01.000000Z')
  assert.is(read.stageTimestamp, '1970-01-01T00:00:01.234000Z')
  assert.is(read.userAgent, event.userAgent)
})

// U-01
test('objects stand in the line as the text they are', () => {
  assert.match(lineOf(event), '"requestObject":{"a":9007199254740993},"responseObject":{"b":1}')
})

test('what is not known is left out', () => {
  const { impersonatedUser: _, objectRef: __, annotations: ___, ...less } = event
  const keys = Object.keys(JSON.parse(lineOf({ ...less, user: { username: 'ann', groups: [] } })))
  for (const key of ['impersonatedUser', 'objectRef', 'annotations']) {
    assert.not.ok(keys.includes(key))
  }
})

test('a record that is too long goes without its objects and says so', () => {
  const long = { ...event, responseObject: JSON.stringify('x'.repeat(2_000)) }
  const cut = JSON.parse(lineOf(long, 'json', 1_500)) as Record<string, unknown>
  assert.is(cut.requestObject, undefined)
  assert.is(cut.responseObject, undefined)
  assert.equal(cut.annotations, { 'orch.io/deprecated': 'true', 'audit.orch.io/truncated': 'true' })
})

// U-05
test('the legacy form is one line of facts', () => {
  assert.is(
    lineOf(event, 'legacy'),
    '1970-01-01T00:00:01.000000Z AUDIT: id="a-1" stage="ResponseComplete" ip="10.0.0.1" method="create" ' +
      'user="ann" groups="\\"dev\\"" as="bob" asgroups="\\"ops\\",\\"dev\\"" user-agent="kubectl \\"quoted\\"\\n" ' +
      'namespace="shop" uri="/api/v1/namespaces/shop/pods?pretty=true" response="201"',
  )
})

test.run()
