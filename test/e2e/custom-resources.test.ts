/**
 * kubectl defines a kind and uses it: the newest one that is there through everything, every other version through what
 * changed between them; with the platform's own names, and with the public ecosystem's.
 */
import { basename, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { hangFlag } from '../support/deadline.ts'
import { defaultKubectl, type Kubectl, kubectl, versionedKubectls } from '../support/kubectl.ts'
import { clusterControllers, orchCommand, type Running, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

interface Platform {
  readonly name: string
  readonly args: readonly string[]
  /** The group of definitions, and the prefix of extension keys. */
  readonly definitions: string
  readonly extension: string
}

const platforms: readonly Platform[] = [
  { name: 'own names', args: [], definitions: 'apiextensions.orch.io', extension: 'orch' },
  {
    name: 'public names',
    args: ['--platform', join(packageRoot, 'schemas/platform/kubernetes.yaml')],
    definitions: 'apiextensions.k8s.io',
    extension: 'kubernetes',
  },
]

const others = versionedKubectls()
const newest = others.at(-1) ?? defaultKubectl()
if (newest === undefined) {
  console.log('SKIP kubectl on definitions: there is no kubectl in PATH')
  suite('e2e: definitions').run()
} else {
  for (const platform of platforms) describe(platform, newest)
}

function describe(platform: Platform, binary: string): void {
  const tests = suite(`e2e: definitions, ${platform.name}`)
  let running: Running
  let ctl: Kubectl
  const home = tempDirectory()
  const orchconfig = join(home, 'orchconfig')

  tests.before(async () => {
    running = await startProgram(orchCommand, [
      'up',
      clusterControllers,
      '--orchconfig',
      orchconfig,
      ...platform.args,
    ])
    ctl = kubectl(binary, orchconfig, home)
  })
  tests.after(async () => {
    assert.is(await running.stop(), 0)
  })

  tests('a definition is created and waited for (C-03, C-04, C-28)', async () => {
    assert.match(await ctl.ok('create -f -', cacheDefinition(platform)), 'created')
    // As with release 1.29, kubectl cannot wait for conditions of which there is none yet.
    const types = 'get crd caches.store.example.com -o jsonpath={.status.conditions[*].type}'
    await until('the definition has conditions', async () => (await ctl.ok(types)) !== '')
    assert.match(
      await ctl.ok(`wait --for=condition=Established ${hangFlag} crd/caches.store.example.com`),
      'condition met',
    )
    assert.match(await ctl.ok('get crd caches.store.example.com'), /^NAME +CREATED AT$/m)
  })

  tests(
    'its objects are created, and refused with the message of the rule (C-13, S-19)',
    async () => {
      assert.match(
        await ctl.ok('create -f -', cache('one', 2)),
        'cache.store.example.com/one created',
      )
      const { code, stderr } = await ctl.run('create -f -', cache('bad', 3))
      assert.is(code, 1)
      assert.is(
        stderr.trim(),
        'The Cache "bad" is invalid: spec: Invalid value: "object": an even size, not 3',
      )
      const range = await ctl.run('create -f -', cache('bad', 1000))
      assert.match(
        range.stderr,
        'spec.size: Invalid value: 1000: spec.size in body should be less than',
      )
      const strange = await ctl.run('create -f -', cache('bad', 2).replace('size', 'sizes'))
      assert.match(strange.stderr, 'unknown field "spec.sizes"')
    },
  )

  tests('they are listed with their columns, under every name (C-18, C-23)', async () => {
    const table = await ctl.ok('get caches')
    assert.match(table, /^NAME +SIZE +MODE +AGE$/m)
    assert.match(table, /^one +2 +fast +\d+s$/m)
    assert.match(await ctl.ok('get cache -o wide'), /^NAME +SIZE +MODE +AGE +OWNER$/m)
    assert.match(await ctl.ok('get ca'), /^one /m)
    assert.match(await ctl.ok('get stores'), /^one /m)
    assert.match(
      await ctl.ok('get caches.v1.store.example.com one -o name'),
      'cache.store.example.com/one',
    )
    assert.match(await ctl.ok('describe cache one'), /Size: +2/)
    assert.match(
      await ctl.ok('api-resources --api-group=store.example.com'),
      /^caches +ca +store\.example\.com\/v1 +true +Cache$/m,
    )
    assert.match(await ctl.ok('api-versions'), 'store.example.com/v1beta1')
  })

  tests('explain shows the fields, the nested ones too', async () => {
    assert.match(await ctl.ok('explain cache'), /A place for what is slow to get/)
    assert.match(await ctl.ok('explain cache.spec.limits.burst'), 'How much more for a moment')
    assert.match(await ctl.ok('explain cache --recursive'), /burst/)
    assert.match(await ctl.ok('explain cache --api-version=store.example.com/v1beta1'), 'v1beta1')
  })

  tests('apply from the client creates, changes, and finds nothing to do', async () => {
    assert.match(await ctl.ok('apply -f -', cache('two', 2)), 'created')
    assert.match(await ctl.ok('apply -f -', cache('two', 4)), 'configured')
    assert.match(await ctl.ok('apply -f -', cache('two', 4)), 'unchanged')
    const { code, stderr } = await ctl.run('apply -f -', cache('two', 5))
    assert.is(code, 1)
    assert.match(stderr, 'an even size, not 5')
  })

  tests('apply at the server keeps who wrote what (A2.38)', async () => {
    const port = (name: string, port: number) => `- { name: ${name}, port: ${port} }`
    const one = `${cache('three', 2)}  ports:\n  ${port('main', 80)}\n`
    const bare = `apiVersion: store.example.com/v1\nkind: Cache\nmetadata: { name: three }\nspec:\n  ports:\n  ${port('admin', 81)}\n`
    assert.match(await ctl.ok('apply --server-side -f -', one), 'serverside-applied')
    await ctl.ok('apply --server-side --field-manager=other -f -', bare)
    const names = 'get cache three -o jsonpath={.spec.ports[*].name}'
    assert.is(await ctl.ok(names), 'main admin')
    const clash = await ctl.run('apply --server-side --field-manager=other -f -', cache('three', 4))
    assert.match(clash.stderr, 'conflict with "kubectl"')
    await ctl.ok('apply --server-side -f -', cache('three', 2))
    assert.is(await ctl.ok(names), 'admin')
  })

  tests('patch, label and scale change an object (C-17, C-25)', async () => {
    const merge = ['patch cache one --type=merge -p', '{"spec":{"size":8}}']
    assert.match(await ctl.ok(merge.join(' ')), 'patched')
    const path = '[{"op":"replace","path":"/spec/size","value":6}]'
    assert.match(await ctl.ok(`patch cache one --type=json -p ${path}`), 'patched')
    assert.match(await ctl.ok('label cache one tier=back'), 'labeled')
    assert.match(await ctl.ok('get cache -l tier=back'), /^one +6 /m)
    assert.match(await ctl.ok('scale cache one --replicas=3'), 'scaled')
    assert.is(await ctl.ok('get cache one -o jsonpath={.spec.replicas}'), '3')
    const strategic = await ctl.run('patch cache one --type=strategic -p {"spec":{"size":8}}')
    assert.is(strategic.code, 1)
    assert.match(strategic.stderr, /application\/strategic-merge-patch\+json|strategic merge patch/)
  })

  tests('edit changes what the editor changed', async () => {
    const even = kubectl(binary, orchconfig, home, { KUBE_EDITOR: 'sed -i /size:/s/6/10/' })
    assert.match(await even.ok('edit cache one'), 'edited')
    assert.is(await ctl.ok('get cache one -o jsonpath={.spec.size}'), '10')
  })

  tests('the status is a path of its own (C-16)', async () => {
    const patch = '{"status":{"ready":2}}'
    await ctl.ok(`patch cache one --type=merge -p ${patch}`)
    assert.is(await ctl.ok('get cache one -o jsonpath={.status.ready}'), '')
    await ctl.ok(`patch cache one --subresource=status --type=merge -p ${patch}`)
    assert.is(await ctl.ok('get cache one -o jsonpath={.status.ready}'), '2')
    assert.match(await ctl.ok('wait --for=jsonpath={.status.ready}=2 cache/one'), 'condition met')
  })

  tests(
    'both versions show the same objects, the old one with a warning (C-19, C-21, C-22)',
    async () => {
      const { stdout, stderr } = await ctl.run('get caches.v1beta1.store.example.com one -o yaml')
      assert.match(stdout, 'apiVersion: store.example.com/v1beta1')
      assert.match(stdout, 'size: 10')
      assert.match(
        stderr,
        'store.example.com/v1beta1 Cache is deprecated; use store.example.com/v1 Cache',
      )
    },
  )

  for (const one of others) {
    tests(`${basename(one)} creates, lists, explains and deletes`, async () => {
      const apart = kubectl(one, orchconfig, join(home, basename(one)))
      const name = basename(one).replaceAll('.', '-')
      assert.match(await apart.ok('apply -f -', cache(name, 4)), 'created')
      assert.match(await apart.ok(`get cache ${name}`), /^NAME +SIZE +MODE +AGE$/m)
      assert.match(await apart.ok('explain cache.spec.limits.burst'), 'How much more for a moment')
      const refusal = await apart.run('apply -f -', cache(name, 5))
      assert.match(refusal.stderr, 'an even size, not 5')
      assert.match(await apart.ok(`diff -f -`, cache(name, 4)), /^$/)
      assert.match(await apart.ok(`delete cache ${name}`), 'deleted')
    })
  }

  tests('objects go with their definition, and nothing knows the kind any more', async () => {
    assert.match(await ctl.ok('delete crd caches.store.example.com'), 'deleted')
    const { code, stderr } = await ctl.run('get caches')
    assert.is(code, 1)
    assert.match(stderr, /the server doesn't have a resource type "caches"|could not find/)
    const explained = await ctl.run('explain cache')
    assert.is(explained.code, 1)
    assert.not.match(await ctl.ok('api-versions'), 'store.example.com')
  })

  tests.run()
}

function cache(name: string, size: number): string {
  return `apiVersion: store.example.com/v1
kind: Cache
metadata: { name: ${name} }
spec:
  size: ${size}
`
}

function cacheDefinition({ definitions, extension: x }: Platform): string {
  const schema = `
      openAPIV3Schema:
        type: object
        description: A place for what is slow to get.
        properties:
          spec:
            type: object
            required: [size]
            x-${x}-validations:
            - rule: self.size % 2 == 0
              messageExpression: "'an even size, not ' + (self.size == 3 ? '3' : '5')"
            properties:
              size: { type: integer, minimum: 1, maximum: 100 }
              mode: { type: string, enum: [fast, safe], default: fast }
              replicas: { type: integer, minimum: 0 }
              limits:
                type: object
                description: How much at most.
                properties:
                  burst: { type: string, description: How much more for a moment. }
              ports:
                type: array
                maxItems: 10
                x-${x}-list-type: map
                x-${x}-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties:
                    name: { type: string }
                    port: { type: integer }
          status:
            type: object
            properties:
              ready: { type: integer }
              replicas: { type: integer }`
  const version = (name: string, stored: boolean) => `  - name: ${name}
    served: true
    storage: ${stored}
    deprecated: ${!stored}
    subresources:
      status: {}
      scale: { specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas }
    additionalPrinterColumns:
    - { name: Size, type: integer, jsonPath: .spec.size }
    - { name: Mode, type: string, jsonPath: .spec.mode }
    - { name: Age, type: date, jsonPath: .metadata.creationTimestamp }
    - { name: Owner, type: string, jsonPath: .spec.owner, priority: 1 }
    schema:${schema}
`
  return `apiVersion: ${definitions}/v1
kind: CustomResourceDefinition
metadata: { name: caches.store.example.com }
spec:
  group: store.example.com
  scope: Namespaced
  names: { plural: caches, kind: Cache, shortNames: [ca], categories: [stores] }
  versions:
${version('v1beta1', false)}${version('v1', true)}`
}
