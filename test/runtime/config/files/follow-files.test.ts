/** Files that are followed: what they say now is taken, what cannot be used changes nothing. */
import { on } from 'node:events'
import { watch } from 'node:fs'
import { rename, symlink, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { followFiles } from '../../../../runtime/config/config.ts'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { type Log, silentLog } from '../../../../runtime/observe/observe.ts'
import { fakeClock } from '../../../support/clock.ts'
import { tempDirectory } from '../../../support/temp.ts'
import { until } from '../../../support/until.ts'

const test = suite('runtime/config/files/follow-files')

test('a file that is replaced, moved behind a link or broken is told as it is read', async () => {
  const folder = tempDirectory()
  const [file, other] = [join(folder, 'a'), join(folder, 'b')]
  await writeFile(file, 'one')
  await writeFile(other, 'fixed')
  const seen: string[] = []
  const problems: unknown[] = []
  const log: Log = { ...silentLog, error: (_, fields) => void problems.push(fields?.problem) }
  const stop = new AbortController()
  await followFiles([file, other], {
    what: 'test',
    clock: systemClock,
    log,
    signal: stop.signal,
    onChange(contents) {
      const text = contents.join(' ')
      if (text.startsWith('bad')) throw new Error('it is bad')
      seen.push(text)
    },
  })
  assert.equal(seen, ['one fixed'])
  await writeFile(file, 'two')
  await until('the change', () => seen.at(-1) === 'two fixed')
  await writeFile(file, 'bad')
  await until('the change', () => problems.length === 1)
  assert.equal(problems, ['it is bad'])
  await unlink(file)
  await until('the change', () => problems.length === 2)
  assert.match(String(problems[1]), /ENOENT/)
  await writeFile(join(folder, 'three'), 'three')
  await symlink(join(folder, 'three'), join(folder, 'fresh'))
  await rename(join(folder, 'fresh'), file)
  await until('the change', () => seen.at(-1) === 'three fixed')
  stop.abort()
})

test('a file is read again though its folder is written to without an end', async () => {
  const folder = tempDirectory()
  const [file, other] = [join(folder, 'a'), join(folder, 'database')]
  await writeFile(file, 'one')
  const clock = fakeClock()
  const stop = new AbortController()
  let seen = ''
  await followFiles([file], {
    what: 'test',
    clock,
    log: silentLog,
    signal: stop.signal,
    onChange([content]) {
      seen = String(content)
    },
  })
  const told = on(watch(folder, { signal: stop.signal }), 'change')
  await writeFile(file, 'two')
  for (let time = 0; time < 2000; time += 50) {
    await writeFile(other, String(time))
    await told.next()
    await clock.advance(50)
  }
  await until('the change', () => seen === 'two')
  stop.abort()
})

test('files that cannot be used at first are an error', async () => {
  const options = {
    what: 'test',
    clock: systemClock,
    log: silentLog,
    signal: new AbortController().signal,
    onChange() {},
  }
  const error = await followFiles([join(tempDirectory(), 'none')], options).catch((one) => one)
  assert.match(error.message, /ENOENT/)
})

test.run()
