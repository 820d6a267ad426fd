import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { logOptions } from '../../../runtime/agent-server/logs/log-options.ts'
import { readLog } from '../../../runtime/agent-server/logs/read-log.ts'
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

log.run()
