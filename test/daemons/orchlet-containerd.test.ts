import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runWithContainerd, whyNoContainerd } from '../support/containerd.ts'
import { tempDirectory } from '../support/temp.ts'

const containers = suite('daemons/orchlet over containerd')

const script = fileURLToPath(new URL('pods-over-containerd.js', import.meta.url))

containers('pods run over containerd [G-09] [G-10] [G-11]', async () => {
  const why = whyNoContainerd()
  if (why !== '') {
    console.log(`SKIP pods over containerd: ${why}`)
    return
  }
  const folder = tempDirectory()
  const { code, stdout, stderr } = await runWithContainerd(folder, [process.execPath, script])
  const log = code === 0 ? '' : readFileSync(join(folder, 'log'), 'utf8').slice(-4000)
  assert.is(code, 0, stdout + stderr + log)
})

containers.run()
