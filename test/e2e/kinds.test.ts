/**
 * kubectl creates, reads back, replaces, lists and explains objects of every kind there is. One call takes all objects
 * where it can: a process of kubectl costs more than what the server does for it.
 */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { samplesOf as basicSamples } from '../../tools/compare/samples/basics.ts'
import { samplesOf as policySamples, type Sample } from '../../tools/compare/samples/policies.ts'
import { samplesOf as workloadSamples } from '../../tools/compare/samples/workloads.ts'
import { missingFrom } from '../support/contains.ts'
import { defaultKubectl, type Kubectl, kubectl } from '../support/kubectl.ts'
import { clusterControllers, orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

const tests = suite('e2e: kubectl on every kind')
const binary = defaultKubectl()
const samples: readonly Sample[] = [
  ...workloadSamples('k8s.io'),
  ...policySamples('k8s.io').map(withoutAggregation),
  ...basicSamples('k8s.io'),
]

/** Kinds that are asked, not stored: tests of what they answer are elsewhere. */
const questions = ['Binding', 'ComponentStatus', 'APIService']
const isQuestion = (kind: string) => questions.includes(kind) || /Review$/.test(kind)

/** A role that is aggregated has the rules of others, not those that were written. */
function withoutAggregation(sample: Sample): Sample {
  if (sample.kind !== 'ClusterRole') return sample
  const { aggregationRule: _, ...rest } = sample as Sample & { readonly aggregationRule?: unknown }
  return rest as Sample
}

/** The resource argument that means a sample's kind in exactly its version. */
function resourceOf({ apiVersion, kind }: Pick<Sample, 'apiVersion' | 'kind'>): string {
  const [group, version] = apiVersion.split('/')
  return version === undefined ? kind : `${kind}.${version}.${group}`
}

/** Small samples have no value in required lists, which old clients do not take back. */
function isRich({ metadata }: Sample): boolean {
  return !metadata.name.startsWith('small')
}

function listOf(items: readonly unknown[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
}

let running: Running
let ctl: Kubectl
let created: readonly Sample[]
let replaced: readonly Sample[]

async function readAll(): Promise<readonly Sample[]> {
  const { items } = JSON.parse(await ctl.ok('get -n shop -o json -f -', listOf(samples)))
  return items
}

if (binary === undefined) {
  console.log(
    'SKIP kubectl on every kind: there is no kubectl in PATH (Debian: apt-get install kubernetes-client)',
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
    await ctl.ok('create -n shop -f -', listOf(samples))
    created = await readAll()
    await ctl.ok('replace -n shop -f -', listOf(created.filter(isRich)))
    replaced = await readAll()
  })
  tests.after(async () => {
    assert.is(await running.stop(), 0)
  })

  for (const [index, sample] of samples.entries()) {
    const title = `${resourceOf(sample)} ${sample.metadata.name}`

    tests(`${title}: what was created is read back whole`, () => {
      assert.equal(missingFrom(sample, created[index]), [])
    })

    if (!isRich(sample)) continue
    tests(`${title}: replacing the object by itself changes nothing`, () => {
      assert.equal(replaced[index], created[index])
    })
  }

  const kinds = new Map(samples.map((sample) => [resourceOf(sample), sample]))

  tests('the table of every kind has each object, that of events when it was seen', async () => {
    const lines = (await ctl.ok(`get ${[...kinds.keys()].join(',')} -n shop`)).split('\n')
    const names = new Set(lines.map((line) => line.split(' ')[0]))
    const named = samples.filter(({ kind }) => kind !== 'Event')
    const left = named.filter(({ kind, metadata }) => {
      const ending = `/${metadata.name}`
      const resource = kind.toLowerCase().slice(0, -1)
      return ![...names].some((name) => name?.endsWith(ending) && name.startsWith(resource))
    })
    assert.equal(left.map(resourceOf), [])
    assert.ok(lines.some((line) => line.startsWith('LAST SEEN ')))
  })

  for (const [resource, { apiVersion, kind }] of kinds) {
    tests(`${resource}: the fields are explained`, async () => {
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

  tests('a pod is bound by an order of its own kind', async () => {
    const target = { kind: 'Node', name: 'one' }
    const order = { kind: 'Binding', apiVersion: 'v1', metadata: { name: 'web' }, target }
    await ctl.ok('create --raw /api/v1/namespaces/shop/bindings -f -', JSON.stringify(order))
    assert.is(await ctl.ok('get pod web -n shop -o jsonpath={.spec.nodeName}'), 'one')
  })

  tests('every kind that is served is created somewhere', async () => {
    const known = new Set(samples.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`))
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
