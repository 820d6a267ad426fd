/** Group versions as kubectl of several releases shows them (supplement B-01, B-02, O-09). */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { hangFlag } from '../support/deadline.ts'
import { defaultKubectl, kubectl, versionedKubectls } from '../support/kubectl.ts'
import { clusterControllers, orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

const tests = suite('e2e: group versions')
const found = defaultKubectl()
const wanted = /kubectl\.1\.(27|29|33)$/
const binaries = versionedKubectls().filter((one) => wanted.test(one))
const home = tempDirectory()
const orchconfig = join(home, 'orchconfig')

let running: Running

if (found === undefined) {
  console.log(
    'SKIP group versions: there is no kubectl in PATH (Debian: apt-get install kubernetes-client)',
  )
} else {
  tests.before(async () => {
    const platform = join(packageRoot, 'schemas/platform/kubernetes.yaml')
    const args = ['up', clusterControllers, '--orchconfig', orchconfig, '--platform', platform]
    running = await startProgram(orchCommand, args)
  })
  tests.after(async () => {
    assert.is(await running.stop(), 0)
  })

  for (const binary of [found, ...binaries]) {
    const name = binary.split('/').at(-1) ?? ''
    const ctl = kubectl(binary, orchconfig, join(home, name))

    tests(
      `${name}: every version is local and available, and a deleted one comes back`,
      async () => {
        const lines = (await ctl.ok('get apiservices')).trim().split('\n')
        assert.match(lines[0] ?? '', /^NAME +SERVICE +AVAILABLE +AGE$/)
        for (const line of lines.slice(1)) assert.match(line, /^v\S+ +Local +True +\d+\w*$/)
        const versions = (await ctl.ok('api-versions')).trim().split('\n')
        assert.is(lines.length - 1, versions.length)
        assert.match(await ctl.ok('delete apiservice v1.apps'), 'deleted')
        await ctl.ok(`wait --for=condition=Available apiservice/v1.apps ${hangFlag}`)
        assert.match(await ctl.ok('describe apiservice v1.apps'), /automanaged=onstart/)
      },
    )
  }

  tests(
    'a version may be handed over to a service, which is told where it is missing',
    async () => {
      const ctl = kubectl(found, orchconfig, join(home, 'other'))
      const spec = { group: 'a.example.com', version: 'v1' }
      const object = {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: 'v1.a.example.com' },
        spec: {
          ...spec,
          groupPriorityMinimum: 1000,
          versionPriority: 100,
          service: { namespace: 'shop', name: 'metrics' },
        },
      }
      const { code, stderr } = await ctl.run('create -f -', JSON.stringify(object))
      assert.is(code, 0, stderr)
      await ctl.ok(`wait --for=condition=Available=false apiservice/v1.a.example.com ${hangFlag}`)
      const row = await ctl.ok('get apiservice v1.a.example.com --no-headers')
      assert.match(row, /^v1\.a\.example\.com +shop\/metrics +False \(ServiceNotFound\) /)
      await ctl.ok('delete apiservice v1.a.example.com')
    },
  )
}

tests.run()
