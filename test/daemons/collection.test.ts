import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runProgram } from '../support/orch.ts'

const test = suite('daemons/collection')

const module = new URL('../../daemons/collection.js', import.meta.url).href

async function assertSays(word: string, text: string, ...flags: readonly string[]): Promise<void> {
  const args = [...flags, '--input-type=module', '--eval', text]
  const { code, stdout, stderr } = await runProgram(process.execPath, args)
  assert.equal({ code, stdout, stderr }, { code: 0, stdout: `${word}\n`, stderr: '' })
}

test('the engine knows every flag that daemons set, on each version of Node', () =>
  assertSays('set', `(await import('${module}')).collectEarly(); console.log('set')`))

/** Engines from Node 24 on give nothing back by themselves in the situation of the test. */
const givesBack = Number.parseInt(process.versions.node, 10) < 24

if (!givesBack)
  console.log(
    'SKIP a process that gives memory back goes on when it is told late how to: this engine gives nothing back here',
  )
else
  test('a process that gives memory back goes on when it is told late how to', () =>
    assertSays(
      'alive',
      `
      import { constants, PerformanceObserver } from 'node:perf_hooks'
      const { collectEarly } = await import('${module}')
      const isWhole = ({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR
      const collected = () => new Promise((resolve) => {
        const observer = new PerformanceObserver((list) => {
          if (list.getEntries().some(isWhole)) resolve(observer.disconnect())
        })
        observer.observe({ entryTypes: ['gc'] })
      })
      const alive = setInterval(() => {}, 1000)
      const asked = collected()
      let garbage = Array.from({ length: 200_000 }, (_, at) => ({ at, text: 'x' + at }))
      garbage = undefined
      gc()
      await asked
      await collected()
      collectEarly()
      gc()
      console.log('alive')
      clearInterval(alive)
    `,
      '--expose-gc',
    ))

test.run()
