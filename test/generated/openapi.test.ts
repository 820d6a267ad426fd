import openapiTypescript from 'openapi-typescript'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../generated/scheme.ts'

const openapi = suite('generated: published documents')

type Node = { readonly [key: string]: never }
const documents = Object.entries(await scheme.openapi()).map(
  ([key, text]) => [key, JSON.parse(text)] as const,
)

function operationsOf(document: { paths: Node }): readonly (readonly [string, string, never])[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    ['get', 'put', 'post', 'patch', 'delete'].flatMap((method) =>
      item[method] === undefined ? [] : [[path, method, item[method]] as const],
    ),
  )
}

openapi('there is one document for each served group version', () => {
  // S-10
  const keys = documents.map(([key]) => key)
  const versions = Object.keys(scheme.routes).map((path) => path.slice(0, path.lastIndexOf('/')))
  assert.equal(keys, [...new Set(versions)].sort())
})

openapi('openapi-typescript accepts every document: all references resolve', async () => {
  for (const [key, document] of documents) {
    const nodes = await openapiTypescript(JSON.stringify(document))
    assert.ok(nodes.length > 0, key)
  }
})

openapi('every write operation carries its kind and takes fieldValidation', () => {
  // F-05, S-12
  for (const [key, document] of documents) {
    for (const [path, method, operation] of operationsOf(document)) {
      const facts = operation as { parameters?: { name: string }[]; [key: string]: unknown }
      if (path.endsWith('/')) continue
      const where = `${key} ${method} ${path}`
      assert.ok(facts['x-orch-group-version-kind'], where)
      assert.ok(facts['x-orch-action'], where)
      if (!['put', 'post', 'patch'].includes(method)) continue
      const shared = document.paths[path]?.parameters as unknown as { name: string }[]
      assert.ok(
        [...(facts.parameters ?? []), ...shared].some(({ name }) => name === 'fieldValidation'),
        where,
      )
    }
  }
})

openapi('a definition of a kind names its group, version and kind', () => {
  // S-12, S-13
  const [, document] = documents.find(([key]) => key === 'apis/apps/v1')!
  const deployment = document.components.schemas['io.orch.api.apps.v1.Deployment']
  assert.equal(deployment['x-orch-group-version-kind'], [
    { group: 'apps', kind: 'Deployment', version: 'v1' },
  ])
})

openapi('a reference with a description is wrapped', () => {
  // S-14
  const [, document] = documents.find(([key]) => key === 'apis/apps/v1')!
  const { spec } = document.components.schemas['io.orch.api.apps.v1.Deployment'].properties
  assert.equal(spec, {
    description: 'Desired replicas, pod template and rollout behaviour.',
    allOf: [{ $ref: '#/components/schemas/io.orch.api.apps.v1.DeploymentSpec' }],
    default: {},
  })
})

openapi('list and patch markers are published under the platform prefix', () => {
  // A2, P-11
  const [, document] = documents.find(([key]) => key === 'api/v1')!
  const { ports, env } = document.components.schemas['io.orch.api.core.v1.Container'].properties
  assert.is(ports['x-orch-list-type'], 'map')
  assert.equal(ports['x-orch-list-map-keys'], ['containerPort', 'protocol'])
  assert.is(env['x-orch-patch-strategy'], 'merge')
  assert.is(env['x-orch-patch-merge-key'], 'name')
})

openapi('machinery types are in their own package', () => {
  // S-13
  const [, document] = documents.find(([key]) => key === 'api/v1')!
  const names = Object.keys(document.components.schemas)
  assert.ok(names.includes('io.orch.apimachinery.pkg.apis.meta.v1.ObjectMeta'))
  assert.ok(names.includes('io.orch.api.core.v1.PodList'))
})

openapi('operation ids are unique', () => {
  for (const [key, document] of documents) {
    const ids = operationsOf(document).map(
      ([, , operation]) => (operation as { operationId: string }).operationId,
    )
    assert.is(new Set(ids).size, ids.length, key)
  }
})

openapi.run()
