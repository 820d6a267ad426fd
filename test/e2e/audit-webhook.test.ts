/** Audit records at a webhook as an administrator sets it up, under both platforms' names. U-05, U-04 */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { startApiServer } from '../../runtime/apiserver/apiserver.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../runtime/observe/observe.ts'
import { compiledScheme } from '../../tools/orch/compiled-scheme.ts'
import { apiserverCommand, runNode, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'

const test = suite('e2e: audit webhook')

interface Item {
  readonly auditID: string
  readonly stage: string
  readonly requestURI: string
  readonly annotations?: Readonly<Record<string, string>>
}

interface Received {
  readonly path: string
  readonly body: {
    readonly kind: string
    readonly apiVersion: string
    readonly items: readonly Item[]
  }
}

/** A service that keeps what it is sent, and refuses the first `refusals` lists. */
async function startService(refusals: number): Promise<{
  readonly server: Server
  readonly url: string
  readonly received: readonly Received[]
}> {
  const received: Received[] = []
  let left = refusals
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Received['body']
      if (left > 0) response.statusCode = 503
      else received.push({ path: request.url ?? '', body })
      left--
      response.end()
    })
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { server, url: `http://127.0.0.1:${port}`, received }
}

/** The file that leads to the service, and a policy for configmaps. */
function filesOf(api: string, url: string): { readonly config: string; readonly policy: string } {
  const folder = tempDirectory()
  const config = join(folder, 'audit-webhook')
  const policy = join(folder, 'policy.yaml')
  writeFileSync(
    config,
    `apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: '${url}/records' } }]
users: [{ name: u, user: {} }]
contexts: [{ name: c, context: { cluster: c, user: u } }]
current-context: c
`,
  )
  const rule = '{ level: Metadata, resources: [{ resources: [configmaps] }] }'
  writeFileSync(policy, `apiVersion: audit.${api}/v1\nkind: Policy\nrules: [${rule}]\n`)
  return { config, policy }
}

interface Asked {
  readonly api: string
  readonly received: readonly Received[]
  readonly log: string
  readonly url: string
}

/** Twenty lists and the end of the server, then: every record stands in the log and was sent, once. */
async function bothHaveAll({ api, received, log, url }: Asked, stop: () => Promise<unknown>) {
  const asked = Array.from({ length: 20 }, () =>
    fetch(`${url}/api/v1/namespaces/default/configmaps`),
  )
  for (const reply of await Promise.all(asked)) await reply.text()
  await stop()
  const items = received.flatMap(({ path, body }) => {
    assert.equal([path, body.kind, body.apiVersion], ['/records', 'EventList', `audit.${api}/v1`])
    assert.ok(body.items.length <= 7)
    return body.items
  })
  const keyOf = (item: Item): string => `${item.auditID} ${item.stage}`
  const sent = new Map(items.map((item) => [keyOf(item), item]))
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n')
  assert.equal([items.length, sent.size, lines.length], [40, 40, 40])
  for (const line of lines) {
    const { kind, apiVersion, ...item } = JSON.parse(line) as Item & Record<string, unknown>
    assert.equal([kind, apiVersion], ['Event', `audit.${api}/v1`])
    assert.equal(sent.get(keyOf(item)), item)
    const decided = item.stage === 'ResponseComplete' ? 'allow' : undefined
    assert.is(item.annotations?.[`authorization.${api}/decision`], decided)
  }
}

for (const mode of ['batch', 'blocking']) {
  test(`mode ${mode}: by its flags, the webhook and the log get every record until the end`, async () => {
    const { url, received } = await startService(1)
    const { config, policy } = filesOf('orch.io', url)
    const log = join(tempDirectory(), 'audit.log')
    const running = await startProgram(apiserverCommand, [
      '--insecure-port=0',
      `--audit-policy-file=${policy}`,
      `--audit-log-path=${log}`,
      `--audit-webhook-config-file=${config}`,
      `--audit-webhook-mode=${mode}`,
      '--audit-webhook-batch-max-size=7',
      '--audit-webhook-batch-max-wait=1h',
      '--audit-webhook-initial-backoff=1ms',
    ])
    await bothHaveAll({ api: 'orch.io', received, log, url: running.url }, running.stop)
  })
}

test('the public names stand in records where the platform has them', async () => {
  const { url, received } = await startService(0)
  const { config } = filesOf('k8s.io', url)
  const path = join(tempDirectory(), 'audit.log')
  const names = join(packageRoot, 'schemas/platform/kubernetes.yaml')
  const scheme = await compiledScheme({ platform: names }, console.error)
  assert.ok(scheme)
  const running = await startApiServer({
    scheme,
    storage: { kind: 'memory' },
    clock: systemClock,
    log: silentLog,
    listen: { port: 0 },
    audit: {
      policy: { rules: [{ level: 'Metadata', resources: [{ resources: ['configmaps'] }] }] },
      log: { output: { path, maxBytes: 0, maxAgeMs: 0, maxBackups: 0, compress: false } },
      webhook: {
        mode: 'batch',
        orchconfig: config,
        firstPauseMs: 1,
        batch: { bufferEvents: 100, maxEvents: 7, maxWaitMs: 1000 },
      },
    },
  })
  const asked = { api: 'k8s.io', received, log: path, url: running.url }
  await bothHaveAll(asked, () => running.stop())
})

test('everything that is wrong with the flags is told', async () => {
  const { policy } = filesOf('orch.io', 'http://127.0.0.1:1')
  const { code, stderr } = await runNode(apiserverCommand, [
    '--check-config',
    `--audit-policy-file=${policy}`,
    '--audit-webhook-config-file=/nowhere',
    '--audit-webhook-version=audit.orch.io/v1beta1',
    '--audit-webhook-batch-throttle-qps=0',
    '--audit-webhook-truncate-max-batch-size=10',
  ])
  assert.is(code, 1)
  assert.match(
    stderr,
    '--audit-webhook-version: audit.orch.io/v1beta1 is no version of audit records',
  )
  assert.match(stderr, '--audit-webhook-batch-throttle-qps: must be more than 0')
  assert.match(stderr, '--audit-webhook-truncate-max-batch-size: must not be less than')
})

test.run()
