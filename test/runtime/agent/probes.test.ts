import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Probed, runProbe } from '../../../runtime/agent/probes/run-probe.ts'
import type { ContainerRuntime } from '../../../runtime/container-runtime/container-runtime.ts'

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
const silent = createServer((socket) => void sockets.add(socket.on('error', () => {})))
const silentPort = await listening(silent)

probes.after(() => {
  for (const socket of sockets) socket.destroy()
  silent.close()
})

for (const [kind, handler, told] of [
  [
    'a request',
    { httpGet: { port: silentPort, path: '/x' } },
    /Get "http:.*\/x": context deadline/,
  ],
  ['a call', { grpc: { port: silentPort } }, /^(timeout: health rpc|error: failed to connect)/],
] as const) {
  probes(`${kind} that is not answered is over with its time, and fails`, async () => {
    const { passed, message } = await runProbe(handler, 0.2, probed)
    assert.is(passed, false)
    assert.match(message, told)
  })
}

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
