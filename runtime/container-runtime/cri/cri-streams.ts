/** Streams of containers, from the streaming server of a runtime: messages whose first byte says which stream they are of. */
import { Duplex, PassThrough, Writable } from 'node:stream'
import { RuntimeError } from '../contract/runtime-error.ts'
import type { ContainerSession } from '../contract/session.ts'
import { openWebSocket, type WebSocket } from './web-socket.ts'

const half = 'v5.channel.k8s.io'
const usual = 'v4.channel.k8s.io'
const channel = { stdin: 0, stdout: 1, stderr: 2, status: 3, size: 4, close: 255 }

/** What a session has. */
export interface SessionStreams {
  readonly tty: boolean
  readonly stdin: boolean
  readonly signal?: AbortSignal | undefined
}

/** The session behind a one-time address. Servers that know the former protocol only cannot be told that the input has ended. */
export async function openSession(
  url: string,
  { tty, stdin, signal }: SessionStreams,
): Promise<ContainerSession> {
  const socket = await openWebSocket(url, [half, usual])
  const outputs = [new PassThrough(), new PassThrough()] as const
  const [stdout, stderr] = outputs
  let status = ''
  let isClosed = false
  const close = () => {
    isClosed = true
    socket.close()
  }
  socket.onMessage((message) => {
    const rest = message.subarray(1)
    const output = outputs[(message[0] ?? 0) - channel.stdout]
    if (message[0] === channel.status) status += rest
    else if (output !== undefined && rest.length > 0 && !output.write(rest)) {
      socket.pause()
      output.once('drain', () => socket.resume())
    }
  })
  const ended = new Promise<number | undefined>((resolve, reject) => {
    socket.onClose(() => {
      signal?.removeEventListener('abort', close)
      for (const output of outputs) output.end()
      if (tty) stderr.resume()
      const all = tty ? [stdout] : [stdout, stderr]
      const read = all.map((output) => new Promise((done) => output.once('close', done)))
      if (isClosed) for (const output of outputs) output.destroy()
      void Promise.all(read)
        .then(() => (isClosed ? undefined : exitCodeOf(status)))
        .then(resolve, reject)
    })
  })
  if (signal?.aborted) close()
  signal?.addEventListener('abort', close, { once: true })
  return {
    ...{ stdin: stdin ? inputOf(socket) : undefined, stdout, ended, close },
    stderr: tty ? undefined : stderr,
    resize({ columns, rows }) {
      const size = JSON.stringify({ Width: columns, Height: rows })
      if (tty) socket.send(Buffer.concat([Buffer.of(channel.size), Buffer.from(size)]))
    },
  }
}

/** A port of a pod behind a one-time address. */
export async function openPort(url: string, port: number): Promise<Duplex> {
  const socket = await openWebSocket(`${url}?port=${port}`, [usual])
  const greeted = new Set<number>()
  const stream: Duplex = new Duplex({
    allowHalfOpen: true,
    read: () => socket.resume(),
    write: (bytes, _, done) => sendOn(socket, 0, bytes, done),
    final: (done) => done(),
    destroy(error, done) {
      socket.close()
      done(error)
    },
  })
  socket.onMessage((message) => {
    const from = message[0] ?? 0
    // The first message of each of both says the port.
    if (!greeted.has(from)) return void greeted.add(from)
    const rest = message.subarray(1)
    if (from === 1) stream.destroy(new RuntimeError('Unavailable', String(rest)))
    else if (rest.length > 0 && !stream.push(rest)) socket.pause()
  })
  socket.onClose(() => stream.push(null))
  return stream
}

function inputOf(socket: WebSocket): Writable {
  const input = new Writable({
    write: (bytes, _, done) => sendOn(socket, channel.stdin, bytes, done),
    final(done) {
      if (socket.protocol === half) socket.send(Buffer.of(channel.close, channel.stdin))
      done()
    },
  })
  socket.onClose(() => input.destroy())
  return input
}

function sendOn(socket: WebSocket, to: number, bytes: Buffer, done: () => void): void {
  if (socket.send(Buffer.concat([Buffer.of(to), bytes]))) done()
  else socket.onDrain(done)
}

/** The exit code of a status as servers write it: none for success. @throws a RuntimeError for what was not a program that ended. */
function exitCodeOf(status: string): number {
  if (status === '') return 0
  const told = readStatus(status)
  if (told.status === 'Success') return 0
  const code = told.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message
  if (code === undefined) throw new RuntimeError('Unknown', told.message ?? status)
  return Number(code)
}

interface StreamStatus {
  readonly status?: string
  readonly message?: string
  readonly details?: { readonly causes?: readonly { reason?: string; message?: string }[] }
}

function readStatus(status: string): StreamStatus {
  try {
    return JSON.parse(status) as StreamStatus
  } catch {
    return {}
  }
}
