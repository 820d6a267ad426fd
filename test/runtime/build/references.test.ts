/** Objects that get other names in a build: those who name them follow, as schemas and definitions declare it. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fieldTypes } from '../../../generated/field-types.ts'
import { buildObjects } from '../../../runtime/build/build.ts'
import type { Json, JsonObject } from '../../../runtime/kernel/values/json.ts'

const test = suite('runtime/build: references')

/** The objects with a prefix and a namespace, by their kinds. */
function renamed(objects: readonly Json[], more: readonly Json[] = []) {
  const names = { prefix: 'a-', namespace: 'shop' }
  const step = { $build: 'named', names, objects }
  const { objects: built, problems } = buildObjects(
    [step, ...more].map((value) => ({ value, places: {} })),
    { mergeOf: () => ({}), isNamespaced: () => true, fieldTypes },
  )
  assert.equal(problems, [])
  return Object.fromEntries(built.map(({ value }) => [String(value.kind), value]))
}

const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'key' } }

test('fields of generated types follow, those that are optional too, and labels do not', () => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', labels: { secret: 'key' } },
    spec: {
      imagePullSecrets: [{ name: 'key' }, { name: 'other' }],
      volumes: [{ name: 'v', secret: { secretName: 'key', optional: true } }],
      containers: [{ name: 'c', envFrom: [{ secretRef: { name: 'key' } }] }],
    },
  }
  const { Pod } = renamed([secret, pod])
  assert.equal(Pod?.spec, {
    imagePullSecrets: [{ name: 'a-key' }, { name: 'other' }],
    volumes: [{ name: 'v', secret: { secretName: 'a-key', optional: true } }],
    containers: [{ name: 'c', envFrom: [{ secretRef: { name: 'a-key' } }] }],
  })
  assert.equal((Pod?.metadata as JsonObject | undefined)?.labels, { secret: 'key' })
})

test('a subject follows its account into another namespace', () => {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } }
  const binding = {
    apiVersion: 'rbac.authorization.orch.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'b' },
    roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'Role', name: 'reader' },
    subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'default' }],
  }
  const { RoleBinding } = renamed([account, binding])
  assert.equal(RoleBinding?.subjects, [
    { kind: 'ServiceAccount', name: 'a-robot', namespace: 'shop' },
  ])
})

test('a custom object follows where its definition declares it, and only there', () => {
  const site = {
    apiVersion: 'example.com/v1',
    kind: 'Site',
    metadata: { name: 's' },
    spec: { tls: 'key', secretRef: { name: 'key' }, serviceName: 'key' },
  }
  assert.equal(renamed([secret, site]).Site?.spec, site.spec)
  const definition = {
    apiVersion: 'apiextensions.orch.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: 'sites.example.com',
      annotations: { 'orch.io/references': '[{"field":"spec.tls","kind":"Secret"}]' },
    },
    spec: { group: 'example.com', names: { kind: 'Site' }, versions: [{ name: 'v1' }] },
  }
  assert.equal(renamed([secret, site], [definition]).Site?.spec, { ...site.spec, tls: 'a-key' })
})

test.run()
