import { chmodSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runProgram } from '../../support/orch.ts'
import { tempDirectory } from '../../support/temp.ts'

const user = suite('runtime/container-runtime as an ordinary user')

const conformance = fileURLToPath(new URL('conformance.test.js', import.meta.url))
const drop = [
  '--reuid=65534',
  '--regid=65534',
  '--clear-groups',
  '--bounding-set=-all',
  '--inh-caps=-all',
]

user('who is not root has the same runtime', async () => {
  if (process.getuid?.() !== 0) {
    console.log('SKIP an ordinary user: the suite runs as one already')
    return
  }
  const folder = tempDirectory()
  chmodSync(folder, 0o777)
  const words = [...drop, process.execPath, conformance]
  const env = { TMPDIR: folder, HOME: folder }
  const { code, stdout, stderr } = await runProgram('setpriv', words, { env })
  for (const line of stdout.split('\n')) if (line.startsWith('SKIP')) console.log(line)
  assert.is(code, 0, stdout + stderr)
})

user.run()
