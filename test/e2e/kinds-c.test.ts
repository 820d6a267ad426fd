/** kubectl creates, reads back and explains the kinds that the other scripts leave out; together they leave out none. */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { samplesOf } from '../../tools/compare/samples/basics.ts'
import { samplesOf as networking } from '../../tools/compare/samples/policies.ts'
import type { Sample } from '../../tools/compare/samples/workloads.ts'
import { samplesOf as workloads } from '../../tools/compare/samples/workloads.ts'
import { missingFrom } from '../support/contains.ts'
import { defaultKubectl, type Kubectl, kubectl } from '../support/kubectl.ts'
import { clusterControllers, orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

const tests = suite('e2e: kubectl on what every cluster has, and on every kind there is')
const binary = defaultKubectl()
const samples = samplesOf('k8s.io')

/** Kinds that are asked, not stored: tests of what they answer are elsewhere. */
const questions = ['Binding', 'ComponentStatus', 'APIService']
const isQuestion = (kind: string) => questions.includes(kind) || /Review$/.test(kind)

let running: Running
let ctl: Kubectl

function resourceOf({ apiVersion, kind }: Pick<Sample, 'apiVersion' | 'kind'>): string {
  const [group, version] = apiVersion.split('/')
  return version === undefined ? kind : `${kind}.${version}.${group}`
}

if (binary === undefined) {
  console.log(
    'SKIP kubectl on the last kinds: there is no kubectl in PATH (Debian: apt-get install kubernetes-client)',
  )
} else {
  tests.before(async () => {
    const home = tempDirectory()
    const orchconfig = join(home, 'orchconfig')
    const platform = join(packageRoot, 'schemas/platform/kubernetes.yaml')
    const all = '--runtime-config=api/all=true'
    const args = ['up', clusterControllers, all, '--orchconfig', orchconfig, '--platform', platform]
    running = await startProgram(orchCommand, args)
    ctl = kubectl(binary, orchconfig, home)
    await ctl.ok('create namespace shop')
    await ctl.ok('create -f -', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: samples }))
  })
  tests.after(async () => {
    assert.is(await running.stop(), 0)
  })

  for (const sample of samples) {
    const resource = resourceOf(sample)
    const { name } = sample.metadata

    tests(`${resource}: what was created is read back whole, listed and explained`, async () => {
      const got = await ctl.ok(`get ${resource} ${name} -n shop -o json`)
      assert.equal(missingFrom(sample, JSON.parse(got)), [])
      const table = await ctl.ok(`get ${resource} -n shop`)
      assert.match(table, /^(NAME|LAST SEEN) /)
      const { apiVersion, kind } = sample
      const text = await ctl.ok(`explain ${kind.toLowerCase()} --api-version=${apiVersion}`)
      assert.match(text, new RegExp(`KIND: +${kind}\\n`))
    })
  }

  tests('a pod is bound by an order of its own kind', async () => {
    const target = { kind: 'Node', name: 'one' }
    const order = { kind: 'Binding', apiVersion: 'v1', metadata: { name: 'web' }, target }
    await ctl.ok('create --raw /api/v1/namespaces/shop/bindings -f -', JSON.stringify(order))
    assert.is(await ctl.ok('get pod web -n shop -o jsonpath={.spec.nodeName}'), 'one')
  })

  tests('every kind that is served is created somewhere', async () => {
    const known = new Set(
      [...workloads('k8s.io'), ...networking('k8s.io'), ...samples].map(
        ({ apiVersion, kind }) => `${apiVersion} ${kind}`,
      ),
    )
    const versions = (await ctl.ok('api-versions')).trim().split('\n')
    const served = await Promise.all(
      versions.map(async (version) => {
        const path = version === 'v1' ? '/api/v1' : `/apis/${version}`
        const { resources } = JSON.parse(await ctl.ok(`get --raw ${path}`)) as {
          resources: readonly { readonly name: string; readonly kind: string }[]
        }
        const kinds = resources.filter(({ name }) => !name.includes('/'))
        return kinds.map(({ kind }) => `${version} ${kind}`)
      }),
    )
    const left = served.flat().filter((one) => {
      const [version = '', kind = ''] = one.split(' ')
      return !known.has(one) && !isQuestion(kind) && !version.startsWith('shop.example.com')
    })
    assert.equal(left, [])
  })
}

tests.run()
