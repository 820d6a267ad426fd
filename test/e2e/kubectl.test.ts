/**
 * kubectl drives the server: its default binary through everything, every other version that is there through a short
 * script; with the platform's own names, and with the public ecosystem's.
 */
import { basename, dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { hangFlag } from '../support/deadline.ts'
import { defaultKubectl, type Kubectl, kubectl, versionedKubectls } from '../support/kubectl.ts'
import { clusterControllers, orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

interface Platform {
  readonly name: string
  readonly args: readonly string[]
  /** The group of Leases. */
  readonly coordination: string
}

const platforms: readonly Platform[] = [
  { name: 'own names', args: [], coordination: 'coordination.orch.io' },
  {
    name: 'public names',
    args: ['--platform', join(packageRoot, 'schemas/platform/kubernetes.yaml')],
    coordination: 'coordination.k8s.io',
  },
]

const found = defaultKubectl()
if (found === undefined) {
  console.log(
    'SKIP kubectl: there is no kubectl in PATH (Debian: apt-get install kubernetes-client)',
  )
}
for (const platform of found === undefined ? [] : platforms) describe(platform, found!)
if (found === undefined) suite('e2e: kubectl').run()

function describe(platform: Platform, binary: string): void {
  const tests = suite(`e2e: kubectl, ${platform.name}`)
  let running: Running
  let ctl: Kubectl
  const home = tempDirectory()
  const orchconfig = join(home, 'orchconfig')

  tests.before(async () => {
    running = await startProgram(orchCommand, [
      ...['up', '--orchconfig', orchconfig, clusterControllers],
      ...platform.args,
    ])
    ctl = kubectl(binary, orchconfig, home)
    await ctl.ok('create -f -', namespace('shop'))
  })
  tests.after(async () => {
    assert.is(await running.stop(), 0)
  })

  tests('get prints a table, and the system namespaces are there', async () => {
    const table = await ctl.ok('get namespaces')
    assert.match(table, /^NAME +STATUS +AGE$/m)
    assert.match(table, row('default', 'Active'))
  })

  tests('create, then get in every form', async () => {
    await ctl.ok('create -n shop -f -', configMap('forms', { color: 'blue' }))
    assert.is(await ctl.ok('get configmap forms -n shop -o name'), 'configmap/forms\n')
    assert.is(await ctl.ok('get cm forms -n shop -o jsonpath={.data.color}'), 'blue')
    assert.match(await ctl.ok('get configmap forms -n shop -o yaml'), '\n  color: blue\n')
    const object: unknown = JSON.parse(await ctl.ok('get configmap forms -n shop -o json'))
    assert.equal((object as { data: unknown }).data, { color: 'blue' })
    assert.match(await ctl.ok('get configmap forms -n shop'), row('forms', '1'))
    assert.match(
      await ctl.ok('get configmaps -A --field-selector metadata.name=forms'),
      /^shop +forms /m,
    )
  })

  tests('create of what is there, and get of what is not, fail with the reason', async () => {
    const again = await ctl.run('create -f -', namespace('shop'))
    assert.is(again.code, 1)
    assert.match(again.stderr, '(AlreadyExists)')
    assert.match(again.stderr, 'namespaces "shop" already exists')
    const missing = await ctl.run('get configmap nothing -n shop')
    assert.is(missing.code, 1)
    assert.match(missing.stderr, 'Error from server (NotFound): configmaps "nothing" not found')
  })

  tests('an invalid object is refused and the field named', async () => {
    const { code, stderr } = await ctl.run(
      'create -n shop --validate=false -f -',
      deployment('web', -1),
    )
    assert.is(code, 1)
    assert.match(stderr, 'The Deployment "web" is invalid: spec.replicas: Invalid value: -1')
  })

  tests('get -w shows each change as it happens', async () => {
    const watch = ctl.follow('get configmaps -n shop -w --field-selector metadata.name=watched')
    await ctl.ok('create -n shop -f -', configMap('watched', { a: '1' }))
    await watch.printed(row('watched', '1'))
    await ctl.ok(`patch configmap watched -n shop --type merge -p {"data":{"b":"2","c":"3"}}`)
    await watch.printed(row('watched', '3'))
    await watch.stop()
  })

  tests('apply creates, and finds nothing to do the second time', async () => {
    const text = deployment('applied', 2)
    assert.match(await ctl.ok('apply -n shop -f -', text), 'deployment.apps/applied created')
    assert.match(await ctl.ok('apply -n shop -f -', text), 'deployment.apps/applied unchanged')
    assert.match(await ctl.ok('get deployments -n shop'), row('applied', '0/2 +0 +0'))
  })

  tests('a merge patch and a JSON patch change an object', async () => {
    await ctl.ok('apply -n shop -f -', deployment('patched', 1))
    await ctl.ok('patch deployment patched -n shop --type merge -p {"spec":{"replicas":3}}')
    assert.is(await ctl.ok('get deployment patched -n shop -o jsonpath={.spec.replicas}'), '3')
    const patch =
      '[{"op":"test","path":"/spec/replicas","value":3},{"op":"replace","path":"/spec/replicas","value":4}]'
    await ctl.ok(`patch deployment patched -n shop --type json -p ${patch}`)
    const fields = 'jsonpath={.spec.replicas}/{.metadata.generation}'
    assert.is(await ctl.ok(`get deployment patched -n shop -o ${fields}`), '4/3')
    const refused = await ctl.run(`patch deployment patched -n shop --type json -p ${patch}`)
    assert.is(refused.code, 1)
  })

  tests('label and annotate change metadata, and a label selects', async () => {
    await ctl.ok('create -n shop -f -', configMap('labelled', {}))
    await ctl.ok('label configmap labelled -n shop tier=front')
    await ctl.ok('annotate configmap labelled -n shop note=x')
    assert.is(await ctl.ok('get configmaps -n shop -l tier=front -o name'), 'configmap/labelled\n')
    assert.is(await ctl.ok('get configmaps -n shop -l tier!=front,tier -o name'), '')
  })

  tests('replace with a stale version is refused', async () => {
    await ctl.ok('create -n shop -f -', configMap('stale', { a: '1' }))
    const old = await ctl.ok('get configmap stale -n shop -o json')
    await ctl.ok('patch configmap stale -n shop --type merge -p {"data":{"a":"2"}}')
    const { code, stderr } = await ctl.run('replace -f -', old)
    assert.is(code, 1)
    assert.match(stderr, 'the object has been modified')
  })

  tests('lists longer than a page arrive whole', async () => {
    const many = Array.from({ length: 25 }, (_, n) => configMap(`page-${n}`, { n: String(n) }))
    await ctl.ok('create -n default -f -', many.join('---\n'))
    const names = await ctl.ok('get configmaps -n default --chunk-size 10 -o name')
    assert.is(names.split('\n').filter((name) => name.startsWith('configmap/page-')).length, 25)
  })

  tests('delete waits until the object is gone, and takes selectors', async () => {
    for (const name of ['gone-1', 'gone-2']) {
      await ctl.ok('create -n shop -f -', configMap(name, {}))
      await ctl.ok(`label configmap ${name} -n shop gone=yes`)
    }
    assert.match(await ctl.ok('delete configmap gone-1 -n shop'), 'configmap "gone-1" deleted')
    assert.is((await ctl.run('get configmap gone-1 -n shop')).code, 1)
    assert.match(
      await ctl.ok('delete configmaps -n shop -l gone=yes'),
      'configmap "gone-2" deleted',
    )
  })

  tests('delete of a namespace empties it first', async () => {
    await ctl.ok('create -f -', namespace('doomed'))
    await ctl.ok('create -n doomed -f -', configMap('inside', {}))
    await ctl.ok(`delete namespace doomed ${hangFlag}`)
    assert.match((await ctl.run('get configmap inside -n doomed')).stderr, '(NotFound)')
  })

  tests('api-resources and api-versions list what is served', async () => {
    const resources = await ctl.ok('api-resources')
    assert.match(resources, /^configmaps +cm +v1 +true +ConfigMap$/m)
    assert.match(resources, /^deployments +deploy +apps\/v1 +true +Deployment$/m)
    assert.match(resources, new RegExp(`^leases +${platform.coordination}/v1 +true +Lease$`, 'm'))
    const versions = (await ctl.ok('api-versions')).trim().split('\n')
    for (const version of ['apps/v1', `${platform.coordination}/v1`, 'v1']) {
      assert.ok(versions.includes(version), `${version} is among ${versions.join(', ')}`)
    }
  })

  tests('version names the release', async () => {
    assert.match(await ctl.ok('version -o json'), '"gitVersion": "v1.29.')
  })

  describeSchemas(tests, () => ctl)
  const versions = versionedKubectls()
  // Versions differ in what they look for by the public names, and there alone.
  const wanted = platform.args.length > 0 ? versions : [versions[0], versions.at(-1)]
  for (const file of new Set(wanted)) {
    if (file !== undefined) describeVersion(file, tests, orchconfig)
  }
  tests.run()
}

/** A printed line: the cells between name and age are those of the server's table. */
function row(name: string, cells: string): RegExp {
  return new RegExp(`^${name} +${cells} +\\d+s$`, 'm')
}

type Tests = ReturnType<typeof suite>

/** What kubectl finds in schema documents, which carry the names it looks for whatever the platform's are (S-12). */
function describeSchemas(tests: Tests, ctl: () => Kubectl): void {
  tests('explain describes a field', async () => {
    const text = await ctl().ok('explain deployment.spec.replicas')
    assert.match(text, /KIND: +Deployment/)
    assert.match(text, /replicas/)
    assert.match(await ctl().ok('explain pods'), /spec\t/)
  })

  tests('a misspelt field is refused before anything is written', async () => {
    const text = deployment('typo', 1).replace('replicas', 'replicsa')
    const { code, stderr } = await ctl().run('create -n shop -f -', text)
    assert.is(code, 1)
    assert.match(stderr, 'replicsa')
    assert.is((await ctl().run('get deployment typo -n shop')).code, 1)
  })
}

/** The short script, for each version that is there. */
function describeVersion(file: string, tests: Tests, orchconfig: string): void {
  const version = basename(file).replace('kubectl.', '')
  const space = `v${version.replace('.', '-')}`

  // CL-01
  tests(`${version}: create, get, apply, patch, delete`, async () => {
    const ctl = kubectl(file, orchconfig, join(dirname(orchconfig), space))
    await ctl.ok('create -f -', namespace(space))
    await ctl.ok(`apply -n ${space} -f -`, deployment('web', 1))
    assert.match(await ctl.ok(`apply -n ${space} -f -`, deployment('web', 1)), 'unchanged')
    await ctl.ok(`patch deployment web -n ${space} --type merge -p {"spec":{"replicas":2}}`)
    assert.match(await ctl.ok(`get deployments -n ${space}`), row('web', '0/2 +0 +0'))
    const watch = ctl.follow(`get deployments -n ${space} -w`)
    await watch.printed(row('web', '0/2 +0 +0'))
    await watch.stop()
    assert.match(await ctl.ok('api-resources -o name'), /^deployments\.apps$/m)
    assert.match(await ctl.ok('explain configmap.data'), /data/)
    await ctl.ok(`delete deployment web -n ${space}`)
    assert.is((await ctl.run(`get deployment web -n ${space}`)).code, 1)
  })
}

function namespace(name: string): string {
  return `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${name} }\n`
}

function configMap(name: string, data: Readonly<Record<string, string>>): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata: ${JSON.stringify(data)}\n`
}

function deployment(name: string, replicas: number): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: example.com/${name}:1 }] }
`
}
