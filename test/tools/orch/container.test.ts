/** What `orch package` writes, run: its manifests in a server that knows nothing else, and its container as a real process. */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseAllDocuments } from 'yaml'
import { packageRoot } from '../../../codegen/main.ts'
import { caches } from '../../../examples/caches/generated/apis/caches/v1/cache.ts'
import { caches as olderCaches } from '../../../examples/caches/generated/apis/caches/v1beta1/cache.ts'
import { ownerAnnotation } from '../../../examples/caches/webhook.ts'
import { statefulSets } from '../../../generated/apis/apps/v1/stateful-set.ts'
import { leases } from '../../../generated/apis/coordination/v1.ts'
import { platform } from '../../../generated/platform.ts'
import { type RunningApiServer, startApiServer } from '../../../runtime/apiserver/apiserver.ts'
import { type Client, createClient } from '../../../runtime/client/client.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { isStatus } from '../../../runtime/kernel/errors/status-error.ts'
import { silentLog } from '../../../runtime/observe/observe.ts'
import { compiledScheme } from '../../../tools/orch/compiled-scheme.ts'
import { runPackage } from '../../../tools/orch/package.ts'
import { createAuthority } from '../../support/authority.ts'
import { type ContainerSpec, canMount, probe, runContainer } from '../../support/container.ts'
import { hangSignal } from '../../support/deadline.ts'
import { tempDirectory } from '../../support/temp.ts'
import { until } from '../../support/until.ts'

const test = suite('tools/orch: the container of a package')

const built = fileURLToPath(new URL('../../../examples/caches/', import.meta.url))
const name = 'cache-operator'
const token = 'the-token-of-the-service-account'

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

/** The package of the example, as manifests and as the command that its image runs. */
async function packaged(healthPort: number, webhookPort: number) {
  const out = tempDirectory()
  const ports = ['--health-port', `${healthPort}`, '--webhook-port', `${webhookPort}`]
  const schemas = join(packageRoot, 'examples/caches/schemas')
  const what = ['--controllers', join(built, 'controller.js'), '--schemas', schemas]
  const args = [...what, ...ports, '--image', `example.com/${name}:v1`, '--main', 'main.js']
  const note = (line: string) => line
  const terminal = { environment: {}, width: 100, print: note, printError: note }
  assert.is(await runPackage({ ...terminal, args: [...args, '--out', out] }), 0)
  const text = readFileSync(join(out, `${name}.yaml`), 'utf8')
  const [, entry = ''] = /ENTRYPOINT (.*)/.exec(readFileSync(join(out, 'Dockerfile'), 'utf8')) ?? []
  const manifests = parseAllDocuments(text).map((one) => one.toJS() as Manifest)
  const deployment = manifests.find(({ kind }) => kind === 'Deployment') as unknown as {
    readonly spec: {
      readonly template: { readonly spec: { readonly containers: [ContainerSpec] } }
    }
  }
  const [container] = deployment.spec.template.spec.containers
  const [node, main] = JSON.parse(entry) as [string, string]
  return { manifests, container, command: [node, join(built, main)] }
}

/** Two ports that are free now. */
async function freePorts(): Promise<readonly [number, number]> {
  const servers = [createServer().listen(0), createServer().listen(0)]
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports as unknown as readonly [number, number]
}

const account = {
  username: `system:serviceaccount:${name}:${name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${name}`, 'system:authenticated'],
}

/** A cluster: TLS, tokens, roles, public names, and a network in which the operator's service leads to this machine. */
async function startCluster(webhookPort: number) {
  const names = join(packageRoot, 'schemas/platform/kubernetes.yaml')
  const scheme = await compiledScheme({ platform: names }, console.error)
  assert.ok(scheme)
  const authority = createAuthority()
  const server = await startApiServer({
    ...{ scheme, storage: { kind: 'memory' }, clock: systemClock, log: silentLog },
    secure: { port: 0, certificate: authority.issue(['localhost']) },
    authorization: { modes: ['RBAC'] },
    authenticator: {
      authenticate: ({ headers }) =>
        headers.authorization === `Bearer ${token}` ? { user: account } : undefined,
    },
    admission: { resolve: async () => ({ host: 'localhost', port: webhookPort }) },
  })
  const administrator = { username: 'admin', groups: ['system:masters', 'system:authenticated'] }
  const transport = {
    send: (request: Parameters<RunningApiServer['dispatch']>[0]) =>
      server.dispatch({ ...request, user: administrator }),
    close: async () => {},
  }
  return { server, authority, client: createClient(transport, { platform }) }
}

async function install(client: Client, manifests: readonly Manifest[]): Promise<void> {
  for (const manifest of manifests) {
    const resource = await client.dynamic(manifest)
    const { namespace } = manifest.metadata
    await (namespace === undefined ? resource : resource.in(namespace)).create(manifest as never)
  }
}

if (!canMount()) {
  console.log('SKIP container: programs may have no mounts of their own here (unshare -rm)')
} else {
  test('its manifests and its container are enough: rights, probes, certificate, lease, conversion, admission', async () => {
    const [healthPort, webhookPort] = await freePorts()
    const { manifests, container, command } = await packaged(healthPort, webhookPort)
    const { server, authority, client } = await startCluster(webhookPort)
    await install(client, manifests)
    const folder = tempDirectory()
    for (const [file, text] of Object.entries({ token, 'ca.crt': authority.root, namespace: name }))
      writeFileSync(join(folder, file), text)
    const { hostname: host, port } = new URL(server.url)
    const place = { podName: `${name}-0`, namespace: name, account: folder }
    const program = runContainer(command, container, {
      ...place,
      server: { host, port: Number(port) },
    })
    const exited = once(program, 'exit', { signal: hangSignal() })
    program.stdout?.resume()
    try {
      await until('a program that is ready', async () => {
        assert.is(program.exitCode, null, 'the program runs')
        return (await probe(container, container.readinessProbe)) === 200
      })
      assert.is(await probe(container, container.livenessProbe), 200)
      const old = client.resource(olderCaches)
      const made = await until('a webhook that is trusted', () =>
        old.create({ metadata: { name: 'c' }, spec: { size: 3 } }),
      )
      assert.is(made.metadata.annotations?.[ownerAnnotation], 'admin')
      const servers = await until('servers', () => client.resource(statefulSets).find('c'))
      assert.is(servers.spec?.replicas, 3)
      await until('a status', async () => (await old.get('c')).status?.ready === 0)
      const refused = await old.mergePatch('c', { spec: { size: 0 } }).catch((error) => error)
      assert.ok(isStatus(refused, 'Invalid'), String(refused))
      assert.equal((await client.resource(caches).get('c')).spec, { servers: 3 })
      const lease = await client.resource(leases).in(name).get(name)
      assert.ok(lease.spec?.holderIdentity)
      program.kill('SIGTERM')
      assert.equal(await exited, [0, null])
    } finally {
      program.kill('SIGKILL')
      await server.stop()
    }
  })
}

test.run()
