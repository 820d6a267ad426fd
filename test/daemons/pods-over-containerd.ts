/** Pods of a real agent over a real containerd, whose socket is in CONTAINER_RUNTIME_SOCKET; run by `orchlet-containerd.test`. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { events } from '../../generated/apis/core/v1/event.ts'
import { nodes } from '../../generated/apis/core/v1/node.ts'
import { type Pod, type PodSpec, pods } from '../../generated/apis/core/v1/pod.ts'
import { connectCri } from '../../runtime/container-runtime/cri/cri-connection.ts'
import { systemClock } from '../../runtime/kernel/async/clock.ts'
import type { Stored } from '../../runtime/kernel/meta/object.ts'
import { startControlPlane } from '../../runtime/testing/testing.ts'
import { hangMs } from '../support/deadline.ts'
import { startProgram } from '../support/orch.ts'
import { tempDirectory } from '../support/temp.ts'
import { until } from '../support/until.ts'

const agents = suite('daemons/orchlet over containerd')

const command = fileURLToPath(new URL('../../packed/orchlet.js', import.meta.url))
const socket = process.env.CONTAINER_RUNTIME_SOCKET ?? ''
/** Without plugins for networks pods share that of the node. */
const hasNetwork = existsSync('/usr/lib/cni/bridge')
if (!hasNetwork) console.log('SKIP networks of pods: there are no plugins in /usr/lib/cni')

const plane = await startControlPlane({ socket: true, controllers: [] })
const folder = tempDirectory()
writeFileSync(join(folder, 'orchconfig'), plane.orchconfig ?? '')
const start = (...flags: readonly string[]) =>
  startProgram(command, [
    ...flags,
    ...[`--orchconfig=${join(folder, 'orchconfig')}`, `--root-dir=${join(folder, 'agent')}`],
    ...['--hostname-override=n1', '--healthz-port=0', '--fail-swap-on=false', '--port=0'],
    ...[`--container-runtime-endpoint=unix://${socket}`, '--address=127.0.0.1'],
    ...['--cluster-dns=10.0.0.10', '--cluster-domain=cluster.local'],
    '--node-status-update-frequency=1s',
  ])
let agent = await start()
const own = plane.client.resource(pods).in('default')

const main = (script: string, more: object = {}) => ({
  ...{ name: 'main', image: 'host/sh', imagePullPolicy: 'IfNotPresent' as const },
  ...{ args: ['-c', script], ...more },
})
const create = (name: string, containers: PodSpec['containers'], more: Partial<PodSpec> = {}) =>
  own.create({
    metadata: { name },
    spec: { nodeName: 'n1', hostNetwork: !hasNetwork, containers, ...more },
  })
const pod = (name: string, what: string, looks: (pod: Stored<Pod>) => unknown) =>
  until(`${name} ${what}`, async () => {
    const found = await own.get(name)
    return looks(found) ? found : undefined
  })
const statusOf = (one: Stored<Pod>) => one.status?.containerStatuses?.[0]
const isReady = ({ status }: Stored<Pod>) =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')

agents('a pod runs with its network, names, probes and limits', async () => {
  const httpGet = { path: '/', port: 8080 }
  const script = `echo "$(cat /etc/resolv.conf)"; cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null; echo bye > /dev/termination-log; cat /etc/hosts; mkdir /www; echo hi > /www/index.html; httpd -f -p 8080 -h /www`
  await create('web', [
    main(script, {
      resources: { limits: { memory: '64Mi', cpu: '500m' } },
      readinessProbe: { httpGet, periodSeconds: 1 },
      livenessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
    }),
  ])
  const ready = await pod('web', 'is ready', isReady)
  assert.match(statusOf(ready)?.containerID ?? '', /^containerd:\/\/[0-9a-f]{64}$/)
  assert.is(ready.status?.qosClass, 'Guaranteed')
  if (hasNetwork) assert.match(ready.status?.podIP ?? '', /^10\.88\./)
  const [logs] = readdirSync(join(folder, 'agent/log/pods'))
  const log = readFileSync(join(folder, 'agent/log/pods', logs ?? '', 'main/0.log'), 'utf8')
  assert.match(log, / F 67108864$/m)
  if (hasNetwork) {
    assert.match(log, /search default\.svc\.cluster\.local svc\.cluster\.local cluster\.local/)
    assert.match(log, /F 10\.88\.\S+\tweb$/m)
  }
})

agents('what is wrong with a pod is said in its status, and others go on', async () => {
  await Promise.all([
    create('no-image', [main('true', { image: 'localhost:1/none:1' })]),
    create('never', [main('true', { image: 'host/none', imagePullPolicy: 'Never' })]),
    create('no-command', [main('', { command: ['/no/such'] })]),
    create('hungry', [main('tail /dev/zero', { resources: { limits: { memory: '16Mi' } } })], {
      restartPolicy: 'OnFailure',
    }),
    create('big', [main('true', { resources: { requests: { cpu: '999' } } })]),
  ])
  const waits = (name: string, reason: string) =>
    pod(name, reason, (one) => statusOf(one)?.state?.waiting?.reason === reason)
  await waits('no-image', 'ImagePullBackOff')
  await waits('never', 'ErrImageNeverPull')
  const absent = await waits('no-command', 'CrashLoopBackOff')
  const { exitCode, message = '' } = statusOf(absent)?.lastState?.terminated ?? {}
  assert.is(exitCode, 128)
  assert.match(message, /no such file or directory/)
  // A runtime may hear of an end before it hears why: then the next one tells.
  await pod('hungry', 'was out of memory', (one) => {
    const { state, lastState } = statusOf(one) ?? {}
    return [state, lastState].some((each) => each?.terminated?.reason === 'OOMKilled')
  })
  const big = await pod('big', 'is refused', ({ status }) => status?.phase === 'Failed')
  assert.is(big.status?.reason, 'OutOfcpu')
  assert.match(
    big.status?.message ?? '',
    /^Pod was rejected: Node didn't have enough resource: cpu/,
  )
  assert.ok(isReady(await own.get('web')))
})

agents('a container that ends is started again, and finds what it left in its volume', async () => {
  await create(
    'again',
    [
      main('[ -e /data/x ] && exec sleep 1000; touch /data/x; exit 3', {
        volumeMounts: [
          { name: 'data', mountPath: '/data', subPath: 'a/b' },
          { name: 'data', mountPath: '/data/in', subPath: 'c' },
        ],
      }),
    ],
    { volumes: [{ name: 'data', emptyDir: {} }] },
  )
  const runs = (count: number) => (one: Stored<Pod>) =>
    statusOf(one)?.state?.running !== undefined && statusOf(one)?.restartCount === count
  const again = await pod('again', 'was started again', runs(1))
  assert.is(statusOf(again)?.lastState?.terminated?.exitCode, 3)
})

agents(
  'a container for looking at others sees the processes of the one that it is for',
  async () => {
    const debug = {
      ...{ name: 'debug', image: 'host/sh', imagePullPolicy: 'IfNotPresent' as const },
      ...{ args: ['-c', 'ps; echo seen; sleep 1000'] },
      targetContainerName: 'main',
    }
    const found = await own.get('web')
    await own.update(
      { ...found, spec: { ...found.spec, ephemeralContainers: [debug] } as PodSpec },
      { subresource: 'ephemeralcontainers' } as never,
    )
    await pod(
      'web',
      'has it',
      ({ status }) => status?.ephemeralContainerStatuses?.[0]?.state?.running,
    )
  },
)

agents('a runtime that dies is told by the node, and ends nothing when it is back', async () => {
  const livenessProbe = { exec: { command: ['true'] }, periodSeconds: 1, failureThreshold: 1 }
  await create('probed', [main('sleep 1000', { livenessProbe })])
  const before = statusOf(await pod('probed', 'is ready', isReady))?.containerID
  const ready = async () => {
    const { status } = await plane.client.resource(nodes).get('n1')
    return status?.conditions?.find(({ type }) => type === 'Ready')
  }
  process.kill(Number(readFileSync(join(dirname(socket), 'pid'), 'utf8')), 'SIGKILL')
  const down = await until('the node is not ready', async () => {
    const found = await ready()
    return found?.status === 'False' && found
  })
  assert.match(down.message ?? '', /^the container runtime cannot be reached: connect E/)
  await create('meanwhile', [main('sleep 1000')])
  await until('a probe could not be carried out', async () => {
    const { items } = await plane.client.resource(events).in('default').listAll()
    return items.some(({ message }) => message?.startsWith('Liveness probe errored: '))
  })
  spawn('containerd', ['--config', join(dirname(socket), 'config.toml')], {
    stdio: 'ignore',
  }).unref()
  await until('the node is ready again', async () => (await ready())?.status === 'True')
  await pod('meanwhile', 'is ready', isReady)
  const after = statusOf(await own.get('probed'))
  assert.equal([after?.containerID, after?.restartCount], [before, 0])
})

agents(
  'an agent that was killed adopts what runs, and keeps its images where others go; a pod that is deleted leaves nothing',
  async () => {
    const before = statusOf(await own.get('web'))?.containerID
    const images = () =>
      ['pause', 'sh', 'spare'].filter((name) =>
        execFileSync('ctr', ['-a', socket, '-n', 'k8s.io', 'images', 'ls', '-q'], {
          encoding: 'utf8',
        }).includes(`/${name}:`),
      )
    assert.equal(images(), ['pause', 'sh', 'spare'])
    // What others have over the same runtime is none of ours: D1.4.
    const others = await connectCri(`unix://${socket}`, systemClock, hangMs)
    const network = { namespaceOptions: { network: 2 } }
    const { podSandboxId } = await others.call('RunPodSandbox', {
      config: {
        metadata: { name: 'foreign', uid: 'foreign', namespace: 'default', attempt: 0 },
        linux: { securityContext: network },
      },
    })
    await agent.stop('SIGKILL')
    // The disk of every machine is fuller than this, and cannot become as empty.
    const full = ['--image-gc-high-threshold=1', '--image-gc-low-threshold=0']
    agent = await start(...full, '--minimum-image-ttl-duration=0s')
    await until('the image that nothing uses is gone', () => !images().includes('spare'))
    assert.equal(images(), ['pause', 'sh'])
    await create('late', [main('sleep 1000')])
    await pod('late', 'is ready', isReady)
    assert.is(statusOf(await own.get('web'))?.containerID, before)
    const all = await own.listAll()
    for (const { metadata } of all.items) await own.delete(metadata.name, { gracePeriodSeconds: 1 })
    await until('all are gone', async () => (await own.listAll()).items.length === 0)
    assert.equal(readdirSync(join(folder, 'agent/pods')), [])
    assert.equal(readdirSync(join(folder, 'agent/log/pods')), [])
    const { items } = await others.call('ListPodSandbox', {})
    assert.equal(
      items.map(({ id, state = 0 }) => [id, state]),
      [[podSandboxId, 0]],
    )
    others.close()
    const told = await plane.client.resource(events).in('default').listAll()
    const reasons = new Set(told.items.map(({ reason }) => reason))
    const ofPods = ['Pulling', 'Pulled', 'Created', 'Started', 'Killing', 'BackOff', 'Failed']
    for (const one of [...ofPods, 'NodeNotReady', 'FreeDiskSpaceFailed']) {
      assert.ok(reasons.has(one), `${one} of ${[...reasons].join(' ')}`)
    }
    await agent.stop()
    await plane[Symbol.asyncDispose]()
  },
)

agents.run()
