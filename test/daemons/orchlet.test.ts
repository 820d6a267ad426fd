import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { leases } from '../../generated/apis/coordination/v1.ts'
import { configMaps } from '../../generated/apis/core/v1/config-map.ts'
import { events } from '../../generated/apis/core/v1/event.ts'
import { nodes } from '../../generated/apis/core/v1/node.ts'
import { persistentVolumes } from '../../generated/apis/core/v1/persistent-volume.ts'
import { persistentVolumeClaims } from '../../generated/apis/core/v1/persistent-volume-claim.ts'
import { type Pod, type PodSpec, pods } from '../../generated/apis/core/v1/pod.ts'
import { csiNodes } from '../../generated/apis/storage/v1/csi-node.ts'
import { openControlGroups, probeLevel } from '../../runtime/container-runtime/container-runtime.ts'
import type { Stored } from '../../runtime/kernel/meta/object.ts'
import { startControlPlane } from '../../runtime/testing/testing.ts'
import { runNode, startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const daemon = suite('daemons/orchlet')

const command = fileURLToPath(new URL('../../packed/orchlet.js', import.meta.url))
const { level, why } = probeLevel()
if (why !== '') console.log(`SKIP what needs volumes: ${why}`)
const withVolumes = level === 'namespace' ? daemon : daemon.skip

const container = (script: string) => ({
  ...{ name: 'main', image: 'host/sh', args: ['-c', script], terminationMessagePath: '/dev/end' },
})

const plane = await startControlPlane({ socket: true, controllers: [] })
const folder = tempDirectory()
const manifestFolder = join(folder, 'manifests')
mkdirSync(manifestFolder)
writeFileSync(join(folder, 'orchconfig'), plane.orchconfig ?? '')
/** An agent as a program of its own. */
const start = () =>
  startProgram(command, [
    ...[`--orchconfig=${join(folder, 'orchconfig')}`, `--root-dir=${join(folder, 'agent')}`],
    ...['--hostname-override=n1', '--healthz-port=0', '--fail-swap-on=false'],
    ...['--address=127.0.0.1', '--port=0', '--container-runtime-endpoint=embedded'],
    ...['--node-labels=tier=web', '--register-with-taints=a=b:NoSchedule'],
    ...[`--pod-manifest-path=${manifestFolder}`, '--file-check-frequency=100ms'],
    ...['--sync-frequency=200ms', '--cluster-dns=10.0.0.10', '--cluster-domain=cluster.local'],
  ])
let agent = await start()
const own = plane.client.resource(pods).in('default')
const create = (name: string, spec: Partial<PodSpec>) =>
  own.create({ metadata: { name }, spec: { nodeName: 'n1', ...spec } as PodSpec })
/** Waits until the pod looks so. */
const pod = (name: string, what: string, looks: (pod: Stored<Pod>) => unknown) =>
  until(`${name} ${what}`, async () => {
    const found = await own.get(name)
    return looks(found) ? found : undefined
  })
const remove = async (name: string) => {
  await own.delete(name, { gracePeriodSeconds: 1 })
  await until(`${name} is gone`, async () => (await own.find(name)) === undefined)
}
const reasonsOf = async (name: string) => {
  const { items } = await plane.client.resource(events).in('default').listAll()
  return items.filter((one) => one.involvedObject.name === name).map(({ reason }) => reason)
}

daemon.after(async () => {
  await agent.stop()
  await plane[Symbol.asyncDispose]()
})

const statusOf = (pod: Stored<Pod>) => pod.status?.containerStatuses?.[0]

daemon('everything that is wrong is said at once', async () => {
  const { code, stderr } = await runNode(command, [
    '--check-config',
    '--fail-swap-on=false',
    '--orchconfig=/nowhere/orchconfig',
    '--container-runtime-endpoint=tcp://somewhere',
    '--runonce',
    '--cpu-manager-policy-options=full-pcpus-only=true',
    '--image-credential-provider-config=/nowhere/providers',
    '--image-credential-provider-bin-dir=/nowhere',
  ])
  assert.is(code, 1)
  for (const text of [
    /orchconfig \/nowhere\/orchconfig: there is no such/,
    /tcp:\/\/somewhere: expected unix:\/\/\/PATH/,
    /--runonce: not together/,
    /--cpu-manager-policy-options has no effect/,
    /\/nowhere\/providers/,
  ])
    assert.match(stderr, text)
})

daemon(
  'a runtime that was asked for and does not answer is told, and no other is used',
  async () => {
    const folder = tempDirectory()
    const { code, stderr } = await runNode(command, [
      ...[`--pod-manifest-path=${folder}`, `--root-dir=${join(folder, 'agent')}`],
      ...['--healthz-port=0', '--fail-swap-on=false'],
      `--container-runtime-endpoint=unix://${folder}/no.sock`,
    ])
    assert.is(code, 1)
    assert.match(
      stderr,
      /the runtime at unix:\/\/\S+no\.sock cannot be used: .*; start it, or give/,
    )
  },
)

// D1.4, D1.5, D1.6
daemon(
  'without a server it runs the pods of a folder, and says what is wrong with others',
  async () => {
    const folder = tempDirectory()
    const manifests = join(folder, 'manifests')
    mkdirSync(manifests)
    const pod = {
      ...{ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'web' } },
      spec: { containers: [container('echo here; sleep 1000')] },
    }
    writeFileSync(join(manifests, 'web.yaml'), JSON.stringify(pod))
    writeFileSync(join(manifests, '.hidden'), 'no manifest')
    const agent = await startProgram(command, [
      ...[`--pod-manifest-path=${manifests}`, `--root-dir=${join(folder, 'agent')}`],
      '--container-runtime-endpoint=embedded',
      ...['--fail-swap-on=false', '--healthz-port=0', '--hostname-override=n1', '--port=0'],
      '--file-check-frequency=100ms',
    ])
    let errors = ''
    agent.process.stderr?.on('data', (text) => {
      errors += text
    })
    const logs = join(folder, 'agent/log/pods')
    await until('its line is in the log', () => {
      const [name] = readdirSync(logs)
      return (
        name?.startsWith('default_web-n1_') &&
        readFileSync(join(logs, name, 'main/0.log'), 'utf8').includes(' F here')
      )
    })
    writeFileSync(
      join(manifests, 'wrong.yaml'),
      'kind: Pod\nmetadata: {name: wrong}\nspec:\n  containers: 7\n  wants: more\n',
    )
    await until('both mistakes are told', () =>
      [/wrong\.yaml:4:3: spec\.containers: /, /wrong\.yaml:5:3: spec\.wants: unknown field/].every(
        (one) => one.test(errors),
      ),
    )
    rmSync(join(manifests, 'web.yaml'))
    await until('the pod is gone', () => readdirSync(logs).length === 0)
    assert.is(await agent.stop(), 0)
    assert.not.match(errors, 'hidden')
  },
)

daemon('the node is registered, ready, and has a lease [T-10] [G-06] [G-07]', async () => {
  const node = await plane.client.resource(nodes).get('n1')
  assert.is(node.metadata.labels?.['orch.io/hostname'], 'n1')
  assert.is(node.metadata.labels?.tier, 'web')
  assert.ok(node.spec?.taints?.some(({ key, effect }) => key === 'a' && effect === 'NoSchedule'))
  const conditions = node.status?.conditions?.map(({ type, status, reason }) => [
    type,
    status,
    reason,
  ])
  assert.equal(conditions?.at(-1), ['Ready', 'True', 'OrchletReady'])
  assert.match(
    node.status?.nodeInfo?.containerRuntimeVersion ?? '',
    /^embedded-(process|namespace):/,
  )
  assert.is(node.status?.capacity?.pods, '110')
  const held = plane.client.resource(leases).in('orch-node-lease')
  const lease = await until('there is a lease', () => held.find('n1'))
  assert.equal(
    ['orch.io/os', 'orch.io/arch', 'beta.orch.io/os', 'beta.orch.io/arch'].filter(
      (key) => node.metadata.labels?.[key] === undefined,
    ),
    [],
  )
  assert.ok(await until('there is a CSINode', () => plane.client.resource(csiNodes).find('n1')))
  const told = () => plane.client.resource(events).in('default').listAll()
  await until('events tell of it', async () => {
    const reasons = (await told()).items.map(({ reason }) => reason)
    return ['Starting', 'NodeReady'].every((one) => reasons.includes(one))
  })
  assert.equal([lease.spec?.holderIdentity, lease.spec?.leaseDurationSeconds], ['n1', 40])
})

daemon(
  'a label under the domain of the platform that is none of an agent is refused [G-06]',
  async () => {
    const { code, stderr } = await runNode(command, [
      ...['--check-config', '--fail-swap-on=false', '--pod-manifest-path=/nowhere'],
      '--node-labels=orch.io/made-up=x',
    ])
    assert.is(code, 1)
    assert.match(stderr, /orch\.io\/made-up/)
  },
)

daemon('a pod of a manifest has a mirror, which comes again, and goes with it [G-08]', async () => {
  const file = join(manifestFolder, 'web.yaml')
  const spec = { containers: [container('sleep 1000')], terminationGracePeriodSeconds: 1 }
  const manifest = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'web' }, spec }
  writeFileSync(file, JSON.stringify(manifest))
  const isRunning = (one: Stored<Pod>) => statusOf(one)?.state?.running !== undefined
  const mirror = await until('there is a mirror', () => own.find('web-n1'))
  const runs = await pod('web-n1', 'runs', isRunning)
  const { annotations = {}, ownerReferences = [] } = mirror.metadata
  assert.is(annotations['orch.io/config.mirror'], annotations['orch.io/config.hash'])
  assert.is(annotations['orch.io/config.source'], 'file')
  assert.ok(annotations['orch.io/config.seen'])
  const [owner] = ownerReferences
  assert.equal([owner?.kind, owner?.name, owner?.controller], ['Node', 'n1', true])
  await own.delete('web-n1', { gracePeriodSeconds: 0 })
  const next = await until('it comes again', async () => {
    const found = await own.find('web-n1')
    return found && found.metadata.uid !== mirror.metadata.uid && isRunning(found) && found
  })
  assert.is(statusOf(next)?.containerID, statusOf(runs)?.containerID)
  rmSync(file)
  await until('it goes', async () => (await own.find('web-n1')) === undefined)
})

daemon('a pod runs, tells so, and is gone when it is deleted [G-11]', async () => {
  await create('web', {
    containers: [container('trap "exit 0" TERM; while :; do sleep 0.05; done')],
  })
  const ready = await pod('web', 'is ready', ({ status }) =>
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
  )
  assert.is(ready.status?.phase, 'Running')
  assert.match(statusOf(ready)?.containerID ?? '', /^embedded-\w+:\/\/[0-9a-f]{64}$/)
  const told = () => plane.client.resource(events).in('default').listAll()
  await until('events tell it', async () => {
    const reasons = (await told()).items.map(({ reason }) => reason)
    return ['Pulled', 'Created', 'Started'].every((one) => reasons.includes(one))
  })
  await own.delete('web')
  await until('it is gone', async () => (await own.find('web')) === undefined)
})

daemon(
  'a pod whose image, command or settings are not there says why, and others go on',
  async () => {
    const containers = (more: object) => [{ ...container('exit 3'), ...more }]
    await create('no-image', { containers: containers({ image: 'nginx' }) })
    await create('no-command', { containers: containers({ command: ['/no/such'] }) })
    const valueFrom = { configMapKeyRef: { name: 'later', key: 'a' } }
    await create('no-map', { containers: containers({ env: [{ name: 'A', valueFrom }] }) })
    await create('crash', { containers: containers({}) })
    await create('never', { containers: containers({}), restartPolicy: 'Never' })
    const waiting = (name: string, reason: string) =>
      pod(name, reason, (one) => statusOf(one)?.state?.waiting?.reason === reason)
    await waiting('no-image', 'ImagePullBackOff')
    await waiting('no-map', 'CreateContainerConfigError')
    const crashed = await waiting('crash', 'CrashLoopBackOff')
    assert.is(statusOf(crashed)?.lastState?.terminated?.exitCode, 3)
    const absent = await waiting('no-command', 'CrashLoopBackOff')
    const { reason, message = '' } = statusOf(absent)?.lastState?.terminated ?? {}
    assert.is(reason, 'ContainerCannotRun')
    assert.match(message, /no such file or directory/)
    await create('root', {
      containers: containers({ securityContext: { runAsNonRoot: true } }),
    })
    const refused = await waiting('root', 'CreateContainerConfigError')
    assert.match(statusOf(refused)?.state?.waiting?.message ?? '', /will run as root/)
    const failed = await pod('never', 'has failed', ({ status }) => status?.phase === 'Failed')
    assert.is(statusOf(failed)?.state?.terminated?.reason, 'Error')
    for (const name of ['no-image', 'no-command', 'no-map', 'crash', 'never', 'root'])
      await remove(name)
  },
)

daemon('an agent that was killed adopts what runs, and nothing is started again', async () => {
  await create('web', { containers: [container('sleep 1000')] })
  const isRunning = (one: Stored<Pod>) => statusOf(one)?.state?.running !== undefined
  const before = await pod('web', 'runs', isRunning)
  await agent.stop('SIGKILL')
  agent = await start()
  await create('other', { containers: [container('sleep 1000')] })
  await pod('other', 'runs', isRunning)
  const after = await own.get('web')
  assert.is(statusOf(after)?.containerID, statusOf(before)?.containerID)
  assert.is(statusOf(after)?.restartCount, 0)
  for (const name of ['web', 'other']) await own.delete(name, { gracePeriodSeconds: 1 })
  await until(
    'they are gone',
    async () => (await own.find('web')) === undefined && (await own.find('other')) === undefined,
  )
})

withVolumes('volumes are at their places, and follow what they are made of', async () => {
  const maps = plane.client.resource(configMaps).in('default')
  await maps.create({ metadata: { name: 'words' }, data: { word: 'one\n' } })
  const script =
    'echo "$WORD $POD $(cat /etc/words/own)" > /dev/end; while :; do cat /etc/words/word; sleep 0.05; done'
  await create('web', {
    volumes: [
      {
        name: 'words',
        projected: {
          sources: [
            { configMap: { name: 'words' } },
            {
              downwardAPI: {
                items: [{ path: 'own', fieldRef: { fieldPath: 'metadata.namespace' } }],
              },
            },
          ],
        },
      },
    ],
    containers: [
      {
        ...container(script),
        env: [
          { name: 'WORD', valueFrom: { configMapKeyRef: { name: 'words', key: 'word' } } },
          { name: 'POD', value: 'x-$(HOSTNAME)-$(NONE)' },
        ],
        volumeMounts: [{ name: 'words', mountPath: '/etc/words' }],
      },
    ],
  })
  const logs = join(folder, 'agent/log/pods')
  const log = () => {
    const name = readdirSync(logs).find((one) => one.startsWith('default_web_'))
    return name ? readFileSync(join(logs, name, 'main/0.log'), 'utf8') : ''
  }
  await until('it says one', () => log().includes(' F one'))
  await maps.mergePatch('words', { data: { word: 'two\n' } })
  await until('it says two', () => log().includes('two'))
  await own.delete('web', { gracePeriodSeconds: 1 })
  await until('it is gone', async () => (await own.find('web')) === undefined)
  assert.equal(readdirSync(join(folder, 'agent/pods')), [])
})

// D1.4
daemon('a container that fails its liveness probe is started again', async () => {
  const livenessProbe = { exec: { command: ['false'] }, periodSeconds: 1, failureThreshold: 1 }
  const spec = {
    containers: [{ ...container('sleep 1000'), livenessProbe }],
    terminationGracePeriodSeconds: 1,
  }
  await create('web', spec)
  await pod('web', 'was started again', (one) => (statusOf(one)?.restartCount ?? 0) > 0)
  await own.delete('web', { gracePeriodSeconds: 1 })
  await until('it is gone', async () => (await own.find('web')) === undefined)
})

daemon('hooks run, and what a container says at its end is told', async () => {
  const hook = (text: string) => ({ exec: { command: ['sh', '-c', text] } })
  await create('hooks', {
    containers: [
      {
        ...container('until [ -e begun ]; do sleep 0.05; done; sleep 1000'),
        lifecycle: { postStart: hook('touch begun'), preStop: hook('exit 7') },
        readinessProbe: { exec: { command: ['test', '-e', 'begun'] }, periodSeconds: 1 },
      },
    ],
  })
  const spec = { restartPolicy: 'Never' as const }
  const terminationMessagePolicy = 'FallbackToLogsOnError' as const
  await create('last-words', {
    ...spec,
    containers: [{ ...container('echo gone wrong; exit 4'), terminationMessagePolicy }],
  })
  const lifecycle = { postStart: hook('exit 9') }
  await create('bad-start', {
    ...spec,
    containers: [{ ...container('sleep 1000'), lifecycle }],
    terminationGracePeriodSeconds: 1,
  })
  const ended = (name: string) =>
    pod(name, 'has ended', (one) => statusOf(one)?.state?.terminated !== undefined)
  assert.is(statusOf(await ended('last-words'))?.state?.terminated?.message, 'gone wrong')
  await ended('bad-start')
  await pod('hooks', 'is ready', (one) => statusOf(one)?.ready)
  for (const name of ['hooks', 'last-words', 'bad-start']) await remove(name)
  await until('events tell of both hooks', async () => {
    const reasons = [...(await reasonsOf('hooks')), ...(await reasonsOf('bad-start'))]
    return ['FailedPreStopHook', 'FailedPostStartHook'].every((one) => reasons.includes(one))
  })
})

withVolumes('a volume that cannot be mounted keeps its pod alone from running', async () => {
  const absent = { name: 'data', hostPath: { path: '/no/such/folder', type: 'Directory' as const } }
  const claimed = { name: 'data', persistentVolumeClaim: { claimName: 'nothing' } }
  await create('unmounted', { containers: [container('sleep 1000')], volumes: [absent] })
  await create('unclaimed', { containers: [container('sleep 1000')], volumes: [claimed] })
  await create('web', { containers: [container('sleep 1000')] })
  await pod('web', 'runs', (one) => statusOf(one)?.state?.running !== undefined)
  for (const name of ['unmounted', 'unclaimed']) {
    await until(`an event tells of ${name}`, async () =>
      (await reasonsOf(name)).includes('FailedMount'),
    )
    await pod(name, 'waits', (one) => {
      const { waiting } = statusOf(one)?.state ?? {}
      return waiting?.reason === 'ContainerCreating'
    })
  }
  for (const name of ['unmounted', 'unclaimed', 'web']) await remove(name)
})

// D1.4
daemon('a container that hangs and is deaf is killed, and others go on', async () => {
  const livenessProbe = {
    exec: { command: ['sleep', '1000'] },
    ...{ timeoutSeconds: 1, periodSeconds: 1, failureThreshold: 1 },
  }
  const deaf = container('trap "" TERM; while :; do sleep 0.1; done')
  const spec = { containers: [{ ...deaf, livenessProbe }], terminationGracePeriodSeconds: 1 }
  await create('hung', spec)
  await create('web', { containers: [container('sleep 1000')] })
  const again = await pod('hung', 'was started again', (one) => statusOf(one)?.restartCount)
  assert.is(statusOf(again)?.lastState?.terminated?.exitCode, 137)
  const { items } = await plane.client.resource(events).in('default').listAll()
  assert.ok(
    items.some(({ message = '' }) =>
      /^Liveness probe failed: .* timed out after 1s$/.test(message),
    ),
  )
  assert.is(statusOf(await own.get('web'))?.restartCount, 0)
  for (const name of ['hung', 'web']) await remove(name)
})

daemon(
  'pods of a folder and of an address run together, and stay while neither answers',
  async () => {
    const folder = tempDirectory()
    const manifests = join(folder, 'manifests')
    mkdirSync(manifests)
    const manifest = (name: string) => ({
      ...{ kind: 'Pod', apiVersion: 'v1', metadata: { name } },
      spec: { containers: [container('sleep 1000')], terminationGracePeriodSeconds: 1 },
    })
    writeFileSync(join(manifests, 'one.json'), JSON.stringify(manifest('one')))
    let items = ['two', 'three']
    let status = 500
    let asked = 0
    const server = createServer((request, response) => {
      asked += 1
      response.statusCode = request.headers.authorization === 'Bearer x' ? status : 401
      const list = { kind: 'PodList', apiVersion: 'v1', items: items.map(manifest) }
      response.end(JSON.stringify(list))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const agent = await startProgram(command, [
      ...[`--pod-manifest-path=${manifests}`, `--root-dir=${join(folder, 'agent')}`],
      ...['--container-runtime-endpoint=simulated', '--fail-swap-on=false', '--healthz-port=0'],
      ...['--hostname-override=n1', '--port=0', '--file-check-frequency=50ms'],
      ...[`--manifest-url=http://127.0.0.1:${port}/pods`, '--http-check-frequency=50ms'],
      '--manifest-url-header=Authorization:Bearer x',
    ])
    const names = () =>
      readdirSync(join(folder, 'agent/log/pods'))
        .map((name) => name.split('_')[1])
        .sort()
        .join()
    await until('the folder is read though the address does not answer', () => names() === 'one-n1')
    status = 200
    await until('all of them run', () => names() === 'one-n1,three-n1,two-n1')
    status = 503
    const before = asked
    await until('it was asked again', () => asked > before + 2)
    assert.is(names(), 'one-n1,three-n1,two-n1')
    status = 200
    items = ['three']
    await until('one goes', () => names() === 'one-n1,three-n1')
    assert.is(await agent.stop(), 0)
    server.close()
  },
)

daemon('a machine that goes down ends its pods first, and takes no others', async () => {
  const file = join(folder, 'shutdown.yaml')
  writeFileSync(
    file,
    JSON.stringify({
      ...{ kind: 'OrchletConfiguration', apiVersion: 'orchlet.config.orch.io/v1beta1' },
      ...{ shutdownGracePeriod: '600s', shutdownGracePeriodCriticalPods: '300s' },
    }),
  )
  const going = await startProgram(command, [
    ...[`--orchconfig=${join(folder, 'orchconfig')}`, `--root-dir=${join(folder, 'going')}`],
    ...[`--config=${file}`, '--hostname-override=n2', '--healthz-port=0', '--port=0'],
    ...['--fail-swap-on=false', '--container-runtime-endpoint=embedded', '--address=127.0.0.1'],
  ])
  await create('leaves', { nodeName: 'n2', containers: [container('sleep 1000')] })
  await pod('leaves', 'runs', (one) => statusOf(one)?.state?.running)
  going.process.kill('SIGPWR')
  const left = await pod('leaves', 'has failed', ({ status }) => status?.phase === 'Failed')
  assert.is(left.status?.reason, 'Terminated')
  assert.match(left.status?.message ?? '', /imminent node shutdown/)
  await until('the node is not ready', async () => {
    const { status } = await plane.client.resource(nodes).get('n2')
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')
    return ready?.status === 'False' && ready.message === 'node is shutting down'
  })
  await create('refused', { nodeName: 'n2', containers: [container('sleep 1000')] })
  const refused = await pod('refused', 'has failed', ({ status }) => status?.phase === 'Failed')
  assert.is(refused.status?.reason, 'NodeShutdown')
  for (const name of ['leaves', 'refused']) await remove(name)
  assert.is(await going.stop(), 0)
})

const isRoot = process.getuid?.() === 0
if (!isRoot) console.log('SKIP users, memory and groups of volumes: they need root')
const asRoot = isRoot ? withVolumes : daemon.skip

asRoot('a pod has its user, its names, and volumes of memory and of a claim', async () => {
  const data = join(folder, 'data')
  mkdirSync(data)
  await plane.client.resource(persistentVolumes).create({
    metadata: { name: 'data' },
    spec: {
      ...{ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], local: { path: data } },
      claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'data' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'tier', operator: 'In', values: ['web'] }] },
          ],
        },
      },
    },
  })
  const claims = plane.client.resource(persistentVolumeClaims).in('default')
  const resources = { requests: { storage: '1Gi' } }
  const claim = await claims.create({
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources, volumeName: 'data' },
  })
  await claims.updateStatus({ ...claim, status: { phase: 'Bound' } })
  const script = [
    'echo "$(id -u) $(id -g) $(id -G)"; grep . /etc/resolv.conf',
    'echo x > /scratch/x && stat -c "scratch %g" /scratch/x; stat -f -c "memory %T" /memory',
    'echo y > /data/file; echo z > /own/name 2> /dev/null || echo fixed; sleep 1000',
  ].join('; ')
  const items = [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }]
  await create('user', {
    containers: [
      {
        ...container(script),
        volumeMounts: ['scratch', 'memory', 'data', 'own'].map((name) => ({
          ...{ name, mountPath: `/${name}` },
        })),
      },
    ],
    securityContext: { runAsUser: 1234, runAsGroup: 1235, fsGroup: 1236 },
    volumes: [
      { name: 'scratch', emptyDir: {} },
      { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
      { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'own', downwardAPI: { items } },
    ],
    terminationGracePeriodSeconds: 1,
  })
  const { metadata } = await pod('user', 'runs', (one) => statusOf(one)?.state?.running)
  const file = join(folder, 'agent/log/pods', `default_user_${metadata.uid}`, 'main/0.log')
  const lines = await until('it says all', () => {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    return text.includes('fixed') && text.replace(/^\S+ \S+ F /gm, '').split('\n')
  })
  assert.is(lines[0], '1234 1235 1235 1236')
  assert.ok(lines.includes('nameserver 10.0.0.10'))
  assert.ok(lines.some((one) => one.startsWith('search default.svc.cluster.local ')))
  assert.ok(lines.includes('scratch 1236'))
  assert.ok(lines.includes('memory tmpfs'))
  assert.is(readFileSync(join(data, 'file'), 'utf8'), 'y\n')
  await remove('user')
  assert.not(readFileSync('/proc/self/mounts', 'utf8').includes(metadata.uid))
})

const withLimits = typeof openControlGroups() === 'string' ? daemon.skip : asRoot
if (withLimits === daemon.skip) console.log('SKIP limits: control groups cannot be made here')

withLimits('a container that takes more memory than it may is ended, and told so', async () => {
  const resources = { limits: { memory: '32Mi' } }
  const script = 'x=$(head -c 200000000 /dev/zero | tr "\\0" a); echo "$x" | wc -c'
  await create('greedy', {
    restartPolicy: 'Never',
    containers: [{ ...container(script), resources }],
  })
  const failed = await pod('greedy', 'has failed', ({ status }) => status?.phase === 'Failed')
  const { reason, exitCode } = statusOf(failed)?.state?.terminated ?? {}
  assert.equal([reason, exitCode], ['OOMKilled', 137])
  await remove('greedy')
})

asRoot(
  'a disk that is full keeps no pod from running on; who fills it is sent away, and who takes memory where there is none',
  async () => {
    const disk = join(folder, 'disk')
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=0755', 'tmpfs', disk])
    const startThere = (...flags: readonly string[]) =>
      startProgram(command, [
        ...[`--orchconfig=${join(folder, 'orchconfig')}`, `--root-dir=${disk}`, '--port=0'],
        ...['--hostname-override=n3', '--healthz-port=0', '--fail-swap-on=false'],
        ...['--address=127.0.0.1', '--container-runtime-endpoint=embedded', ...flags],
      ])
    let full = await startThere('--eviction-hard=memory.available<1Ki')
    try {
      const data = { volumes: [{ name: 'data', emptyDir: {} }] }
      const volumeMounts = [{ name: 'data', mountPath: '/data' }]
      const on = (name: string, script: string, more: object = {}) =>
        create(name, { nodeName: 'n3', containers: [{ ...container(script), ...more }], ...data })
      const fills =
        'until [ -e /data/go ]; do sleep 0.05; done; cat /dev/zero > /data/all; sleep 1000'
      await on('speaks', 'i=0; while :; do i=$((i+1)); echo "line $i"; sleep 0.05; done')
      const { metadata } = await on('fills', fills, { volumeMounts })
      const runs = (one: Stored<Pod>) => statusOf(one)?.state?.running
      for (const name of ['speaks', 'fills']) await pod(name, 'runs', runs)
      writeFileSync(join(disk, 'pods', metadata.uid, 'volumes/data/go'), '')
      const left = () => statfsSync(disk).bavail
      await until('the disk is full', () => left() === 0)
      await on('late', 'sleep 1000')
      await until('it is told that there is no place', async () => {
        const { items } = await plane.client.resource(events).in('default').listAll()
        return items.some(
          ({ involvedObject, message }) =>
            involvedObject.name === 'late' && /ENOSPC|No space left/.test(message ?? ''),
        )
      })
      assert.is(full.process.exitCode, null)
      assert.ok(runs(await own.get('speaks')))
      assert.is(await full.stop(), 0)
      full = await startThere('--eviction-hard=nodefs.available<20%')
      const gone = await pod('fills', 'has failed', ({ status }) => status?.phase === 'Failed')
      assert.is(gone.status?.reason, 'Evicted')
      assert.match(
        gone.status?.message ?? '',
        /^The node was low on resource: ephemeral-storage\. /,
      )
      await until('the node tells of it', async () => {
        const { status } = await plane.client.resource(nodes).get('n3')
        const found = status?.conditions?.find(({ type }) => type === 'DiskPressure')
        return found?.status === 'True' && found.reason === 'OrchletHasDiskPressure'
      })
      await remove('fills')
      const late = await own.get('late')
      assert.equal([late.status?.phase, late.status?.reason], ['Failed', 'Evicted'])
      const again = await own.get('speaks')
      assert.equal([again.status?.phase, statusOf(again)?.restartCount], ['Running', 0])
      assert.is(await full.stop(), 0)
      full = await startThere('--eviction-hard=memory.available<100%')
      const needy = await pod('speaks', 'has failed', ({ status }) => status?.phase === 'Failed')
      assert.is(needy.status?.reason, 'Evicted')
      assert.match(needy.status?.message ?? '', /^The node was low on resource: memory\. /)
      await until('the node has too little memory', async () => {
        const { status } = await plane.client.resource(nodes).get('n3')
        const found = status?.conditions?.find(({ type }) => type === 'MemoryPressure')
        return found?.status === 'True' && found.reason === 'OrchletHasInsufficientMemory'
      })
      await on('eager', 'sleep 1000')
      const eager = await pod('eager', 'is refused', ({ status }) => status?.phase === 'Failed')
      assert.match(eager.status?.message ?? '', /had condition: \[MemoryPressure\]/)
      for (const name of ['speaks', 'late', 'eager']) await remove(name)
    } finally {
      await full.stop()
      execFileSync('umount', ['-l', disk])
    }
  },
)

daemon.run()
