import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { leases } from '../../generated/apis/coordination/v1.ts'
import { configMaps } from '../../generated/apis/core/v1/config-map.ts'
import { events } from '../../generated/apis/core/v1/event.ts'
import { nodes } from '../../generated/apis/core/v1/node.ts'
import { type Pod, type PodSpec, pods } from '../../generated/apis/core/v1/pod.ts'
import { csiNodes } from '../../generated/apis/storage/v1/csi-node.ts'
import { probeLevel } from '../../runtime/container-runtime/container-runtime.ts'
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

/** A control plane, and an agent as a program of its own. */
async function withNode(args: readonly string[] = []) {
  const plane = await startControlPlane({ socket: true, controllers: [] })
  const folder = tempDirectory()
  const config = join(folder, 'orchconfig')
  writeFileSync(config, plane.orchconfig ?? '')
  const flags = [
    ...[`--orchconfig=${config}`, `--root-dir=${join(folder, 'agent')}`, '--hostname-override=n1'],
    ...['--healthz-port=0', '--fail-swap-on=false', '--address=127.0.0.1', '--port=0'],
    ...['--container-runtime-endpoint=embedded', ...args],
  ]
  const start = () => startProgram(command, flags)
  const agent = await start()
  const own = plane.client.resource(pods).in('default')
  return {
    ...{ plane, folder, agent, start, own },
    create: (name: string, spec: Partial<PodSpec>) =>
      own.create({ metadata: { name }, spec: { nodeName: 'n1', ...spec } as PodSpec }),
    /** Waits until the pod looks so. */
    pod: (name: string, what: string, looks: (pod: Stored<Pod>) => unknown) =>
      until(`${name} ${what}`, async () => {
        const pod = await own.get(name)
        return looks(pod) ? pod : undefined
      }),
  }
}

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
  const { plane, agent } = await withNode([
    '--node-labels=tier=web',
    '--register-with-taints=a=b:NoExecute',
  ])
  const node = await plane.client.resource(nodes).get('n1')
  assert.is(node.metadata.labels?.['orch.io/hostname'], 'n1')
  assert.is(node.metadata.labels?.tier, 'web')
  assert.ok(node.spec?.taints?.some(({ key, effect }) => key === 'a' && effect === 'NoExecute'))
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
  await agent.stop()
  await plane[Symbol.asyncDispose]()
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
  const folder = tempDirectory()
  const file = join(folder, 'web.yaml')
  const spec = { containers: [container('sleep 1000')], terminationGracePeriodSeconds: 1 }
  const manifest = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'web' }, spec }
  writeFileSync(file, JSON.stringify(manifest))
  const flags = [`--pod-manifest-path=${folder}`, '--file-check-frequency=100ms']
  const { plane, agent, own, pod } = await withNode(flags)
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
  await agent.stop()
  await plane[Symbol.asyncDispose]()
})

daemon('a pod runs, tells so, and is gone when it is deleted [G-11]', async () => {
  const { plane, agent, own, create, pod } = await withNode()
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
  await agent.stop()
  await plane[Symbol.asyncDispose]()
})

daemon(
  'a pod whose image, command or settings are not there says why, and others go on',
  async () => {
    const { plane, agent, create, pod } = await withNode()
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
    const failed = await pod('never', 'has failed', ({ status }) => status?.phase === 'Failed')
    assert.is(statusOf(failed)?.state?.terminated?.reason, 'Error')
    await agent.stop()
    await plane[Symbol.asyncDispose]()
  },
)

daemon('an agent that was killed adopts what runs, and nothing is started again', async () => {
  const { plane, agent, start, create, own, pod } = await withNode()
  await create('web', { containers: [container('sleep 1000')] })
  const isRunning = (one: Stored<Pod>) => statusOf(one)?.state?.running !== undefined
  const before = await pod('web', 'runs', isRunning)
  await agent.stop('SIGKILL')
  const next = await start()
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
  await next.stop()
  await plane[Symbol.asyncDispose]()
})

withVolumes('volumes are at their places, and follow what they are made of', async () => {
  const { plane, agent, own, create, folder } = await withNode(['--sync-frequency=200ms'])
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
    const [name] = readdirSync(logs)
    return name ? readFileSync(join(logs, name, 'main/0.log'), 'utf8') : ''
  }
  await until('it says one', () => log().includes(' F one'))
  await maps.mergePatch('words', { data: { word: 'two\n' } })
  await until('it says two', () => log().includes('two'))
  await own.delete('web', { gracePeriodSeconds: 1 })
  await until('it is gone', async () => (await own.find('web')) === undefined)
  assert.equal(readdirSync(join(folder, 'agent/pods')), [])
  await agent.stop()
  await plane[Symbol.asyncDispose]()
})

// D1.4
daemon('a container that fails its liveness probe is started again', async () => {
  const { plane, agent, own, create, pod } = await withNode()
  const livenessProbe = { exec: { command: ['false'] }, periodSeconds: 1, failureThreshold: 1 }
  const spec = {
    containers: [{ ...container('sleep 1000'), livenessProbe }],
    terminationGracePeriodSeconds: 1,
  }
  await create('web', spec)
  await pod('web', 'was started again', (one) => (statusOf(one)?.restartCount ?? 0) > 0)
  await own.delete('web', { gracePeriodSeconds: 1 })
  await until('it is gone', async () => (await own.find('web')) === undefined)
  await agent.stop()
  await plane[Symbol.asyncDispose]()
})

daemon.run()
