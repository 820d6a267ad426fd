/**
 * Command-line tools that speak protobuf by themselves: from 1.32 on typed commands send and ask for it, before 1.29 the
 * schema document of version 2 is read in it. The server has the platform's own names; the public media type is known.
 */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { kubectl, versionedKubectls } from '../support/kubectl.ts'
import { orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

const tests = suite('e2e: kubectl in protobuf')
const typed = versionedKubectls().filter((name) => /\.1\.3[23]$/.test(name))
const old = versionedKubectls().filter((name) => /\.1\.2[78]$/.test(name))
const json = versionedKubectls().find((name) => /\.1\.29$/.test(name))
const home = tempDirectory()
const orchconfig = join(home, 'orchconfig')
let running: Running

if (typed.length + old.length === 0) console.log('SKIP kubectl in protobuf: no such kubectl here')
else {
  tests.before(async () => {
    running = await startProgram(orchCommand, ['up', '--orchconfig', orchconfig, '--controllers='])
  })
  tests.after(async () => {
    assert.is(await running.stop(), 0)
  })
}

const generators = [
  'configmap all --from-literal=a=b',
  'secret generic all --from-literal=a=b',
  'serviceaccount all',
  'service clusterip all --tcp=80:8080',
  'deployment all --image=example/app:1 --replicas=2 --port=8080',
]

for (const binary of typed) {
  const version = binary.slice(-4)
  const ctl = kubectl(binary, orchconfig, join(home, version))

  tests(`${version}: what typed commands send in protobuf is stored`, async () => {
    // CL-15 A4.47 A4.52
    const space = `typed-${version.replace('.', '-')}`
    await ctl.ok(`create namespace ${space}`)
    for (const generator of generators) {
      const { code, stderr } = await ctl.run(`create -v=8 -n ${space} ${generator}`)
      assert.is(code, 0, stderr)
      assert.match(stderr, /Content-Type: application\/vnd\.kubernetes\.protobuf/)
    }
    const found = await ctl.ok(`get configmap all -n ${space} -o jsonpath={.data}`)
    assert.is(found, '{"a":"b"}')
    const port = 'jsonpath={.spec.ports[0].targetPort}'
    assert.is(await ctl.ok(`get service all -n ${space} -o ${port}`), '8080')
  })

  tests(`${version}: what it reads in protobuf is what 1.29 reads in JSON`, async () => {
    // CL-11 CL-15
    if (json === undefined) return
    const plain = kubectl(json, orchconfig, join(home, '1.29'))
    const space = `typed-${version.replace('.', '-')}`
    for (const what of ['deployment', 'configmap', 'secret', 'service']) {
      const line = `describe ${what} all -n ${space}`
      assert.is(normal(await ctl.ok(line)), normal(await plain.ok(line)), what)
    }
    assert.match(
      await ctl.ok(`rollout history deployment all -n ${space}`),
      /deployment\.apps\/all/,
    )
    const missing = await ctl.run(`create -n ${space} configmap all`)
    assert.match(missing.stderr, 'configmaps "all" already exists')
  })
}

/** Lines that only one of two releases prints, and white space, do not count. */
function normal(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^ *(Node-Selectors|Tolerations|Internal Traffic Policy):/.test(line))
    .map((line) => line.trim().replace(/\s+/g, ' '))
    .filter((line) => line !== '')
    .join('\n')
}

for (const binary of old) {
  const version = binary.slice(-4)
  const ctl = kubectl(binary, orchconfig, join(home, version))

  tests(`${version}: explain and validation find the schema document of version 2`, async () => {
    // S-09 CL-03 CL-16
    const { stdout, stderr } = await ctl.run('explain -v=8 deployment.spec.strategy.rollingUpdate')
    assert.match(stdout, /maxSurge/)
    assert.match(stderr, /openapi/)
    const text = JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `old-${version}` },
    })
    await ctl.ok('create -f -', text)
    const wrong = await ctl.run('create -f -', text.replace('"metadata"', '"wrong":1,"metadata"'))
    assert.match(wrong.stderr, /unknown field "wrong"/)
  })
}

tests.run()
