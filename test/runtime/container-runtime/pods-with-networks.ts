/** Pods of the embedded runtime at level `full`, in a network of the test's own; run by `full-level.test`. */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  createEmbeddedRuntime,
  isRuntimeError,
  type PortMapping,
} from '../../../runtime/container-runtime/container-runtime.ts'
import { systemClock } from '../../../runtime/kernel/async/clock.ts'
import { findOnPath } from '../../../tools/find-on-path.ts'
import { tempDirectory } from '../../support/temp.ts'
import { until } from '../../support/until.ts'

const pods = suite('pods with networks')
const folder = tempDirectory()
const open = () =>
  createEmbeddedRuntime({
    ...{ folder: join(folder, 'runtime'), level: 'full', version: '1', clock: systemClock },
    podRange: '10.99.0.0/24',
  })
let runtime = open()

const serves = (port: number, host: string, word: string) =>
  `require('net').createServer((s) => s.end('${word}')).listen(${port}, '${host}')`

async function podOf(name: string, ports: readonly PortMapping[] = []) {
  const id = await runtime.runPodSandbox({
    ...{ name, namespace: 'default', uid: randomUUID(), attempt: 0, hostname: name },
    ...{ logDirectory: join(folder, name), labels: {}, annotations: {}, hostNetwork: false, ports },
  })
  const found = (await runtime.listPodSandboxes()).find((one) => one.id === id)
  return { id, address: found?.ips[0] ?? '' }
}

async function run(sandboxId: string, image: string, args: readonly string[], name = 'main') {
  const id = await runtime.createContainer(sandboxId, {
    ...{ name, attempt: 0, image, command: [], args, workingDirectory: '' },
    ...{ environment: [], mounts: [], labels: {}, annotations: {}, logPath: `${name}.log` },
    ...{ readonlyRoot: false, user: {}, tty: false, stdin: 'none' },
  })
  await runtime.startContainer(id)
  return id
}

const asked = (host: string, port: number) =>
  until(`${host}:${port} answers`, async () => {
    const socket = connect({ host, port })
    socket.on('error', () => {})
    const said = await text(socket).catch(() => '')
    return said
  })

pods('two pods listen on one port, each at its own address, and reach each other', async () => {
  const [one, two] = [await podOf('one'), await podOf('two')]
  assert.match(one.address, /^10\.99\.0\.\d+$/)
  assert.is.not(one.address, two.address)
  await run(one.id, 'host/node', ['-e', serves(80, '0.0.0.0', 'one')])
  await run(two.id, 'host/node', ['-e', serves(80, '0.0.0.0', 'two')])
  assert.equal([await asked(one.address, 80), await asked(two.address, 80)], ['one', 'two'])
  const beside = await run(one.id, 'host/sleep', ['1000'], 'beside')
  const reach = (host: string) =>
    runtime.execSync(
      beside,
      ['node', '-e', `require('net').connect(80, '${host}').pipe(process.stdout)`],
      0,
    )
  assert.is(String((await reach('127.0.0.1')).stdout), 'one', 'containers of a pod share a network')
  assert.is(String((await reach(two.address)).stdout), 'two')
  for (const { id } of [one, two]) await runtime.removePodSandbox(id)
})

pods('what listens within a pod alone is reached by its port, and nothing else is', async () => {
  const { id } = await podOf('inner')
  await run(id, 'host/node', ['-e', serves(81, '127.0.0.1', 'inner')])
  const said = await until('it answers', async () => text(await runtime.portForward(id, 81)))
  assert.is(said, 'inner')
  const refused = await runtime.portForward(id, 82).catch((error) => error)
  assert.ok(isRuntimeError(refused, 'Unavailable'), String(refused))
  assert.match(refused.message, /127\.0\.0\.1:82: connect: connection refused/)
  await runtime.removePodSandbox(id)
})

const hasNft = findOnPath('nft') !== undefined
if (!hasNft) console.log('SKIP ports of the node: there is no program nft')
if (hasNft)
  pods('a port of the node leads to its pod as long as that is there', async () => {
    const port = { protocol: 'TCP', hostPort: 8085, containerPort: 80 } as const
    const { id, address } = await podOf('outer', [port])
    await run(id, 'host/node', ['-e', serves(80, '0.0.0.0', 'outer')])
    await asked(address, 80)
    assert.is(await asked('10.99.0.1', 8085), 'outer')
    await runtime.removePodSandbox(id)
    const socket = connect({ host: '10.99.0.1', port: 8085 })
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
    assert.is(error.code, 'ECONNREFUSED')
  })

pods('a port of what is no address of IPv4 is refused, and its network goes', async () => {
  const port = {
    ...{ protocol: 'TCP', hostPort: 8086, containerPort: 80 },
    hostIP: '10.99.0.1 drop',
  }
  const before = (await runtime.listPodSandboxes()).length
  const refused = await podOf('wrong', [port as PortMapping]).catch((error) => error)
  assert.ok(isRuntimeError(refused, 'InvalidArgument'), String(refused))
  assert.is((await runtime.listPodSandboxes()).length, before)
})

pods('a container changes its own root folder, and not that of the machine', async () => {
  const { id } = await podOf('writer')
  const script = 'echo mine > /etc/orch-test && cat /etc/orch-test && ls /usr/bin/env'
  const container = await run(id, 'host/sh', ['-c', script])
  const { exitCode } = await until('it has ended', async () => {
    const status = await runtime.containerStatus(container)
    return status.state === 'exited' && status
  })
  const log = readFileSync(join(folder, 'writer/main.log'), 'utf8')
  assert.is(exitCode, 0, log)
  assert.match(log, / F mine\n.* F \/usr\/bin\/env\n/)
  assert.not(existsSync('/etc/orch-test'))
  await runtime.removePodSandbox(id)
})

pods('networks stay when the runtime goes, and go with their sandboxes', async () => {
  const { id, address } = await podOf('stays')
  await run(id, 'host/node', ['-e', serves(80, '0.0.0.0', 'stays')])
  await asked(address, 80)
  await runtime.close()
  runtime = open()
  const [found] = await runtime.listPodSandboxes()
  assert.equal([found?.id, found?.ready, found?.ips], [id, true, [address]])
  assert.is(await asked(address, 80), 'stays')
  const other = await podOf('other')
  assert.is.not(other.address, address)
  for (const each of [id, other.id]) await runtime.removePodSandbox(each)
  assert.is(execFileSync('ip', ['netns', 'list'], { encoding: 'utf8' }), '')
  assert.not(execFileSync('ip', ['link'], { encoding: 'utf8' }).includes('veth'))
  await runtime.close()
})

pods.run()
