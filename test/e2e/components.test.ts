/** The health of components as kubectl of several releases shows it (supplement I-28, F-09). */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { defaultKubectl, type Kubectl, kubectl, versionedKubectls } from '../support/kubectl.ts'
import { clusterControllers, orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

const tests = suite('e2e: health of components')
const found = defaultKubectl()
const wanted = /kubectl\.1\.(27|29|33)$/
const binaries = [...new Set([found, ...versionedKubectls().filter((one) => wanted.test(one))])]
const home = tempDirectory()
const orchconfig = join(home, 'orchconfig')
const warning = 'Warning: v1 ComponentStatus is deprecated in v1.19+'

let running: Running

function client(binary: string, index: number): Kubectl {
  return kubectl(binary, orchconfig, join(home, String(index)))
}

if (found === undefined) {
  console.log(
    'SKIP components: there is no kubectl in PATH (Debian: apt-get install kubernetes-client)',
  )
} else {
  tests.before(async () => {
    const platform = join(packageRoot, 'schemas/platform/kubernetes.yaml')
    running = await startProgram(orchCommand, [
      'up',
      clusterControllers,
      '--orchconfig',
      orchconfig,
      '--platform',
      platform,
    ])
  })
  tests.after(async () => {
    assert.is(await running.stop(), 0)
  })

  for (const [index, binary] of binaries.entries()) {
    if (binary === undefined) continue
    const name = binary.split('/').at(-1)

    tests(`${name}: the store is well, and the client is warned of the kind`, async () => {
      const ctl = client(binary, index)
      const { stdout, stderr, code } = await ctl.run('get cs')
      assert.is(code, 0, stderr)
      assert.is(stderr.trim(), warning)
      const lines = stdout.trim().split('\n')
      assert.match(lines[0] ?? '', /^NAME +STATUS +MESSAGE +ERROR$/)
      assert.match(lines[1] ?? '', /^etcd-0 +Healthy +ok *$/)
      assert.is(lines.length, 2)
    })

    tests(`${name}: one component is read, described and selected`, async () => {
      const ctl = client(binary, index)
      const one = JSON.parse(await ctl.ok('get componentstatus etcd-0 -o json')) as {
        conditions: object
      }
      assert.equal(one.conditions, [{ type: 'Healthy', status: 'True', message: 'ok' }])
      assert.match(await ctl.ok('describe cs etcd-0'), /Message: +ok/)
      assert.match(await ctl.ok('get cs --field-selector=metadata.name=etcd-0'), /^etcd-0 /m)
      assert.is(await ctl.ok('get cs --field-selector=metadata.name=other -o name'), '')
      assert.is(await ctl.ok('get cs -l a=b -o name'), '')
    })

    tests(`${name}: what is not there is not found, and nothing can be written`, async () => {
      const ctl = client(binary, index)
      const other = await ctl.run('get cs scheduler')
      assert.match(other.stderr, 'componentstatuses "scheduler" not found')
      const removed = await ctl.run('delete cs etcd-0')
      assert.is(removed.code, 1)
      assert.match(removed.stderr, 'MethodNotAllowed')
    })
  }
}

tests.run()
