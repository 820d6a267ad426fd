/** kubectl applies manifests of every kind twice: the second time nothing changes, whatever the server filled in. */
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { samplesOf as samplesC } from '../../tools/compare/samples/basics.ts'
import { samplesOf as samplesB } from '../../tools/compare/samples/policies.ts'
import { samplesOf as samplesA } from '../../tools/compare/samples/workloads.ts'
import { defaultKubectl, type Kubectl, kubectl } from '../support/kubectl.ts'
import { clusterControllers, orchCommand, type Running, startProgram } from '../support/orch.ts'
import { sparseObjects } from '../support/sparse-objects.ts'
import { tempDirectory } from '../support/temp.ts'

const tests = suite('e2e: kubectl applies twice')
const binary = defaultKubectl()

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
}

/** No two of them are one object; a version that is off by default is left out. */
function manifestsOf(api: string): readonly Manifest[] {
  return [
    ...sparseObjects(api).map((sample, index) => ({
      ...sample,
      metadata: { name: `sparse-${index}`, namespace: 'shop' },
    })),
    ...[samplesA, samplesB].flatMap((samplesOf) => samplesOf(api)),
    ...samplesC(api).map((sample) => ({
      ...sample,
      metadata: { ...sample.metadata, name: `c-${sample.metadata.name}` },
    })),
  ]
    .filter(({ apiVersion, kind }) => !/v\d(alpha|beta)\d/.test(apiVersion) && freelyNamed(kind))
    .filter(({ metadata }) => !metadata.name.startsWith('small'))
    .map((manifest) => apart(withoutAggregation(manifest)))
}

/**
 * False for a priority level whose queues are all defaults: kubectl makes them its own when it goes over to the server's side, gives them up
 * at once, and is refused since nothing of them is left, here as by the public server (decision 145).
 */
function keepsParts(manifest: Manifest): boolean {
  return !JSON.stringify(manifest).includes('"queuing":{}')
}

/** A role that is aggregated has the rules of others, which are written after it was applied. */
function withoutAggregation<M extends Manifest>(manifest: M): M {
  const { aggregationRule: _, ...rest } = manifest as M & { readonly aggregationRule?: unknown }
  return rest as unknown as M
}

/** Their names say what they are: they cannot be given others here. */
function freelyNamed(kind: string): boolean {
  return kind !== 'CustomResourceDefinition' && kind !== 'APIService'
}

/** What limits the objects of its namespace stands in one of its own. */
function apart<M extends Manifest>(manifest: M): M {
  if (manifest.kind !== 'LimitRange' && manifest.kind !== 'ResourceQuota') return manifest
  return { ...manifest, metadata: { ...manifest.metadata, namespace: 'default' } }
}

if (binary === undefined) {
  console.log('SKIP kubectl applies twice: there is no kubectl in PATH')
} else {
  describe(binary, 'k8s.io')
  describe(binary, 'orch.io')
}

function describe(file: string, api: string): void {
  const manifests = manifestsOf(api)
  const home = tempDirectory()
  let running: Running
  let ctl: Kubectl

  const apply = (items: readonly object[], more = '') =>
    ctl.ok(`apply --validate=false${more} -f -`, listOf(items))

  const exported = async () =>
    JSON.parse(await ctl.ok('get -f - -o json', listOf(manifests))).items as readonly Exported[]

  tests(`${api}: the server is there`, async () => {
    const orchconfig = join(home, 'orchconfig')
    const names = join(packageRoot, 'schemas/platform/kubernetes.yaml')
    const platform = api === 'k8s.io' ? ['--platform', names] : []
    const args = ['up', clusterControllers, '--orchconfig', orchconfig, ...platform]
    running = await startProgram(orchCommand, args)
    ctl = kubectl(file, orchconfig, home)
    await ctl.ok('create namespace shop')
  })

  const unchangedBy = async (items: readonly object[], more = '') => {
    await apply(items, more)
    const before = await exported()
    await apply(items, more)
    const after = await exported()
    assert.equal(versions(after), versions(before))
  }

  tests(`${api}: on its own side`, () => unchangedBy(manifests))

  // The names change nothing in what follows.
  if (api === 'k8s.io') {
    tests(`${api}: what was exported with its uid`, async () => {
      const own = (await exported()).map(({ metadata: { resourceVersion, ...kept }, ...rest }) => ({
        ...rest,
        metadata: kept,
      }))
      await unchangedBy(own)
    })

    tests(`${api}: with its version it is refused once that is an old one`, async () => {
      await ctl.ok('create configmap exported --from-literal=a=b -n shop')
      const get = () => ctl.ok('get configmap exported -n shop -o json')
      const own = await get()
      await ctl.ok('apply --validate=false -f -', own)
      const before = await get()
      const { stderr } = await ctl.run('apply --validate=false -f -', own)
      assert.match(stderr, /Error from server \(Conflict\).*/)
      assert.is(await get(), before)
      await ctl.ok('apply --validate=false -f -', before)
    })

    tests(`${api}: what was exported, of another time and without a version`, async () => {
      const foreign = (await exported()).map(({ metadata, ...rest }) => {
        const { resourceVersion, uid, ...kept } = metadata
        return { ...rest, metadata: { ...kept, creationTimestamp: '2020-01-01T00:00:00Z' } }
      })
      await unchangedBy(foreign)
    })

    tests(`${api}: on the server's side`, () =>
      unchangedBy(manifests.filter(keepsParts), ' --server-side --force-conflicts'),
    )
  }

  tests(`${api}: the server ends`, async () => {
    assert.is(await running.stop(), 0)
  })
}

interface Exported {
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly resourceVersion: string
    readonly uid: string
    readonly [field: string]: unknown
  }
}

function listOf(items: readonly object[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
}

function versions(items: readonly Exported[]): readonly string[] {
  return items.map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`)
}

tests.run()
