/** The ports of an agent: what they serve, to whom, and what its flags and file say of that. */
import { readFileSync, writeFileSync } from 'node:fs'
import { readdir, readlink } from 'node:fs/promises'
import { createServer as createHttpServer, get as getPlain } from 'node:http'
import { request } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { nodes } from '../../generated/apis/core/v1/node.ts'
import { pods } from '../../generated/apis/core/v1/pod.ts'
import { serviceAccounts } from '../../generated/apis/core/v1/service-account.ts'
import { clusterRoleBindings, clusterRoles } from '../../generated/apis/rbac/v1.ts'
import { loadConfig } from '../../runtime/connection/connection.ts'
import {
  type ContainerRuntime,
  createEmbeddedRuntime,
  probeLevel,
} from '../../runtime/container-runtime/container-runtime.ts'
import { accessReviewAuthorizer } from '../../runtime/delegation/delegation.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { type ControlPlane, startControlPlane } from '../../runtime/testing/testing.ts'
import { fakeClock } from '../support/clock.ts'
import { type Running, runNode, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const port = suite('daemons/orchlet: its ports')
const command = fileURLToPath(new URL('../../packed/orchlet.js', import.meta.url))

/** An answer of a port. */
interface Answer {
  readonly status: number | undefined
  readonly text: string
}

interface Question {
  readonly method?: string
  readonly token?: string
  readonly body?: string
  /** The certificate of who asks. */
  readonly pair?: { readonly cert?: string; readonly key?: string }
}

function asked(at: number, path: string, question: Question = {}): Promise<Answer> {
  const { method, token, body, pair } = question
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ host: '127.0.0.1', port: at, path, headers, rejectUnauthorized: false, agent: false },
        ...pair,
        ...(method !== undefined && { method }),
      },
      async (answer) => {
        let text = ''
        for await (const chunk of answer) text += chunk
        resolve({ status: answer.statusCode, text })
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

/** An answer of a port without TLS. */
function askedPlainly(at: number, path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    getPlain({ host: '127.0.0.1', port: at, path, agent: false }, async (answer) => {
      let text = ''
      for await (const chunk of answer) text += chunk
      resolve({ status: answer.statusCode, text })
    }).on('error', reject)
  })
}

/** What a port says to who wants another protocol there. */
function upgraded(at: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connectTls({ host: '127.0.0.1', port: at, rejectUnauthorized: false }, () =>
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: n\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\nContent-Length: 0\r\n\r\n`,
      ),
    )
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: found } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return found
}

let plane: ControlPlane
let admin: NonNullable<Question['pair']>
const folder = tempDirectory()
const config = join(folder, 'orchconfig')

port.before(async () => {
  plane = await startControlPlane({
    ...{ socket: 'tls', controllers: [], authorization: 'RBAC' },
  })
  writeFileSync(config, plane.orchconfig ?? '')
  const { ca = '', cert = '', key = '' } = await loadConfig(config)
  writeFileSync(join(folder, 'ca'), ca)
  admin = { cert, key }
})
port.after(() => plane.stop())

/** An agent as a program, and its port as the node tells it. */
async function agentWith(
  root: string,
  nodeName: string,
  flags: readonly string[],
): Promise<{ readonly agent: Running; readonly at: number }> {
  const agent = await startProgram(command, [
    ...[`--orchconfig=${config}`, `--root-dir=${join(folder, root)}`, '--fail-swap-on=false'],
    ...['--address=127.0.0.1', '--port=0', '--container-runtime-endpoint=embedded', ...flags],
  ])
  assert.is(agent.url, nodeName)
  const node = await plane.client.resource(nodes).get(nodeName)
  const at = node.status?.daemonEndpoints?.orchletEndpoint?.Port ?? 0
  assert.ok(at > 0, 'the node tells the port')
  return { agent, at }
}

// G-05, D5.4
port(
  'without a word of flags it is asked of the server who a caller is, and what it may',
  async () => {
    const { agent, at } = await agentWith('asks', 'n1', [
      ...['--hostname-override=n1', '--healthz-port=0', `--client-ca-file=${join(folder, 'ca')}`],
    ])
    const { client } = plane
    try {
      assert.equal(await asked(at, '/pods'), { status: 401, text: 'Unauthorized\n' })
      assert.is((await asked(at, '/pods', { token: 'wrong' })).status, 401)
      const accounts = client.resource(serviceAccounts).in('default')
      await accounts.create({ metadata: { name: 'reader' } })
      const { token } = (
        await accounts.createSubresource<{ readonly status: { readonly token: string } }>(
          ...(['reader', 'token', { spec: { audiences: [] } }] as const),
        )
      ).status
      const user = 'system:serviceaccount:default:reader'
      assert.equal(await asked(at, '/stats/summary', { token }), {
        status: 403,
        text: `Forbidden (user=${user}, verb=get, resource=nodes, subresource=stats)\n`,
      })
      const group = 'rbac.authorization.orch.io'
      await client.resource(clusterRoles).create({
        metadata: { name: 'measures' },
        rules: [{ apiGroups: [''], resources: ['nodes/metrics'], verbs: ['get'] }],
      })
      await client.resource(clusterRoleBindings).create({
        metadata: { name: 'measures' },
        roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'measures' },
        subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'default' }],
      })
      // No part of it was asked for before: a refusal would be kept for half a minute.
      assert.is((await asked(at, '/metrics/resource', { token })).status, 200)
      const refused = ['/pods', '/logs/', '/checkpoint/a/b/c', '/metric%73/resource']
      for (const path of refused) assert.is((await asked(at, path, { token })).status, 403, path)
      assert.is((await asked(at, '/pods', { pair: admin })).status, 200, 'known by a certificate')
      assert.match(
        await upgraded(at, '/exec/default/web/main?command=ls&output=1'),
        /^HTTP\/1\.1 401 [\s\S]*\r\n\r\nUnauthorized\n$/,
      )
    } finally {
      assert.is(await agent.stop(), 0)
    }
  },
)

// G-02, G-03, G-13, D1.3, D1.6, D4.2 to D4.4
port('with everything allowed it tells of pods, of what they use, and of itself', async () => {
  const [readOnly, healthz] = [await freePort(), await freePort()]
  const file = join(folder, 'agent.yaml')
  writeFileSync(
    file,
    JSON.stringify({
      ...{ kind: 'OrchletConfiguration', apiVersion: 'orchlet.config.orch.io/v1beta1' },
      ...{ maxPods: 20, healthzPort: healthz, podsPerCore: 0, readOnlyPort: readOnly },
      featureGates: { ContainerCheckpoint: true },
    }),
  )
  const nodeName = hostname().toLowerCase()
  const { agent, at } = await agentWith('open', nodeName, [
    ...['--anonymous-auth', '--authorization-mode=AlwaysAllow', `--config=${file}`],
    ...['--max-pods=30', '--cloud-provider=external'],
  ])
  try {
    const node = await plane.client.resource(nodes).get(nodeName)
    assert.is(node.status?.capacity?.pods, '30', 'the flag wins over the file')
    assert.ok(
      node.spec?.taints?.some(({ key }) => key === 'node.cloudprovider.orch.io/uninitialized'),
      'the cloud provider has the next word',
    )
    const own = plane.client.resource(pods).in('default')
    const script = 'echo begun; echo more > /dev/stderr; sleep 1000'
    const probe = { exec: { command: ['true'] }, periodSeconds: 1 }
    await own.create({
      metadata: { name: 'web' },
      spec: {
        ...{ nodeName, terminationGracePeriodSeconds: 1 },
        containers: [
          {
            ...{ name: 'main', image: 'host/sh', args: ['-c', script], readinessProbe: probe },
            resources: { limits: { memory: '64Mi' } },
          },
        ],
      },
    })
    await until('it is ready', async () =>
      (await own.get('web')).status?.conditions?.some(
        ({ type, status }) => type === 'Ready' && status === 'True',
      ),
    )
    const text = async (path: string) => {
      const answer = await asked(at, path)
      assert.is(answer.status, 200, `${path}: ${answer.text}`)
      return answer.text
    }
    const names = (list: string) =>
      JSON.parse(list).items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)
    assert.equal(names(await text('/pods')), ['web'])
    assert.equal(names(await text('/runningpods/')), ['web'])
    assert.is(await text('/containerLogs/default/web/main?tailLines=1'), 'more\n')
    const run = await asked(at, '/run/default/web/main?cmd=echo+here', { method: 'POST' })
    assert.equal(run, { status: 200, text: 'here\n' })

    const { node: machine, pods: used } = JSON.parse(await text('/stats/summary'))
    assert.is(machine.nodeName, nodeName)
    assert.ok(machine.cpu.usageCoreNanoSeconds > 0 && machine.memory.availableBytes > 0)
    assert.ok(machine.fs.capacityBytes > 0 && machine.network.interfaces.length > 0)
    const [pod] = used
    assert.is(pod.podRef.name, 'web')
    assert.ok(pod.memory.workingSetBytes > 0 && pod['ephemeral-storage'].usedBytes > 0)
    assert.ok(pod.containers[0].memory.usageBytes > 0 && pod.containers[0].logs.usedBytes > 0)

    const resource = await text('/metrics/resource')
    assert.match(resource, /^node_memory_working_set_bytes \d+/m)
    const cadvisor = await text('/metrics/cadvisor')
    const of = 'container="main",namespace="default",pod="web"'
    assert.match(
      cadvisor,
      new RegExp(`^container_spec_memory_limit_bytes{${of},.*} 67108864 `, 'm'),
    )
    assert.match(cadvisor, /^container_network_receive_bytes_total\{id="\/",interface="\w+"} \d+ /m)
    assert.match(
      await text('/metrics/probes'),
      new RegExp(
        `^prober_probe_total{${of},pod_uid=".*",probe_type="Readiness",result="successful"`,
        'm',
      ),
    )
    assert.match(await text('/metrics'), /^process_start_time_seconds /m)
    for (const path of ['', '/ping', '/log', '/syncloop']) {
      assert.equal(await asked(at, `/healthz${path}`), { status: 200, text: 'ok' })
      assert.is((await askedPlainly(healthz, `/healthz${path}`)).text, 'ok')
    }
    const known = JSON.parse(await text('/configz')).orchletconfig
    assert.equal([known.port, known.maxPods, known.readOnlyPort], [0, 30, readOnly])
    assert.match(await text('/logs/'), /^<pre>\n<a href=/)
    assert.match(await text('/debug/pprof/'), 'profiles of this process')
    const put = await asked(at, '/debug/flags/v', { method: 'PUT', body: '3' })
    assert.is(put.text, 'successfully set klog.logging.verbosity to 3')
    assert.equal(await asked(at, '/checkpoint/default/web/main', { method: 'POST' }), {
      status: 500,
      text: 'checkpointing of default/web/main failed (the runtime embedded-namespace writes no checkpoints)\n'.replace(
        'embedded-namespace',
        node.status?.nodeInfo?.containerRuntimeVersion.replace(/:.*/, '') ?? '',
      ),
    })

    assert.is((await asked(at, '/exec/default/none/main?command=ls&output=1')).status, 400)
    assert.equal(await asked(at, '/containerLogs/default/none/main'), {
      status: 404,
      text: 'pod "none" does not exist\n',
    })
    for (const path of ['/logs/..%2f..%2fetc%2fhosts', '/logs/%2e%2e/%2e%2e/etc/hosts']) {
      assert.is((await asked(at, path)).status, 404)
    }
    for (const path of ['/nothing', '/pods/x', '/metrics/other', '/stats/other/summary']) {
      assert.is((await asked(at, path)).status, 404, path)
    }
    for (const method of ['POST', 'DELETE']) {
      assert.is((await asked(at, '/pods', { method })).status, 405)
    }

    for (const path of ['/pods', '/stats/summary', '/metrics', '/metrics/cadvisor', '/healthz']) {
      assert.is((await askedPlainly(readOnly, path)).status, 200, path)
    }
    for (const path of ['/runningpods/', '/containerLogs/default/web/main', '/logs/', '/exec/a']) {
      const refusal = { status: 405, text: 'Debug endpoints are disabled.\n' }
      assert.equal(await askedPlainly(readOnly, path), refusal)
    }
    assert.is((await askedPlainly(readOnly, '/configz')).status, 404)
    assert.is((await askedPlainly(readOnly, '/checkpoint/default/web/main')).status, 404)
    assert.equal([known.fileCheckFrequency, known.httpCheckFrequency], ['20s', '20s'])
    await own.delete('web')
    await until('it is gone', async () => (await own.find('web')) === undefined)
  } finally {
    assert.is(await agent.stop(), 0)
  }
})

// D4.2, D4.3
port('without handlers nothing but what is known of pods is told', async () => {
  const { agent, at } = await agentWith('closed', 'n3', [
    ...['--hostname-override=n3', '--healthz-port=0', '--enable-debugging-handlers=false'],
    ...['--anonymous-auth', '--authorization-mode=AlwaysAllow', '--read-only-port=0'],
  ])
  try {
    assert.is((await asked(at, '/pods')).status, 200)
    const refusal = { status: 405, text: 'Debug endpoints are disabled.\n' }
    for (const path of ['/run/a/b/c', '/containerLogs/a/b/c', '/debug/pprof/', '/logs/']) {
      assert.equal(await asked(at, path), refusal)
    }
    assert.is((await asked(at, '/configz')).status, 404)
    assert.match(await upgraded(at, '/exec/a/b/c?command=ls&output=1'), /^HTTP\/1\.1 405 /)
    const { code, stdout } = await runNode(command, ['--help'])
    assert.is(code, 0)
    for (const [flag, value] of [
      ...[['port', '10250'] as const, ['read-only-port', '10255'] as const],
      ...[['healthz-port', '10248'] as const, ['healthz-bind-address', '127.0.0.1'] as const],
    ]) {
      assert.match(stdout, new RegExp(`--${flag} [^(]*\\(default\\s+"?${value}`))
    }
    const listening = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)
    const ports = await portsOf(agent.process.pid ?? 0, listening)
    assert.equal(ports, [at], 'a port of 0 is none: neither the one that reads nor that of health')
  } finally {
    assert.is(await agent.stop(), 0)
  }
})

// D1.4, D1.5, G-08
port('pods of a URL run, and containers that the agent did not start are left alone', async () => {
  const pod = {
    ...{ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'told' } },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'main', image: 'host/sh', args: ['-c', 'sleep 1000'] }],
    },
  }
  const seen = new Set<string | undefined>()
  let items: readonly object[] = [pod]
  const source = createHttpServer(({ headers }, response) => {
    seen.add(headers['x-who'] as string | undefined)
    response.end(JSON.stringify({ kind: 'PodList', apiVersion: 'v1', items }))
  })
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve))
  const { port: from } = source.address() as AddressInfo
  const other = createEmbeddedRuntime({
    ...{ folder: join(folder, 'other'), level: probeLevel().level, version: '1' },
    clock: systemClock,
  })
  const foreign = await startForeign(other)
  const { agent } = await agentWith('url', 'n4', [
    ...['--hostname-override=n4', '--healthz-port=0', `--manifest-url=http://127.0.0.1:${from}/`],
    ...['--manifest-url-header=X-Who:n4', '--http-check-frequency=100ms'],
  ])
  try {
    const own = plane.client.resource(pods).in('default')
    const mirror = await until('it runs', async () => {
      const found = await own.find('told-n4')
      return found?.status?.phase === 'Running' ? found : undefined
    })
    assert.is(mirror.metadata.annotations?.['orch.io/config.source'], 'http')
    assert.equal([...seen], ['n4'])
    items = []
    await until('it goes with its manifest', async () => (await own.find('told-n4')) === undefined)
    assert.is((await other.containerStatus(foreign.id)).state, 'running')
  } finally {
    assert.is(await agent.stop(), 0)
    source.close()
    await other.removePodSandbox(foreign.sandboxId)
    await other.close()
  }
})

// D5.4
port(
  'what the server allows is kept for five minutes, and what it refuses for half a one',
  async () => {
    const clock = fakeClock()
    const { client } = plane
    const times = { allowedMs: 300_000, refusedMs: 30_000 }
    const authorizer = accessReviewAuthorizer({ client, clock, ...times })
    const may = async () => {
      const user = { username: 'ann', groups: [] }
      const asks = { user, verb: 'get', group: '', version: 'v1', resource: 'nodes' } as const
      return (await authorizer.authorize({ ...asks, subresource: 'stats', name: 'n1' })).decision
    }
    const refused = await may()
    assert.is.not(refused, 'Allow')
    await client.resource(clusterRoles).create({
      metadata: { name: 'stats' },
      rules: [{ apiGroups: [''], resources: ['nodes/stats'], verbs: ['get'] }],
    })
    await client.resource(clusterRoleBindings).create({
      metadata: { name: 'stats' },
      roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'ClusterRole', name: 'stats' },
      subjects: [{ apiGroup: 'rbac.authorization.orch.io', kind: 'User', name: 'ann' }],
    })
    clock.advance(29_999)
    assert.is(await may(), refused)
    clock.advance(1)
    assert.is(await may(), 'Allow')
    await client.resource(clusterRoleBindings).delete('stats')
    clock.advance(299_999)
    assert.is(await may(), 'Allow')
    clock.advance(1)
    assert.is(await may(), refused)
  },
)

/** A container of somebody else. */
async function startForeign(runtime: ContainerRuntime) {
  const sandboxId = await runtime.runPodSandbox({
    ...{ name: 'foreign', namespace: 'default', uid: 'foreign', attempt: 0, hostname: 'foreign' },
    ...{ logDirectory: join(folder, 'other-logs'), labels: {}, annotations: {}, hostNetwork: true },
  })
  const id = await runtime.createContainer(sandboxId, {
    ...{ name: 'main', attempt: 0, image: 'host/sh', command: [], args: ['-c', 'sleep 1000'] },
    ...{ workingDirectory: '', environment: [], mounts: [], labels: {}, annotations: {} },
    ...{ logPath: 'main/0.log', readonlyRoot: false, user: {}, tty: false, stdin: 'none' },
  })
  await runtime.startContainer(id)
  return { id, sandboxId }
}

/** The ports of IPv4 at which a process listens. */
async function portsOf(pid: number, lines: readonly string[]): Promise<readonly number[]> {
  const folderOf = `/proc/${pid}/fd`
  const links = await Promise.all(
    (await readdir(folderOf)).map((fd) => readlink(join(folderOf, fd)).catch(() => '')),
  )
  const inodes = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]))
  return lines.flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/)
    const isOwn = state === '0A' && inodes.has(inode)
    return isOwn ? [Number.parseInt(local.replace(/.*:/, ''), 16)] : []
  })
}

port.run()
