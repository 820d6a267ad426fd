/** Writes of pods and of what makes and finds them that the comparison with another server found to be refused otherwise. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Step } from '../../../tools/compare/scenario.ts'
import type { ComparedServer } from '../../../tools/compare/server.ts'
import { causesOf, recordedCases, startComparedServer } from '../../support/compared.ts'

interface Refusal {
  /** The last of them is refused. */
  readonly steps: readonly Step[]
  /** The causes as the other server tells them. */
  readonly told: readonly string[]
}

const refusals = recordedCases<Refusal>('refused-workloads.json')

const test = suite<{ server: ComparedServer }>('tools/compare: refused workloads')

test.before(async (context) => {
  context.server = await startComparedServer('refused')
})
test.after(({ server }) => server.close())

for (const [index, { steps, told }] of refusals.entries()) {
  test(`${steps.at(-1)?.method} ${index} is refused as by the other server`, async ({ server }) => {
    const last = (await server.run(steps)).at(-1)
    assert.equal(
      causesOf(last).map(({ field, message }) => `${field}: ${message}`),
      told,
    )
  })
}

/** Requests whose answer the comparison found to differ in a header or in a value, with what they are answered. */
const container = { name: 'main', image: 'example/app:1' }

test('what a disabled gate leaves of a field is its default', async ({ server }) => {
  const spec = { containers: [{ ...container, securityContext: { procMount: 'Unmasked' } }] }
  assert.is((await made(server, spec)).spec.containers[0].securityContext.procMount, 'Default')
})

for (const [image, policy] of [
  ['../x', 'IfNotPresent'],
  ['x'.repeat(254), 'IfNotPresent'],
  ['web', 'Always'],
  ['host:5000/web', 'Always'],
] as const) {
  test(`the image ${image.slice(0, 20)} is pulled ${policy}`, async ({ server }) => {
    const { spec } = await made(server, { containers: [{ ...container, image }] })
    assert.is(spec.containers[0].imagePullPolicy, policy)
  })
}

test('a refused write is warned of owners that stand twice', async ({ server }) => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u' }
  const body = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'absent', ownerReferences: [owner, owner] },
    spec: {},
  }
  const path = '/api/v1/namespaces/refused/pods/absent'
  const [answer] = await server.run([{ method: 'PUT', path, body }])
  assert.is(answer?.status, 404)
  assert.match(answer?.headers.warning ?? '', /duplicate UID\(s\) observed: u/)
})

/** The pod that a server would make of a specification. */
// biome-ignore lint/suspicious/noExplicitAny: the body of an answer
async function made(server: ComparedServer, spec: object): Promise<any> {
  const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'made' }, spec }
  const path = '/api/v1/namespaces/refused/pods'
  const [answer] = await server.run([
    { method: 'POST', path, query: { dryRun: 'All' }, body: body as Step['body'] & object },
  ])
  return JSON.parse(answer?.text ?? '{}')
}

test.run()
