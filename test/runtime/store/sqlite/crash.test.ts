import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../../runtime/kernel/async/clock.ts'
import { openSqliteStore, type Store } from '../../../../runtime/store/store.ts'
import { tempDirectory } from '../../../support/temp.ts'
import { deadline, take, text } from '../contract.ts'

const crash = suite('runtime/store: crash')
const writer = fileURLToPath(new URL('../../../support/store-writer.js', import.meta.url))

/** Starts a writer, kills it once it has printed `count` acknowledgements; gives what it printed. */
async function writeAndKill(
  filename: string,
  generation: number,
  count: number,
  meanwhile: () => Promise<void>,
): Promise<string[]> {
  const child = spawn(process.execPath, [writer, `sqlite:${filename}`, `${generation}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(child, 'exit')
  let output = ''
  for await (const chunk of child.stdout) {
    const first = output === ''
    output += chunk
    if (first) await meanwhile()
    if (output.split('\n').length > count) child.kill('SIGKILL')
  }
  await exit
  return output.split('\n').slice(0, -1)
}

/** What the log says of every revision, and that the current entries are what it adds up to. */
async function readBack(store: Store): Promise<Map<number, string>> {
  const revision = await store.revision()
  const events = await take(revision, store.watch('', 0, deadline()))
  assert.equal(
    events.map((event) => event.revision),
    events.map((_, index) => index + 1),
  )
  const current = new Map<string, string | undefined>()
  for (const { key, entry } of events) {
    if (entry === undefined) current.delete(key)
    else current.set(key, `${entry.revision} ${text(entry.value)}`)
  }
  const { entries } = await store.list('')
  const listed = entries.map((it): [string, string] => [it.key, `${it.revision} ${text(it.value)}`])
  assert.equal(new Map(listed), new Map([...current].sort()))
  const told = events.map(
    ({ revision, key, entry }) => `${revision} ${key} ${text(entry?.value) ?? '-'}`,
  )
  return new Map(told.map((line, index) => [index + 1, line]))
}

crash('every acknowledged write is there after kill -9, without gaps', async () => {
  const filename = join(tempDirectory(), 'store.db')
  const acknowledged: string[] = []
  for (let generation = 0; generation < 5; generation++) {
    acknowledged.push(
      ...(await writeAndKill(filename, generation, 150 + generation * 97, async () => {})),
    )
    const store = await openSqliteStore({ filename, clock: systemClock })
    const log = await readBack(store)
    for (const line of acknowledged) {
      const [revision, , key, value] = line.split(' ')
      assert.is(log.get(Number(revision)), `${revision} ${key} ${value}`)
    }
    await store.close()
  }
  assert.ok(acknowledged.length > 5 * 150)
})

crash(
  'a second process is told who owns the file, and may have it once the owner is gone',
  async () => {
    const filename = join(tempDirectory(), 'store.db')
    const open = () => openSqliteStore({ filename, clock: systemClock })
    let refusal: unknown
    await writeAndKill(filename, 0, 20, async () => {
      refusal = await open().catch((error: unknown) => error)
    })
    assert.match(String(refusal), `${filename}: another process owns this file`)
    const store = await open()
    assert.ok((await store.revision()) >= 20)
    await store.close()
  },
)

crash.run()
