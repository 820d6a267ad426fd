/** Where records go. U-05 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { platform } from '../../../generated/platform.ts'
import {
  type AuditEvent,
  type AuditLogOptions,
  type Auditor,
  createAuditor,
  type LogFileOptions,
} from '../../../runtime/audit/audit.ts'
import type { Awaitable } from '../../../runtime/kernel/async/awaitable.ts'
import type { Log } from '../../../runtime/observe/observe.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { fakeClock } from '../../support/clock.ts'
import { tempDirectory } from '../../support/temp.ts'
import { until } from '../../support/until.ts'

const test = suite('runtime/audit: log')

const whole: Omit<LogFileOptions, 'path'> = {
  maxBytes: 0,
  maxAgeMs: 0,
  maxBackups: 0,
  compress: false,
}

interface Opened {
  readonly auditor: Auditor
  readonly told: readonly string[]
  readonly record: (id: string, more?: Partial<AuditEvent>) => Awaitable<boolean>
}

const clock = fakeClock(Date.parse('2026-01-02T15:04:05Z'))

function open(options: AuditLogOptions): Opened {
  const told: string[] = []
  const tell = (text: string): void => void told.push(text)
  const log: Log = { ...silentLog, info: tell, error: tell }
  const auditor = createAuditor({ policy: { rules: [] }, log: options }, { platform, clock, log })
  const record = (auditID: string, more: Partial<AuditEvent> = {}): Awaitable<boolean> =>
    auditor.record({
      level: 'Metadata',
      auditID,
      stage: 'RequestReceived',
      requestURI: '/',
      verb: 'get',
      user: { username: 'ann', groups: [] },
      received: 0,
      reached: 0,
      ...more,
    })
  return { auditor, told, record }
}

function idsIn(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => (JSON.parse(line) as { auditID: string }).auditID)
}

const count = (n: number) => Array.from({ length: n }, (_, at) => `id-${at}`)

// U-05
for (const mode of ['blocking', 'batch'] as const) {
  test(`mode ${mode}: every record is in the file, in order, after the end`, async () => {
    const path = join(tempDirectory(), 'deep', 'audit.log')
    const { auditor, record } = open({ output: { path, ...whole }, mode })
    for (const id of count(3000)) record(id)
    if (mode === 'blocking') assert.equal(idsIn(readFileSync(path, 'utf8')), count(3000))
    await auditor.stop()
    assert.equal(idsIn(readFileSync(path, 'utf8')), count(3000))
    assert.is(statSync(path).mode & 0o777, 0o600)
  })
}

test('a file that is there is written on', async () => {
  const path = join(tempDirectory(), 'audit.log')
  writeFileSync(path, '{"auditID":"before"}\n')
  const { auditor, record } = open({ output: { path, ...whole } })
  record('after')
  await auditor.stop()
  assert.equal(idsIn(readFileSync(path, 'utf8')), ['before', 'after'])
})

// U-05
test('a full file makes room for another, and no line is divided', async () => {
  const folder = tempDirectory()
  const path = join(folder, 'audit.log')
  const { auditor, record } = open({ output: { path, ...whole, maxBytes: 1000 } })
  for (const id of count(30)) record(id)
  await auditor.stop()
  const files = readdirSync(folder).sort()
  assert.ok(files.length > 3, files.join())
  assert.ok(files.includes('audit-2026-01-02T15-04-05.000.log'), files.join())
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'))
  for (const text of texts) assert.ok(text.length <= 1000)
  assert.equal([...texts.flatMap(idsIn)].sort(), [...count(30)].sort())
})

// U-05
test('the oldest full files go, by number and by age', async () => {
  const folder = tempDirectory()
  const path = join(folder, 'audit.log')
  const day = 24 * 3600 * 1000
  writeFileSync(join(folder, 'audit-2025-01-01T00-00-00.000.log'), '')
  writeFileSync(join(folder, 'audit-of-others.log'), '')
  const aged = open({ output: { path, ...whole, maxAgeMs: 30 * day } })
  await aged.auditor.stop()
  assert.equal(readdirSync(folder).sort(), ['audit-of-others.log', 'audit.log'])
  const counted = open({ output: { path, ...whole, maxBytes: 300, maxBackups: 2 } })
  for (const id of count(20)) counted.record(id)
  await counted.auditor.stop()
  const files = readdirSync(folder)
  assert.is(files.length, 4, files.join())
  const text = readFileSync(path, 'utf8')
  assert.equal(idsIn(text), ['id-19'])
})

// U-05
test('full files are compressed', async () => {
  const folder = tempDirectory()
  const path = join(folder, 'audit.log')
  const { auditor, record } = open({ output: { path, ...whole, maxBytes: 300, compress: true } })
  for (const id of count(4)) record(id)
  await auditor.stop()
  const packed = readdirSync(folder).filter((file) => file.endsWith('.log.gz'))
  assert.is(packed.length, 3)
  const ids = packed.flatMap((file) =>
    idsIn(gunzipSync(readFileSync(join(folder, file))).toString()),
  )
  assert.equal([...ids].sort(), ['id-0', 'id-1', 'id-2'])
})

const fullDisk = { path: '/dev/full', ...whole }

for (const mode of ['blocking', 'batch'] as const) {
  test(`mode ${mode}: a disk that is full is told once and stops nothing`, async () => {
    const { auditor, record, told } = open({ output: fullDisk, mode })
    const [first = '', ...others] = count(50)
    assert.ok(record(first))
    await until('it is told', () => told.length > 0)
    for (const id of others) assert.ok(record(id))
    await auditor.stop()
    assert.equal(told, ['audit records are lost: the log cannot be written'])
  })
}

test('mode blocking-strict: what cannot be recorded as it comes must not go on', async () => {
  const { auditor, record } = open({ output: fullDisk, mode: 'blocking-strict' })
  assert.not.ok(record('a'))
  assert.ok(record('a', { stage: 'ResponseComplete' }))
  await auditor.stop()
})

test('mode batch: what finds the buffer full is lost, told once, and room comes back', async () => {
  const path = join(tempDirectory(), 'audit.log')
  const options = {
    output: { path, ...whole },
    mode: 'batch',
    batch: { bufferEvents: 10, maxEvents: 1, maxWaitMs: 0 },
  } as const
  const { auditor, record, told } = open(options)
  for (const id of count(30)) record(id)
  assert.equal(told, ['audit records are lost: too many wait to be written'])
  while (idsIn(readFileSync(path, 'utf8')).length < 10) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  await new Promise((resolve) => setImmediate(resolve))
  record('later')
  await auditor.stop()
  assert.equal(idsIn(readFileSync(path, 'utf8')), [...count(10), 'later'])
})

test('a file that is not to be had is an error at the start', () => {
  assert.throws(() => open({ output: { path: '/dev/null/audit.log', ...whole } }), /ENOTDIR/)
})

test.run()
