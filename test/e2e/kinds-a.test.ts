/** kubectl creates, reads back, replaces and explains objects of the workload, storage and policy kinds. */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { type Sample, samplesOf } from '../../tools/compare/samples/workloads.ts'
import { defaultKubectl, type Kubectl, kubectl } from '../support/kubectl.ts'
import { clusterControllers, orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

const tests = suite('e2e: kubectl on the kinds of workloads, storage and policy')
const binary = defaultKubectl()
const samples = samplesOf('k8s.io')

let running: Running
let ctl: Kubectl

/** The resource argument that means a sample's kind in exactly its version. */
function resourceOf({ apiVersion, kind }: Sample): string {
  const [group, version] = apiVersion.split('/')
  return version === undefined ? kind : `${kind}.${version}.${group}`
}

/** The places where a value does not contain what was given. */
function missing(given: unknown, got: unknown, path = ''): readonly string[] {
  if (Array.isArray(given)) {
    const same = Array.isArray(got) && got.length === given.length
    if (!same && given.length > 0) return [path]
    return given.flatMap((item, index) =>
      missing(item, (got as unknown[])[index], `${path}[${index}]`),
    )
  }
  if (typeof given === 'object' && given !== null) {
    const fields = (typeof got === 'object' && got !== null ? got : {}) as Record<string, unknown>
    return Object.entries(given).flatMap(([key, value]) =>
      missing(value, fields[key], path === '' ? key : `${path}.${key}`),
    )
  }
  return given === got ? [] : [path]
}

if (binary === undefined) {
  console.log(
    'SKIP kubectl on more kinds: there is no kubectl in PATH (Debian: apt-get install kubernetes-client)',
  )
} else {
  tests.before(async () => {
    const home = tempDirectory()
    const orchconfig = join(home, 'orchconfig')
    const platform = join(packageRoot, 'schemas/platform/kubernetes.yaml')
    const alpha = ['--runtime-config', 'storage.k8s.io/v1alpha1=true']
    const args = [
      'up',
      clusterControllers,
      '--orchconfig',
      orchconfig,
      '--platform',
      platform,
      ...alpha,
    ]
    running = await startProgram(orchCommand, args)
    ctl = kubectl(binary, orchconfig, home)
    await ctl.ok('create namespace shop')
    await ctl.ok('create -f -', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: samples }))
  })
  tests.after(async () => {
    assert.is(await running.stop(), 0)
  })

  for (const sample of samples.filter(({ metadata }) => metadata.name === 'small')) {
    const resource = resourceOf(sample)
    const pair = samples.filter((each) => resourceOf(each) === resource)

    tests(`${resource}: what was created is read back whole`, async () => {
      const list = JSON.parse(await ctl.ok(`get ${resource} -n shop -o json`)) as {
        items: Sample[]
      }
      for (const given of pair) {
        const got = list.items.find(({ metadata }) => metadata.name === given.metadata.name)
        assert.equal(missing(given, got), [])
      }
    })

    tests(`${resource}: replacing an object by itself changes nothing`, async () => {
      const before = await ctl.ok(`get ${resource} rich -n shop -o json`)
      await ctl.ok('replace -f -', before)
      assert.is(await ctl.ok(`get ${resource} rich -n shop -o json`), before)
    })

    tests(`${resource}: the table and the fields are explained`, async () => {
      const table = await ctl.ok(`get ${resource} -n shop`)
      assert.match(table, /^rich +\S/m)
      const { apiVersion, kind } = sample
      const text = await ctl.ok(`explain ${kind.toLowerCase()} --api-version=${apiVersion}`)
      assert.match(text, new RegExp(`KIND: +${sample.kind}\\n`))
      assert.match(text, /DESCRIPTION:\n +[A-Z]/)
    })
  }
}

tests.run()
