/** Commands in containers, the programs of containers, and ports of pods, for clients that ask over a connection of several streams. */
import { createInterface } from 'node:readline'
import type { Duplex, Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import type { ContainerSession } from '../../container-runtime/container-runtime.ts'
import { errorText } from '../../kernel/errors/error-text.ts'
import {
  acceptCommand,
  acceptPorts,
  type CommandStatus,
  type CommandStreams,
  type PortConnection,
  portOf,
  type UpgradeRequest,
  type WantedStreams,
} from '../../streams/streams.ts'
import { findPod, findRunning, findSandbox, type PodPath } from '../contract/find-container.ts'
import type { NodeView } from '../contract/node-view.ts'
import { Refusal } from '../contract/refusal.ts'
import { flag } from '../logs/log-options.ts'

/** A container as paths name it. */
export interface ContainerPath extends PodPath {
  readonly container: string
}

/** Runs a command in a container. Resolves when the client was told how it ended. @throws Refusal or UpgradeRefused before the upgrade. */
export async function runCommand(
  view: NodeView,
  path: ContainerPath,
  query: URLSearchParams,
  upgrade: UpgradeRequest,
): Promise<void> {
  const wanted = wantedStreams(query)
  const command = query.getAll('command')
  if (command.length === 0) throw new Refusal(400, 'you must specify at least one command')
  const { id } = await findRunning(view, findPod(view, path), path.container)
  const streams = await acceptCommand(upgrade, wanted, view.clock)
  await serve(streams, (signal) =>
    view.runtime.exec(id, { command, tty: wanted.tty, stdin: wanted.stdin, signal }),
  )
}

/** Attaches a client to the program of a container. */
export async function attach(
  view: NodeView,
  path: ContainerPath,
  query: URLSearchParams,
  upgrade: UpgradeRequest,
): Promise<void> {
  const wanted = wantedStreams(query)
  const { id } = await findRunning(view, findPod(view, path), path.container)
  const streams = await acceptCommand(upgrade, wanted, view.clock)
  await serve(
    streams,
    (signal) => view.runtime.attach(id, { stdin: wanted.stdin, signal }),
    () => ({ metadata: {}, status: 'Success' }),
  )
}

/** Connects a client with ports of a pod. */
export async function forwardPorts(
  view: NodeView,
  path: PodPath,
  query: URLSearchParams,
  upgrade: UpgradeRequest,
): Promise<void> {
  const sandbox = await findSandbox(view, findPod(view, path))
  const ports = [...query.getAll('port'), ...query.getAll('ports')]
    .flatMap((text) => text.split(','))
    .map((text) => {
      const port = portOf(text)
      if (port === undefined) throw new Refusal(400, `${JSON.stringify(text)} is no port`)
      return port
    })
  await acceptPorts(upgrade, ports, view.clock, (connection) => {
    void connectPort(view, sandbox.id, connection)
  })
}

async function connectPort(
  { runtime }: NodeView,
  sandboxId: string,
  { port, input, output, finish }: PortConnection,
): Promise<void> {
  let remote: Duplex
  try {
    remote = await runtime.portForward(sandboxId, port)
  } catch (error) {
    return finish(`error forwarding port ${port} to pod ${sandboxId}, uid : ${errorText(error)}`)
  }
  remote.on('error', () => remote.destroy())
  pipeline(input, remote, () => {})
  remote.pipe(output)
  remote.once('close', () => finish())
}

function wantedStreams(query: URLSearchParams): WantedStreams {
  const tty = flag(query, 'tty')
  const wanted = {
    stdin: flag(query, 'input'),
    stdout: flag(query, 'output'),
    stderr: flag(query, 'error') && !tty,
    tty,
  }
  if (wanted.stdin || wanted.stdout || wanted.stderr) return wanted
  throw new Refusal(400, 'you must specify at least 1 of stdin, stdout, stderr')
}

/** Joins a client with a session until one of them ends. */
async function serve(
  streams: CommandStreams,
  begin: (signal: AbortSignal) => Promise<ContainerSession>,
  statusOf: (exitCode: number) => CommandStatus = exitStatus,
): Promise<void> {
  const gone = new AbortController()
  void streams.closed.then(() => gone.abort())
  let session: ContainerSession
  try {
    session = await begin(gone.signal)
  } catch (error) {
    return streams.finish(failure(errorText(error)))
  }
  void streams.closed.then(() => session.close())
  if (streams.stdin !== undefined && session.stdin !== undefined) {
    pipeline(streams.stdin, session.stdin, () => {})
  } else streams.stdin?.resume()
  followSize(streams.resize, session)
  const outputs = [
    copied(session.stdout, streams.stdout),
    copied(session.stderr, streams.stderr ?? streams.stdout),
  ]
  const exitCode = await session.ended
  await Promise.all(outputs)
  await streams.finish(statusOf(exitCode ?? 0))
}

/** Resolves once all was read, and passed on where there is a stream for it. */
function copied(from: Readable | undefined, to: NodeJS.WritableStream | undefined): Promise<void> {
  if (from === undefined) return Promise.resolve()
  if (to === undefined) from.resume()
  else from.pipe(to, { end: false })
  return new Promise((resolve) => {
    if (from.readableEnded || from.destroyed) return resolve()
    from.once('end', resolve)
    from.once('close', resolve)
    from.once('error', () => resolve())
  })
}

/** Most columns and rows of a terminal. */
const mostCells = 65535

function followSize(resize: Readable | undefined, session: ContainerSession): void {
  if (resize === undefined) return
  createInterface({ input: resize }).on('line', (line) => {
    const { Width: columns, Height: rows } = sizeIn(line)
    const isSize = (value: unknown): value is number =>
      Number.isInteger(value) && (value as number) > 0 && (value as number) <= mostCells
    if (isSize(columns) && isSize(rows)) session.resize({ columns, rows })
  })
}

function sizeIn(line: string): { readonly Width?: unknown; readonly Height?: unknown } {
  try {
    return Object(JSON.parse(line))
  } catch {
    return {}
  }
}

function exitStatus(exitCode: number): CommandStatus {
  if (exitCode === 0) return { metadata: {}, status: 'Success' }
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  }
}

function failure(why: string): CommandStatus {
  return {
    ...{ metadata: {}, status: 'Failure', reason: 'InternalError', code: 500 },
    message: `Internal error occurred: error executing command in container: ${why}`,
    details: { causes: [{ message: `error executing command in container: ${why}` }] },
  }
}
