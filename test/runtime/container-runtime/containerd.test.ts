import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runWithContainerd, whyNoContainerd } from '../../support/containerd.ts'
import { tempDirectory } from '../../support/temp.ts'

const containers = suite('runtime/container-runtime over containerd')

const conformance = fileURLToPath(new URL('conformance.test.js', import.meta.url))

containers('containerd is the same runtime', async () => {
  const why = whyNoContainerd()
  if (why !== '') {
    console.log(`SKIP containerd: ${why}`)
    return
  }
  const folder = tempDirectory()
  const { code, stdout, stderr } = await runWithContainerd(folder, [process.execPath, conformance])
  const log = code === 0 ? '' : readFileSync(join(folder, 'log'), 'utf8').slice(-4000)
  assert.is(code, 0, stdout + stderr + log)
})

containers.run()
