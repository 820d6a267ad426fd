/** `orch store` on stores of real servers, before, while and after they run. */
import { linkSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { apiserverCommand, orchCommand, runNode, startProgram } from '../../support/orch.ts'
import { noPostgres, postgresPrograms, sharedPostgres } from '../../support/postgres.ts'
import { tempDirectory } from '../../support/temp.ts'

const test = suite('tools/orch/store')
const folder = tempDirectory()
const path = (name: string): string => join(folder, name)

const orch = (...args: readonly string[]) => runNode(orchCommand, ['store', ...args], folder)

async function orchJson(...args: readonly string[]) {
  const { code, stdout, stderr } = await orch(...args, '-o', 'json')
  assert.is(code, 0, stderr)
  return JSON.parse(stdout)
}

const serve = (storage: string) =>
  startProgram(apiserverCommand, ['--insecure-port', '0', '--storage', storage])

const maps = '/api/v1/namespaces/default/configmaps'

async function send(url: string, method = 'GET', body?: unknown) {
  const response = await fetch(url, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  return { status: response.status, body: (await response.json()) as never as Received }
}

interface Received {
  readonly metadata: { readonly name: string; readonly resourceVersion: string }
  readonly items: readonly { readonly metadata: Received['metadata'] }[]
}

const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })

/** The names of objects by the first events of a watch, or the status that it was refused with. */
async function watched(url: string, from: string, count: number) {
  const stop = new AbortController()
  const response = await fetch(`${url}${maps}?watch=1&resourceVersion=${from}`, {
    signal: stop.signal,
  })
  let text = ''
  const events = () =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk)
    if (events().length >= count) break
  }
  stop.abort()
  return events().map(({ type, object }) => `${type} ${object.metadata?.name ?? object.code}`)
}

const versionsOf = ({ items }: Received) =>
  items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)

if (postgresPrograms === undefined) console.log(`SKIP moves of servers: ${noPostgres}`)
else {
  test('a server goes from a file to PostgreSQL and back: versions stay, watches go on', async () => {
    const file = `sqlite:${path('moved.db')}`
    const postgres = (await sharedPostgres()).url('moved')
    const back = `sqlite:${path('back.db')}`
    let server = await serve(file)
    const { body: first } = await send(`${server.url}${maps}`, 'POST', map('first'))
    await send(`${server.url}${maps}`, 'POST', map('second'))
    const { body: before } = await send(`${server.url}${maps}`)
    const { body: page } = await send(`${server.url}/api/v1/namespaces?limit=1`)
    await server.stop()
    let names = ['ADDED second']
    for (const [from, to] of [
      [file, postgres],
      [postgres, back],
    ] as const) {
      const { objects } = await orchJson('copy', from, '--to', to)
      assert.ok(objects > 10)
      server = await serve(to)
      const { body: after } = await send(`${server.url}${maps}`)
      for (const one of versionsOf(before)) assert.ok(versionsOf(after).includes(one), one)
      const added = `in-${names.length}`
      await send(`${server.url}${maps}`, 'POST', map(added))
      names = [...names, `ADDED ${added}`]
      assert.equal(await watched(server.url, first.metadata.resourceVersion, names.length), names)
      const token = (page.metadata as never as { continue: string }).continue
      const next = await send(`${server.url}/api/v1/namespaces?limit=1&continue=${token}`)
      assert.is(next.status, 200)
      await server.stop()
    }
    assert.ok((await orchJson('doctor', back)).sound)
  })
}

test('a backup of a server that is written to is of one moment, and a restore of it is told to watches', async () => {
  const storage = `sqlite:${path('busy.db')}`
  let server = await serve(storage)
  const { url } = server
  let writing = true
  const acknowledged: string[] = []
  const writer = (async () => {
    for (let at = 0; writing; at++) {
      const { body } = await send(`${url}${maps}`, 'POST', map(`m-${at}`))
      acknowledged.push(`m-${at} ${body.metadata.resourceVersion}`)
    }
  })()
  while (acknowledged.length < 50) await new Promise((resolve) => setImmediate(resolve))
  const known = acknowledged.length
  const backup = path('busy.orch')
  const { revision } = await orchJson('backup', storage, '--to', backup)
  const later = acknowledged.length
  writing = false
  await writer
  assert.ok(later >= known)
  assert.ok((await orchJson('doctor', backup)).sound)
  for (const [refused, ...args] of [
    ['owns this file', 'restore', backup, '--to', storage, '--replace'],
    ['owns this file', 'copy', storage, '--to', `sqlite:${path('away.db')}`],
    ['owns this file', 'doctor', storage],
    ['owns this file', 'compact', storage],
    ['is there already', 'backup', storage, '--to', backup],
  ] as const) {
    const { code, stderr } = await orch(...args)
    assert.is(code, 1)
    assert.match(stderr, refused)
  }
  assert.ok((await orchJson('stats', storage)).objects > known)
  await server.stop()
  const expected = acknowledged.filter((one) => Number(one.split(' ')[1]) <= revision).sort()
  assert.ok(expected.length >= known)
  const { former } = await orchJson('restore', backup, '--to', storage, '--replace')
  assert.ok(former.includes('busy.db.before-'))
  server = await serve(storage)
  const { body: list } = await send(`${server.url}${maps}`)
  assert.equal(
    versionsOf(list)
      .filter((one) => one.startsWith('m-'))
      .sort(),
    expected,
  )
  assert.equal(await watched(server.url, String(revision), 1), ['ERROR 410'])
  const { body: next } = await send(`${server.url}${maps}`, 'POST', map('next'))
  assert.ok(Number(next.metadata.resourceVersion) > revision + 1_000_000_000)
  assert.is(await server.stop(), 0)
})

test('two owners of one file are refused, by a link as by its name', async () => {
  const server = await serve(`sqlite:${path('owned.db')}`)
  symlinkSync(path('owned.db'), path('symbolic.db'))
  for (const [name, refused] of [
    ['symbolic.db', 'owns this file'],
    ['hard.db', 'the file has 2 names'],
  ] as const) {
    if (name === 'hard.db') linkSync(path('owned.db'), path(name))
    const { code, stderr } = await orch('doctor', `sqlite:${path(name)}`)
    assert.is(code, 1)
    assert.match(stderr, refused)
  }
  await server.stop()
  const copied = await orch(
    'copy',
    `sqlite:${path('owned.db')}`,
    '--to',
    `sqlite:${path('symbolic.db')}`,
  )
  assert.match(copied.stderr, 'both are the same store')
})

test('a stream of an export becomes the same store, and a part of it none', async () => {
  const storage = `sqlite:${path('streamed.db')}`
  await (await serve(storage)).stop()
  const { code } = await orch('export', storage, '--to', path('whole.orch'))
  assert.is(code, 0)
  const whole = readFileSync(path('whole.orch'))
  writeFileSync(path('part.orch'), whole.subarray(0, whole.length - 10))
  const target = `sqlite:${path('imported.db')}`
  const refused = await orch('import', path('part.orch'), '--to', target)
  assert.is(refused.code, 1)
  assert.match(refused.stderr, 'ends early')
  assert.match((await orch('stats', target)).stderr, 'no such store')
  await orchJson('import', path('whole.orch'), '--to', target)
  const [before, after] = [await orchJson('stats', storage), await orchJson('stats', target)]
  assert.equal({ ...after, at: 0, disk: 0 }, { ...before, at: 0, disk: 0 })
  assert.ok((await orchJson('compact', target)).compacted === before.revision)
  writeFileSync(path('before.json'), JSON.stringify(before))
  const { growth } = await orchJson('stats', target, '--since', path('before.json'))
  assert.equal([growth.revisions, growth.objects, growth.resources], [0, 0, []])
})

for (const [line, said] of [
  [[], 'say what to do'],
  [['bakup', 'sqlite:x'], 'did you mean'],
  [['backup', 'x.db', '--to', 'y'], 'x.db is no store'],
  [['backup', 'memory', '--to', 'y'], 'what is in memory is not kept'],
  [['backup', 'sqlite:x.db'], 'say where to: --to'],
  [['restore', 'sqlite:x.db', '--to', 'sqlite:y.db'], 'orch store copy takes a store'],
  [['restore', 'x', '--to', 'sqlite:y.db', '--skip-revisions', '-1'], 'skip-revisions'],
  [['copy', 'sqlite:x.db', '--to', 'sqlite:x.db'], 'the same store'],
  [['stats', 'sqlite:x.db', '-o', 'yaml'], 'text or json'],
] as const) {
  test(`the command line "${line.join(' ')}" is refused with a remedy`, async () => {
    const { code, stderr } = await orch(...line)
    assert.is(code, 2)
    assert.match(stderr, said)
  })
}

test.run()
