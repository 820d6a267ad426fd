import {
  appendFileSync,
  closeSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { logOptions } from '../../../runtime/agent-server/logs/log-options.ts'
import { readLog } from '../../../runtime/agent-server/logs/read-log.ts'
import { openForLines } from '../../../runtime/container-runtime/files/plain-file.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { tempDirectory } from '../../support/temp.ts'

const log = suite('runtime/agent-server: logs')

const line = (text: string): string => `2026-01-01T00:00:00.000000000Z stdout F ${text}\n`

log('the last lines of a log that grows meanwhile are those of one moment', async () => {
  const file = join(tempDirectory(), '0.log')
  writeFileSync(file, Array.from({ length: 5000 }, (_, at) => line(`line ${at}`)).join(''))
  const signal = new AbortController().signal
  const source = { file, isRunning: async () => true, clock: systemClock, signal }
  const options = logOptions(new URLSearchParams({ tailLines: '3000' }), 0)
  let text = ''
  for await (const part of readLog(source, options)) {
    if (text === '') appendFileSync(file, line('late'))
    text += part
  }
  const lines = text.split('\n')
  assert.equal([lines.length, lines[0], lines.at(-2)], [3001, 'line 2000', 'line 4999'])
})

log(
  'a log that is a link, or stands behind one, is not read, and none is written through',
  async () => {
    const home = tempDirectory()
    const secret = join(home, 'secret')
    mkdirSync(secret)
    for (const name of ['main', '0.log']) writeFileSync(join(secret, name), line('secret'))
    const logs = join(home, 'logs')
    const read = async (file: string) => {
      const signal = new AbortController().signal
      const source = { file, isRunning: async () => false, clock: systemClock, signal }
      let text = ''
      for await (const part of readLog(source, logOptions(new URLSearchParams(), 0))) text += part
      return text
    }
    mkdirSync(join(logs, 'plain/main'), { recursive: true })
    writeFileSync(join(logs, 'plain/main/0.log'), line('plain'))
    assert.is(await read(join(logs, 'plain/main/0.log')), 'plain\n')
    mkdirSync(join(logs, 'file/main'), { recursive: true })
    symlinkSync(join(secret, '0.log'), join(logs, 'file/main/0.log'))
    mkdirSync(join(logs, 'container'))
    symlinkSync(secret, join(logs, 'container/main'))
    symlinkSync(join(logs, 'plain'), join(logs, 'pod'))
    for (const pod of ['file', 'container', 'pod']) {
      assert.is(await read(join(logs, pod, 'main/0.log')), '', pod)
    }
    const fd = openForLines(join(logs, 'file/main/0.log'))
    writeFileSync(fd, 'line')
    closeSync(fd)
    assert.is(readFileSync(join(secret, '0.log'), 'utf8'), line('secret'))
    assert.is(readFileSync(join(logs, 'file/main/0.log'), 'utf8'), 'line')
  },
)

log.run()
