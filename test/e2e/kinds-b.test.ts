/** kubectl creates, reads back, replaces and explains objects of networking, access, certificates and flow control. */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { type Sample, samplesOf } from '../../tools/compare/samples/policies.ts'
import { missingFrom } from '../support/contains.ts'
import { defaultKubectl, type Kubectl, kubectl } from '../support/kubectl.ts'
import { clusterControllers, orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

const tests = suite('e2e: kubectl on the kinds of networking, access and the server itself')
const binary = defaultKubectl()
/** A role that is aggregated has the rules of others, not those that were written. */
const samples = samplesOf('k8s.io').map((sample) =>
  sample.kind === 'ClusterRole' ? withoutAggregation(sample) : sample,
)

let running: Running
let ctl: Kubectl

function withoutAggregation(sample: Sample): Sample {
  const { aggregationRule: _, ...rest } = sample as Sample & { readonly aggregationRule?: unknown }
  return rest as Sample
}

/** The resource argument that means a sample's kind in exactly its version. */
function resourceOf({ apiVersion, kind }: Sample): string {
  const [group, version] = apiVersion.split('/')
  return `${kind}.${version}.${group}`
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
    const all = '--runtime-config=api/all'
    const args = ['up', clusterControllers, all, '--orchconfig', orchconfig, '--platform', platform]
    running = await startProgram(orchCommand, args)
    ctl = kubectl(binary, orchconfig, home)
    await ctl.ok('create namespace shop')
    await ctl.ok('create -f -', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: samples }))
  })
  tests.after(async () => {
    assert.is(await running.stop(), 0)
  })

  const rich = samples.filter((_, index) => index % 2 === 1)
  for (const [index, sample] of rich.entries()) {
    const resource = resourceOf(sample)
    const { name } = sample.metadata

    tests(`${resource}: what was created is read back whole`, async () => {
      for (const given of samples.slice(2 * index, 2 * index + 2)) {
        const got = await ctl.ok(`get ${resource} ${given.metadata.name} -n shop -o json`)
        assert.equal(missingFrom(given, JSON.parse(got)), [])
      }
    })

    tests(`${resource}: replacing an object by itself changes nothing`, async () => {
      const before = await ctl.ok(`get ${resource} ${name} -n shop -o json`)
      await ctl.ok('replace -f -', before)
      assert.is(await ctl.ok(`get ${resource} ${name} -n shop -o json`), before)
    })

    tests(`${resource}: the table and the fields are explained`, async () => {
      const table = await ctl.ok(`get ${resource} -n shop`)
      assert.ok(
        table.split('\n').some((line) => line.startsWith(`${name} `)),
        table,
      )
      const { apiVersion, kind } = sample
      const text = await ctl.ok(`explain ${kind.toLowerCase()} --api-version=${apiVersion}`)
      assert.match(text, new RegExp(`KIND: +${kind}\\n`))
      assert.match(text, /DESCRIPTION:\n +[A-Z]/)
    })
  }

  // I-23
  tests('a request is approved, and denial is refused then', async () => {
    await ctl.ok('certificate approve rich')
    const table = await ctl.ok('get csr')
    assert.match(table, /^rich +\S+ +example.com\/ca +.*120m +Approved/m)
    const { code, stderr } = await ctl.run('certificate deny rich')
    assert.is(code, 1)
    assert.match(stderr, 'already Approved')
  })

  tests('kinds that are computed or only answered are published, too', async () => {
    const names = (await ctl.ok('api-resources -o name'))
      .split('\n')
      .map((name) => name.split('.')[0])
    for (const name of [
      'apiservices',
      'componentstatuses',
      'localsubjectaccessreviews',
      'selfsubjectaccessreviews',
      'selfsubjectreviews',
      'selfsubjectrulesreviews',
      'subjectaccessreviews',
      'tokenreviews',
    ]) {
      assert.ok(names.includes(name), name)
    }
  })
}

tests.run()
