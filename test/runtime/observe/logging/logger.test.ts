import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  createLogger,
  type LogLevel,
  logRequest,
  logUnexpectedError,
  silentLog,
} from '../../../../runtime/observe/observe.ts'

const test = suite('runtime/observe')

async function logging(level: LogLevel) {
  const lines: Record<string, unknown>[] = []
  const log = await createLogger({ level, write: (line) => lines.push(JSON.parse(line)) })
  return { log, lines }
}

const request = { audit: 'id', method: 'GET', path: '/api', status: 200, ms: 3 }

test('an event is one line: level, time, event, facts', async () => {
  const { log, lines } = await logging('info')
  log.info('listening', { port: 1 })
  const [{ time, ...line } = { time: '' }] = lines
  assert.match(String(time), /^\d{4}-\d\d-\d\dT/)
  assert.equal(line, { level: 'info', event: 'listening', port: 1 })
})

test('what is below the level is not written', async () => {
  const { log, lines } = await logging('warn')
  log.info('listening')
  logRequest(log, request)
  assert.is(log.debugging, false)
  assert.equal(lines, [])
})

test('a served request is logged at debug', async () => {
  const { log, lines } = await logging('debug')
  logRequest(log, request)
  assert.is(log.debugging, true)
  const [line] = lines
  assert.is(line?.event, 'request served')
  assert.is(line?.status, 200)
})

test('a bug is logged with its stack', async () => {
  const { log, lines } = await logging('error')
  logUnexpectedError(log, 'id', 'GET', new Error('oops'))
  const { err } = lines[0] as { err: { message: string; stack: string } }
  assert.is(err.message, 'oops')
  assert.match(err.stack, /logger\.test/)
})

test('the silent log takes everything', () => {
  silentLog.error('x', {}, new Error('y'))
  assert.is(silentLog.debugging, false)
})

test.run()
