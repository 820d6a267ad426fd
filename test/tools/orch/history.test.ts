/** `orch get --at`, `orch history`, `orch diff` and `orch blame`, over a socket. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Program } from '../../../daemons/run.ts'
import { configMaps } from '../../../generated/apis/core/v1/config-map.ts'
import { type ControlPlane, startControlPlane } from '../../../runtime/testing/testing.ts'
import { runBlame } from '../../../tools/orch/history/blame.ts'
import { runDiff } from '../../../tools/orch/history/diff.ts'
import { runGet } from '../../../tools/orch/history/get.ts'
import { runHistory } from '../../../tools/orch/history/history.ts'
import { runHere } from '../../support/orch.ts'
import { tempDirectory } from '../../support/temp.ts'

interface Context {
  readonly plane: ControlPlane
  readonly orchconfig: string
  /** The revisions of the ConfigMap. */
  readonly first: string
  readonly second: string
}

const test = suite<Context>('tools/orch: commands about revisions')

test.before(async (context) => {
  const plane = await startControlPlane({ socket: true })
  const orchconfig = join(tempDirectory(), 'orchconfig')
  writeFileSync(orchconfig, plane.orchconfig ?? '')
  const maps = plane.client.resource(configMaps)
  const created = await maps.create({ metadata: { name: 'settings' }, data: { colour: 'green' } })
  const updated = await maps.mergePatch('settings', { data: { colour: 'red' } })
  const [first, second] = [created, updated].map(({ metadata }) => metadata.resourceVersion)
  Object.assign(context, { plane, orchconfig, first, second })
})
test.after(({ plane }) => plane.stop())

function run(command: Program, { orchconfig }: Context, ...args: readonly string[]) {
  return runHere(command, [...args, '--orchconfig', orchconfig])
}

test('history tells each version, and what it changed', async (context) => {
  const { first, second } = context
  const { text } = await run(runHistory, context, 'cm', 'settings')
  const [later, change, earlier] = text.split('\n')
  assert.match(later!, new RegExp(`^${second}  \\d{4}-.*Z  updated by client$`))
  assert.is(change, '    data.colour: "green" -> "red"')
  assert.match(earlier!, new RegExp(`^${first}  \\d{4}-.*Z  created by client$`))
  const json = JSON.parse((await run(runHistory, context, 'cm', 'settings', '-o', 'json')).text)
  assert.equal(
    json.revisions.map((one: { is: string }) => one.is),
    ['updated', 'created'],
  )
  assert.is((await run(runHistory, context, 'cm', 'nothing')).code, 1)
  const refused = await run(runHistory, context, 'cm', 'settings', '-o', 'yaml')
  assert.is(refused.code, 2)
  assert.match(refused.text, '--output yaml: has to be table or json')
  assert.is((await run(runHistory, context, 'cm', 'settings', '--limit', '1.5')).code, 2)
  assert.is((await run(runHistory, context, 'cm')).code, 2)
  assert.is((await run(runHistory, context, 'cm', 'settings', '--limit', 'x')).code, 2)
})

test('get shows an object, and a list, as of a revision or a time', async (context) => {
  const { first } = context
  const colour = async (...args: string[]) =>
    /colour: (\w+)/.exec((await run(runGet, context, 'cm', ...args)).text)?.[1]
  assert.is(await colour('settings'), 'red')
  assert.is(await colour('settings', '--at', first), 'green')
  assert.is(await colour('--at', first), 'green')
  assert.is(await colour('settings', '--at', '2999-01-01T00:00:00Z'), 'red')
  const before = await run(runGet, context, 'cm', 'settings', '--at', `${Number(first) - 1}`)
  assert.is(before.code, 1)
  assert.match(before.text, /was not there at/)
  const wrong = await run(runGet, context, 'cm', 'settings', '--at', 'yesterday')
  assert.match(wrong.text, /has to be a revision, or a time/)
  const list = await run(runGet, context, 'cm', '--at', '2030-01-01')
  assert.match(list.text, /a time needs a NAME/)
})

test('a revision that is compacted is said to be', async (context) => {
  const { code, text } = await run(runGet, context, 'cm', 'settings', '--at', '1')
  assert.is(code, 1)
  assert.match(text, /revision 1 is compacted: .* keeps more with --watch-history/)
})

test('diff tells fields between two versions, with who has them', async (context) => {
  const { first, second } = context
  const { text } = await run(runDiff, context, 'cm', 'settings', '--from', first)
  assert.is(text, 'data.colour: "green" -> "red"  (client)')
  const same = await run(runDiff, context, 'cm', 'settings', '--from', first, '--to', first)
  assert.is(same.text, 'nothing changed')
  const back = await run(runDiff, context, 'cm', 'settings', '--from', second, '--to', first)
  assert.match(back.text, /"red" -> "green"/)
  assert.is((await run(runDiff, context, 'cm', 'settings')).code, 2)
})

test('blame tells who set a field, and since when', async (context) => {
  const { second } = context
  const { text } = await run(runBlame, context, 'cm', 'settings', 'data')
  const [head, row] = text.split('\n')
  assert.match(head!, /^FIELD +VALUE +MANAGER +SINCE +AT +FILE$/)
  assert.match(row!, new RegExp(`^data\\.colour +"red" +client +${second} +\\d{4}-`))
  assert.is((await run(runBlame, context, 'cm')).code, 2)
})

test.run()
