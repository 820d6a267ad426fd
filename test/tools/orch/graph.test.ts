/** `orch graph`: what it tells of the controllers of a module, and when it fails. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runGraph } from '../../../tools/orch/graph.ts'
import { runHere } from '../../support/orch.ts'

const test = suite('tools/orch: graph')

const built = fileURLToPath(new URL('../../../examples/', import.meta.url))
const graphOf = (file: string) => ['--controllers', join(built, file)]

const run = (...args: readonly string[]) => runHere(runGraph, args)

test('it tells the controllers of a module, and fails for a warning where that is asked for', async () => {
  const quiet = graphOf('operator/controller.js')
  const { code, text } = await run(...quiet, '--check')
  assert.is(code, 0, text)
  assert.match(
    text,
    'note: website wakes itself by ConfigMap, Deployment.apps, status of Website.web.example.com',
  )
  const loud = graphOf('guide/graph.js')
  assert.is((await run(...loud)).code, 0)
  const checked = await run(...loud, '--check')
  assert.is(checked.code, 1)
  assert.match(checked.text, /^warning: stamp wakes itself by metadata.annotations/m)
  assert.match(checked.text, /orch graph: \d+ warnings$/)
})

test('as JSON it is the graph, and the other forms are those of printGraph', async () => {
  const { text } = await run(...graphOf('operator/controller.js'), '--format', 'json')
  assert.equal(Object.keys(JSON.parse(text)), ['controllers', 'wakes', 'findings'])
  for (const [format, first] of [
    ['mermaid', 'flowchart LR'],
    ['dot', 'digraph controllers {'],
  ] as const) {
    const printed = await run(...graphOf('operator/controller.js'), '--format', format)
    assert.is(printed.text.split('\n')[0], first)
  }
})

test('a wrong command line and a module without controllers say what to do', async () => {
  for (const [args, code, message] of [
    [[], 2, 'orch graph: --controllers is needed to say whose graph it is'],
    [[...graphOf('x.js'), '--format', 'mermiad'], 2, '--format mermiad: did you mean mermaid?'],
    [graphOf('operator/site.js'), 1, 'exports no controller'],
    [graphOf('x.ts'), 1, 'x.ts'],
    [['--help'], 0, 'Usage:'],
  ] as const) {
    const told = await run(...args)
    assert.is(told.code, code, told.text)
    assert.match(told.text, message)
  }
})

test.run()
