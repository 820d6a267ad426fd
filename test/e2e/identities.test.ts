/** kubectl and the JavaScript client as different users: tokens, service accounts, impersonation (N-07, N-11, N-13, N-14), and from within a cluster by a projected token (N-18, Q-15). */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { packageRoot } from '../../codegen/main.ts'
import { type RunningApiServer, startApiServer } from '../../runtime/apiserver/apiserver.ts'
import { parseStaticTokens } from '../../runtime/auth/auth.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import { silentLog } from '../../runtime/observe/observe.ts'
import { compiledScheme } from '../../tools/orch/compiled-scheme.ts'
import { createAuthority } from '../support/authority.ts'
import { defaultKubectl, type Kubectl, kubectl } from '../support/kubectl.ts'
import { newSigningKey } from '../support/service-accounts.ts'
import { tempDirectory } from '../support/temp.ts'
import { writeOrchconfig } from '../support/token-server.ts'

const binary = defaultKubectl()
if (binary === undefined) console.log('SKIP kubectl: there is no kubectl in PATH')
else describe(binary)

/** Under the public names: the commands of kubectl that are about identity know no others. */
function describe(file: string): void {
  const tests = suite('e2e: identities')
  const home = tempDirectory()
  const authority = createAuthority()
  let running: RunningApiServer
  let admin: Kubectl

  function kubectlWith(user: string): Kubectl {
    return kubectl(file, writeOrchconfig(running.url, authority.root, user), home)
  }

  tests.before(async () => {
    const names = join(packageRoot, 'schemas/platform/kubernetes.yaml')
    const scheme = await compiledScheme({ platform: names }, console.error)
    assert.ok(scheme)
    const key = newSigningKey()
    running = await startApiServer({
      scheme,
      storage: { kind: 'memory' },
      clock: systemClock,
      log: silentLog,
      secure: { host: '127.0.0.1', port: 0, certificate: authority.issue(['localhost']) },
      authentication: {
        anonymous: false,
        staticTokens: parseStaticTokens('admin,jane,1,"dev,ops"\n').users,
        serviceAccounts: { signingKey: () => key },
      },
    })
    admin = kubectlWith('{ token: admin }')
    await admin.ok('create serviceaccount robot')
  })
  tests.after(() => running?.stop())

  tests('a token names its user', async () => {
    const who = await admin.ok('auth whoami')
    assert.match(who, /Username +jane/)
    assert.match(who, /Groups +\[dev ops system:authenticated\]/)
  })

  tests('a wrong token, and none, are refused', async () => {
    const wrong = await kubectlWith('{ token: wrong }').run('get namespaces')
    assert.is(wrong.code, 1)
    assert.match(wrong.stderr, /Unauthorized|provide credentials/)
    const none = await kubectlWith('{}').run('get namespaces')
    assert.is(none.code, 1)
  })

  tests('create token gives one that --token acts by', async () => {
    const token = (await admin.ok('create token robot --duration=20m')).trim()
    const robot = kubectlWith('{}')
    const who = await robot.ok(`auth whoami --token=${token}`)
    assert.match(who, /Username +system:serviceaccount:default:robot/)
    assert.match(who, 'system:serviceaccounts:default')
    const short = await admin.run('create token robot --duration=1m')
    assert.match(short.stderr, 'may not specify a duration less than 10 minutes')
  })

  tests('--as, --as-group and --as-uid act as another', async () => {
    const who = await admin.ok('auth whoami --as=ann --as-group=qa --as-group=dev --as-uid=7')
    assert.match(who, /Username +ann/)
    assert.match(who, /UID +7/)
    assert.match(who, /Groups +\[qa dev system:authenticated\]/)
    const alone = await admin.run('get namespaces --as-group=qa')
    assert.is(alone.code, 1)
  })

  tests(
    'a pod gets a volume with a token, and a program in it finds the server by that',
    async () => {
      const spec = { serviceAccountName: 'robot', containers: [{ name: 'a', image: 'a' }] }
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec }
      await admin.ok('create -f -', JSON.stringify(pod))
      const stored = JSON.parse(await admin.ok('get pod web -o json'))
      const [{ mountPath }] = stored.spec.containers[0].volumeMounts
      const { expirationSeconds } = stored.spec.volumes[0].projected.sources[0].serviceAccountToken
      const bound = `--bound-object-kind=Pod --bound-object-name=web --duration=${expirationSeconds}s`
      const token = (await admin.ok(`create token robot ${bound}`)).trim()
      const root = tempDirectory()
      await mkdir(join(root, mountPath), { recursive: true })
      await writeFile(join(root, mountPath, 'token'), token)
      await writeFile(join(root, mountPath, 'ca.crt'), authority.root)
      await writeFile(join(root, mountPath, 'namespace'), 'default')
      const { hostname, port } = new URL(running.url)
      await asJavaScriptClient(root, hostname, port)
      await asOwnClient(join(root, mountPath), hostname, port)
      await admin.ok('delete pod web --grace-period=0 --force')
      const gone = await kubectlWith('{}').run(`get namespaces --token=${token}`)
      assert.is(gone.code, 1)
    },
  )

  tests.run()
}

async function asJavaScriptClient(root: string, host: string, port: string): Promise<void> {
  process.env.KUBERNETES_SERVICE_HOST = host
  process.env.KUBERNETES_SERVICE_PORT = port
  const config = new KubeConfig()
  config.loadFromCluster(root)
  const pods = await config.makeApiClient(CoreV1Api).listNamespacedPod({ namespace: 'default' })
  assert.equal(
    pods.items.map(({ metadata }) => metadata?.name),
    ['web'],
  )
}

async function asOwnClient(folder: string, host: string, port: string): Promise<void> {
  const { inClusterConfig } = await import('../../runtime/connection/connection.ts')
  const environment = { ORCH_SERVICE_HOST: host, ORCH_SERVICE_PORT: port }
  const { server, credentials } = await inClusterConfig({ environment, folder })
  assert.is(server, `https://${host}:${port}`)
  const { token = '' } = (await credentials?.current()) ?? {}
  assert.is(token.split('.').length, 3)
}
