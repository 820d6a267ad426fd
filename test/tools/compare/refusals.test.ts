/** Objects that the comparison with another server found to be refused otherwise: what is told of each, in order. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../../codegen/main.ts'
import type { JsonObject } from '../../../runtime/kernel/values/json.ts'
import { ownServer, protobufCodecOf, publicScheme } from '../../../tools/compare/own-server.ts'
import type { ComparedServer } from '../../../tools/compare/server.ts'

interface Refusal {
  readonly path: string
  readonly body: JsonObject
  /** The causes as the other server tells them. */
  readonly told: readonly string[]
}

const refusals = JSON.parse(
  readFileSync(join(packageRoot, 'test/golden/refusals.json'), 'utf8'),
) as readonly Refusal[]

const test = suite<{ server: ComparedServer }>('tools/compare: refused objects')

test.before(async (context) => {
  const scheme = await publicScheme()
  context.server = await ownServer(scheme, await protobufCodecOf(scheme))
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'refused' } }
  await context.server.run([{ method: 'POST', path: '/api/v1/namespaces', body }])
})
test.after(({ server }) => server.close())

for (const [index, { path, body, told }] of refusals.entries()) {
  test(`${body.kind} ${index} is refused as by the other server`, async ({ server }) => {
    const [answer] = await server.run([{ method: 'POST', path, query: { dryRun: 'All' }, body }])
    const { details } = JSON.parse(answer?.text ?? '{}')
    const causes = (details?.causes ?? []) as readonly { field: string; message: string }[]
    assert.equal(
      causes.map(({ field, message }) => `${field}: ${message}`),
      told,
    )
  })
}

test.run()
