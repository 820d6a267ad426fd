import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Prober } from '../../../runtime/agent/probes/prober.ts'
import { type Probed, runProbe } from '../../../runtime/agent/probes/run-probe.ts'
import {
  type ContainerRuntime,
  RuntimeError,
} from '../../../runtime/container-runtime/container-runtime.ts'
import { virtualClock } from '../../../runtime/testing/virtual-clock.ts'
import { until } from '../../support/until.ts'

const probes = suite('runtime/agent/probes')

const probed: Probed = {
  ...{ id: 'c', container: { name: 'main' }, address: '127.0.0.1', agent: 'orch-probe/1.29' },
  runtime: {} as ContainerRuntime,
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** A port that takes connections and says nothing. */
const sockets = new Set<Socket>()
const silent = createServer((socket) => {
  sockets.add(socket.on('error', () => {}).resume())
  socket.once('close', () => sockets.delete(socket))
})
const silentPort = await listening(silent)

/** A port whose connections nobody takes: as many as wait for that are there already, so that more are not answered at all. */
const deaf = new Worker(
  `const { parentPort } = require('node:worker_threads')
  const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.once('message', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
    parentPort.postMessage(server.address().port)
  })`,
  { eval: true },
)
const [deafPort] = (await once(deaf, 'message')) as [number]
deaf.postMessage('hang')
const waiting = Array.from({ length: 8 }, () => connect(deafPort, '127.0.0.1').on('error', () => {}))
await once(waiting[0] as Socket, 'connect')

probes.after(async () => {
  for (const socket of [...waiting, ...sockets]) socket.destroy()
  silent.close()
  await deaf.terminate()
})

for (const [kind, handler, told] of [
  [
    'a request',
    { httpGet: { port: silentPort, path: '/x' } },
    /Get "http:.*\/x": context deadline/,
  ],
  ['a call', { grpc: { port: silentPort } }, /^timeout: health rpc did not complete within 0\.2s/],
  ['a connection', { tcpSocket: { port: deafPort } }, /^dial tcp 127\.0\.0\.1:\d+: i\/o timeout/],
  ['a request to nobody', { httpGet: { port: deafPort } }, /: context deadline exceeded/],
  ['a call to nobody', { grpc: { port: deafPort } }, /^timeout: health rpc/],
] as const) {
  probes(`${kind} that is not answered is over with its time, and fails`, async () => {
    const { passed, message, isUnknown } = await runProbe(handler, 0.2, probed)
    assert.equal([passed, isUnknown], [false, undefined])
    assert.match(message, told)
  })
}

probes('nothing is left of a probe that was not answered', async () => {
  await until('the other side saw all connections end', () => sockets.size === 0)
  // Those of this process are told by kind: a connection that was never made is no handle of another kind.
  const left = () =>
    process.getActiveResourcesInfo().filter((one) => /^(TCPSocketWrap|TCPConnectWrap)$/.test(one))
  const before = left().length
  for (const handler of [
    { tcpSocket: { port: deafPort } },
    { httpGet: { port: deafPort } },
    { grpc: { port: deafPort } },
  ]) {
    await Promise.all(Array.from({ length: 5 }, () => runProbe(handler, 0.05, probed)))
  }
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.ok(left().length <= before, left().join())
})

probes('a runtime that cannot be asked says nothing of a container', async () => {
  const clock = virtualClock()
  let asked = 0
  const down = {
    execSync: () => {
      asked += 1
      throw new RuntimeError('Unavailable', 'nobody is there')
    },
  } as Partial<ContainerRuntime> as ContainerRuntime
  const told: string[] = []
  const prober = new Prober({
    clock,
    changed: () => told.push('changed'),
    unhealthy: (_, kind, how, message) => told.push(`${kind} ${how}: ${message}`),
  })
  const exec = { exec: { command: ['true'] } }
  const container = { name: 'main', livenessProbe: { ...exec, failureThreshold: 1 } }
  prober.start({ ...probed, runtime: down, container })
  await clock.advanceAsync(10_000)
  assert.equal(told, Array(2).fill('liveness errored: nobody is there'))
  assert.equal([prober.failed('c'), asked], [undefined, 6])
  assert.equal(prober.rounds(), [
    { container: 'main', kind: 'liveness', passed: 0, failed: 0, unknown: 2 },
  ])
  prober.keep(new Set())
})

probes('an answer that begins and never ends fails, too', async () => {
  const server = createHttpServer((_, response) => void response.writeHead(200).write('begun'))
  const port = await listening(server)
  const { passed } = await runProbe({ httpGet: { port } }, 0.2, probed)
  assert.is(passed, false)
  server.closeAllConnections()
  server.close()
})

probes('a port is reached or not', async () => {
  assert.is((await runProbe({ tcpSocket: { port: silentPort } }, 60, probed)).passed, true)
  const closed = createServer()
  const port = await listening(closed)
  closed.close()
  await once(closed, 'close')
  const refused = await runProbe({ tcpSocket: { port } }, 60, probed)
  assert.match(refused.message, /^dial tcp 127\.0\.0\.1:\d+: /)
})

probes('the health service of gRPC is asked for the service', async () => {
  const server = new GrpcServer()
  /** The answer is the number that the name of the service ends with. */
  server.addService(
    {
      check: {
        ...{ path: '/grpc.health.v1.Health/Check', requestStream: false, responseStream: false },
        requestSerialize: (value: Buffer) => value,
        requestDeserialize: (value: Buffer) => value,
        responseSerialize: (value: Buffer) => value,
        responseDeserialize: (value: Buffer) => value,
      },
    },
    {
      check: (
        { request }: { readonly request: Buffer },
        answer: (error: object | null, value?: Buffer) => void,
      ) => {
        const service = request.length === 0 ? '1' : request.subarray(2).toString()
        if (service === 'none') answer({ code: 5, details: 'unknown service' })
        else answer(null, Buffer.from([0x08, Number(service.at(-1))]))
      },
    },
  )
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, found) =>
      error ? reject(error) : resolve(found),
    ),
  )
  const ask = (service?: string) =>
    runProbe({ grpc: { port, ...(service && { service }) } }, 60, probed)
  assert.equal(await ask(), { passed: true, message: '' })
  assert.is((await ask('web-1')).passed, true)
  assert.is((await ask('web-2')).message, 'service unhealthy (responded with "NOT_SERVING")')
  assert.match((await ask('none')).message, /unknown service/)
  server.forceShutdown()
})

probes.run()
