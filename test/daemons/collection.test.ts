import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runProgram } from '../support/orch.ts'

const test = suite('daemons/collection')

test('the engine knows every flag that daemons set, on each version of Node', async () => {
  const module = new URL('../../daemons/collection.js', import.meta.url).href
  const text = `(await import('${module}')).collectEarly(); console.log('set')`
  const args = ['--input-type=module', '--eval', text]
  const { code, stdout, stderr } = await runProgram(process.execPath, args)
  assert.equal({ code, stdout, stderr }, { code: 0, stdout: 'set\n', stderr: '' })
})

test.run()
