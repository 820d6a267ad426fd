import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { connect } from 'node:net'
import type {
  Container,
  HTTPGetAction,
  ProbeHandler,
} from '../../../generated/apis/core/v1/container.ts'
import { type ContainerRuntime, isRuntimeError } from '../../container-runtime/container-runtime.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import { healthProblem } from './grpc-probe.ts'

/** What a round found, in words. */
export interface ProbeRound {
  readonly passed: boolean
  readonly message: string
  /** True where it could not be found out: nothing is known of the container. */
  readonly isUnknown?: true
}

/** What is probed. */
export interface Probed {
  readonly id: string
  readonly container: Container
  readonly runtime: ContainerRuntime
  /** The address of the pod. */
  readonly address: string
  readonly agent: string
}

const mostBody = 10 * 1024

/** One round of a probe, or a hook: by a command, a request or a connection. Never rejects. */
export async function runProbe(
  handler: ProbeHandler,
  timeoutSeconds: number,
  probed: Probed,
): Promise<ProbeRound> {
  const { exec, httpGet, tcpSocket, grpc } = handler
  try {
    if (exec) return await runCommand(exec.command ?? [], timeoutSeconds, probed)
    if (httpGet) return await sendRequest(httpGet, timeoutSeconds, probed)
    const { address: host, container, agent } = probed
    if (grpc) {
      const { port, service = '' } = grpc
      const message = await healthProblem({ host, port, service, timeoutSeconds, agent })
      return { passed: message === '', message }
    }
    if (tcpSocket === undefined) return { passed: true, message: '' }
    const port = portOf(tcpSocket.port, container)
    return await openConnection(tcpSocket.host || host, port, timeoutSeconds)
  } catch (error) {
    return { passed: false, message: errorText(error), isUnknown: true }
  }
}

async function runCommand(
  command: readonly string[],
  timeoutSeconds: number,
  { runtime, id }: Probed,
): Promise<ProbeRound> {
  try {
    const { exitCode, stdout, stderr } = await runtime.execSync(id, command, timeoutSeconds)
    const message = Buffer.concat([stdout, stderr]).subarray(0, mostBody).toString().trim()
    return { passed: exitCode === 0, message }
  } catch (error) {
    if (!isRuntimeError(error, 'DeadlineExceeded')) throw error
    return { passed: false, message: error.message }
  }
}

function sendRequest(
  { path = '/', port, host, scheme = 'HTTP', httpHeaders = [] }: HTTPGetAction,
  timeoutSeconds: number,
  { container, address, agent }: Probed,
): Promise<ProbeRound> {
  const send = scheme === 'HTTPS' ? requestHttps : requestHttp
  const headers: Record<string, string | string[]> = {
    'user-agent': agent,
    accept: '*/*',
    connection: 'close',
  }
  for (const { name, value } of httpHeaders) headers[name.toLowerCase()] = value
  const options = {
    ...{ host: host || address, port: portOf(port, container), path, headers },
    ...{
      rejectUnauthorized: false,
      agent: false,
      signal: AbortSignal.timeout(timeoutSeconds * 1000),
    },
  }
  return new Promise((resolve) => {
    const fail = (error: Error) =>
      resolve({
        passed: false,
        message: `Get "${scheme.toLowerCase()}://${options.host}:${options.port}${path}": ${error.name === 'AbortError' ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)' : error.message}`,
      })
    const request = send(options, (response) => {
      const code = response.statusCode ?? 0
      let read = 0
      response.on('error', fail)
      response.on('data', (part: Buffer) => {
        read += part.length
        if (read > mostBody) response.destroy()
      })
      response.once('close', () =>
        resolve({
          passed: code >= 200 && code < 400,
          message: `HTTP probe failed with statuscode: ${code}`,
        }),
      )
    })
    request.once('error', fail)
    request.end()
  })
}

function openConnection(host: string, port: number, timeoutSeconds: number): Promise<ProbeRound> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutSeconds * 1000 })
    const done = (passed: boolean, message: string) => {
      socket.destroy()
      resolve({ passed, message })
    }
    socket.once('connect', () => done(true, ''))
    socket.once('timeout', () => done(false, `dial tcp ${host}:${port}: i/o timeout`))
    socket.once('error', (error) => done(false, `dial tcp ${host}:${port}: ${error.message}`))
  })
}

/** A number, or the name of a port of the container. @throws RangeError for a name that it does not have. */
function portOf(port: number | string, { ports = [] }: Container): number {
  if (typeof port === 'number') return port
  const named = ports.find(({ name }) => name === port)
  if (named !== undefined) return named.containerPort
  if (/^\d+$/.test(port)) return Number(port)
  throw new RangeError(`port ${JSON.stringify(port)} is no port of the container`)
}
