/** What senders of objects are warned of, in the words of the reference server of release 1.29. F-10 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../../codegen/main.ts'
import { decodeYaml } from '../../../runtime/serializer/serializer.ts'
import {
  body,
  deployment,
  deployments,
  dry,
  inDefault,
  kindAt,
  type OpenRegistry,
  openRegistry,
  quiet,
} from '../../support/registry.ts'

interface Case {
  readonly about: string
  readonly path: string
  readonly warnings: readonly string[]
  readonly metadata?: object
}

const test = suite<OpenRegistry>('runtime/apis: warnings')

test.before(async (context) => {
  Object.assign(context, await openRegistry())
})
test.after(({ close }) => close())

const text = readFileSync(join(packageRoot, 'test/golden/answers/warnings.yaml'))
const cases = (await decodeYaml(text)).value as unknown as readonly Case[]

for (const { about, path, warnings, metadata, ...rest } of cases) {
  test(`the sender of ${about}`, async ({ registry }) => {
    const kind = kindAt(path)
    const target = { kind, ...(kind.scope === 'Namespaced' && { namespace: 'default' }) }
    const given = body({ ...rest, metadata: { name: 'web', ...metadata } })
    assert.equal((await registry.create(target, given, dry)).warnings, warnings)
  })
}

test('an update is warned of if it changes the spec, and one of the status never', async ({
  registry,
}) => {
  const made = deployment('warned')
  const given = made as { readonly spec: { readonly template: { readonly spec: object } } }
  Object.assign(given.spec.template.spec, { nodeSelector: { 'beta.orch.io/os': 'linux' } })
  await registry.create(inDefault(deployments), body(given), quiet)
  const warningsOf = async (patch: object, subresource?: string) => {
    const target = inDefault(deployments, 'warned', subresource)
    return (await registry.patch(target, 'merge', body(patch), quiet)).warnings
  }
  const warning =
    'spec.template.spec.nodeSelector[beta.orch.io/os]: deprecated since v1.14; use "orch.io/os" instead'
  assert.equal(await warningsOf({ metadata: { labels: { a: 'b' } } }), [])
  assert.equal(await warningsOf({ spec: { replicas: 2 } }), [warning])
  assert.equal(await warningsOf({ spec: { replicas: 3 } }, 'scale'), [warning])
  assert.equal(await warningsOf({ status: { replicas: 3 } }, 'status'), [])
})

test('claims of a stateful set, and zones in a schedule, are found again by an update', async ({
  registry,
}) => {
  const statefulSets = kindAt('apis/apps/v1/statefulsets')
  const { spec } = deployment('claims') as { readonly spec: object }
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1.5' } } },
  }
  const given = {
    metadata: { name: 'claims' },
    spec: { ...spec, serviceName: 'claims', volumeClaimTemplates: [claim] },
  }
  const fraction = 'fractional byte value "1500m" is invalid, must be an integer'
  const created = await registry.create(inDefault(statefulSets), body(given), quiet)
  assert.equal(created.warnings, [
    `spec.volumeClaimTemplates[0].resources.requests[storage]: ${fraction}`,
  ])
  const target = inDefault(statefulSets, 'claims')
  const labelled = await registry.patch(target, 'merge', body({ metadata: { labels: {} } }), quiet)
  assert.equal(labelled.warnings, [
    `spec.volumeClaimTemplates[0].Spec.resources.requests[storage]: ${fraction}`,
  ])
})

test.run()
