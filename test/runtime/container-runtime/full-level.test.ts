import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { probeLevel, whyNoNetworks } from '../../../runtime/container-runtime/container-runtime.ts'
import { runProgram } from '../../support/orch.ts'

const full = suite('runtime/container-runtime at level full')

const why = probeLevel().why || (await whyNoNetworks())
if (why !== '') console.log(`SKIP level full: ${why}`)
const files = why === '' ? ['conformance.test.js', 'pods-with-networks.js'] : []

/** In namespaces of its own, so that nothing of the networks stays. */
const script = `set -e
mount -t tmpfs tmpfs /run
mount -t sysfs sysfs /sys
ip link set lo up
exec "$@"`
const own = ['--net', '--mount', '--propagation', 'private', '--fork', 'sh', '-c', script, 'sh']

for (const file of files) {
  full(`pods have networks and root folders of their own: ${file}`, async () => {
    const program = fileURLToPath(new URL(file, import.meta.url))
    const { code, stdout, stderr } = await runProgram(
      ...(['unshare', [...own, process.execPath, program]] as const),
      { env: { CONTAINER_RUNTIME_LEVEL: 'full' } },
    )
    assert.is(code, 0, stdout + stderr)
  })
}

full.run()
