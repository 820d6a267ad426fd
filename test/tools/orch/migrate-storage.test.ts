/** The move of what is stored to another version: by the command as it is started, which is killed on its way. */
import '../../../tools/test/guard.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { at, versionsOf } from '../../support/converting.ts'
import {
  type CustomServer,
  definition,
  definitionsPath,
  startCustom,
} from '../../support/custom.ts'
import { orchCommand, runNode } from '../../support/orch.ts'
import { tempDirectory } from '../../support/temp.ts'
import { until } from '../../support/until.ts'

const test = suite('orch migrate-storage')
const merge = 'application/merge-patch+json'
const objects = 320

let custom: CustomServer
let file: string
let args: readonly string[]
test.before(async () => {
  custom = await startCustom()
  const folder = tempDirectory()
  file = join(folder, 'progress.json')
  const client = join(folder, 'client.json')
  const cluster = { name: 'here', cluster: { server: custom.server.url } }
  const context = { name: 'here', context: { cluster: 'here', user: 'me' } }
  const contents = {
    clusters: [cluster],
    contexts: [context],
    users: [{ name: 'me', user: {} }],
    'current-context': 'here',
  }
  writeFileSync(client, JSON.stringify(contents))
  args = ['migrate-storage', 'servers.example.com', '--kubeconfig', client, '--progress', file]
})
test.after(() => custom.stop())

const path = `${definitionsPath}/servers.example.com`

async function storedVersions(): Promise<readonly string[]> {
  return (await custom.ask('GET', path)).json.status.storedVersions
}

test('a move of the stored version goes on after kill -9, and frees the old version at its end (C-01)', async () => {
  await custom.define(definition('Server', {}, { spec: { versions: versionsOf('v1') } }))
  for (let index = 0; index < objects; index++) {
    const name = `n${String(index).padStart(4, '0')}`
    const made = await custom.ask('POST', at('v1'), { metadata: { name } })
    assert.is(made.status, 201, made.text)
  }
  await custom.ask('PATCH', path, { spec: { versions: versionsOf('v2') } }, merge)
  assert.equal(await storedVersions(), ['v1', 'v2'])

  const first = spawn(process.execPath, [orchCommand, ...args, '--concurrency', '1'], {
    stdio: 'ignore',
  })
  await until('something is done', () => existsSync(file))
  first.kill('SIGKILL')
  await once(first, 'close')
  const kept = JSON.parse(readFileSync(file, 'utf8'))['servers.example.com']
  assert.ok(kept.seen >= 200 && kept.seen < objects, `${kept.seen} are done`)
  assert.equal(await storedVersions(), ['v1', 'v2'])

  const second = await runNode(orchCommand, [...args])
  assert.is(second.code, 0, second.stderr)
  assert.match(second.stdout, `goes on behind ${kept.after}, ${kept.seen} objects are done`)
  assert.match(second.stdout, `${objects} objects`)
  assert.match(second.stdout, 'nothing is stored in v1 any more')
  assert.not(existsSync(file))
  assert.equal(await storedVersions(), ['v2'])
  const only = { spec: { versions: [versionsOf('v2')[1]] } }
  assert.is((await custom.ask('PATCH', path, only, merge)).status, 200)
})

test('a file of progress that holds something else is refused', async () => {
  writeFileSync(file, '[1]')
  const { code, stderr } = await runNode(orchCommand, [...args])
  assert.is(code, 1)
  assert.match(stderr, `--progress ${file}: holds something else`)
  assert.is(readFileSync(file, 'utf8'), '[1]')
})

test.run()
