import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** Where a load goes. */
export interface Address {
  readonly host: string
  readonly port: number
  /** With TLS: whom to trust, and who one is. */
  readonly tls?: { readonly ca: string; readonly cert?: string; readonly key?: string }
}

/** Opens a connection. */
function dial({ host, port, tls }: Address): Socket {
  return tls === undefined ? connect({ host, port }) : connectTls({ host, port, ...tls })
}

/** A request as bytes for the wire, ready to be sent many times. */
export function requestBytes(
  method: string,
  path: string,
  body = '',
  { headers = '', type = 'application/json' } = {},
): Buffer {
  const length = Buffer.byteLength(body)
  const about = body === '' ? '' : `Content-Type: ${type}\r\nContent-Length: ${length}\r\n`
  return Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: bench\r\n${about}${headers}\r\n${body}`)
}

/** Connections that stay. */
export interface Connections {
  /** Requests answered per second, one under way on each connection, for `ms` milliseconds. */
  perSecond(next: (count: number) => Buffer, ms: number): Promise<number>
  /** Sends one request over the first of them, and waits for its answer. */
  one(request: Buffer): Promise<void>
  close(): void
}

/** Opens connections, one after the other. It speaks to sockets directly, so that a figure is the server's and hardly the client's. */
export async function openConnections(address: Address, count: number): Promise<Connections> {
  const sockets: { readonly socket: Socket; readonly answer: () => Promise<void> }[] = []
  for (let at = 0; at < count; at++) {
    const socket = dial(address)
    await once(socket, address.tls === undefined ? 'connect' : 'secureConnect')
    sockets.push({ socket, answer: responses(socket) })
  }
  return {
    async perSecond(next, ms) {
      const began = performance.now()
      let sent = 0
      let answered = 0
      const workers = sockets.map(async ({ socket, answer }) => {
        while (performance.now() < began + ms) {
          socket.write(next(sent++))
          await answer()
          answered++
        }
      })
      await Promise.all(workers)
      return (answered / (performance.now() - began)) * 1000
    },
    async one(request) {
      const [first] = sockets
      first?.socket.write(request)
      await first?.answer()
    },
    close() {
      for (const { socket } of sockets) socket.destroy()
    },
  }
}

/** Requests answered per second by `connections` sockets, each with one request under way, for `ms` milliseconds. */
export async function perSecond(
  address: Address,
  next: (count: number) => Buffer,
  ms: number,
  connections = 16,
): Promise<number> {
  const load = await openConnections(address, connections)
  const rate = await load.perSecond(next, ms)
  load.close()
  return rate
}

/** Waits for one answer after the other, each with a Content-Length or in chunks; fails on one that is no success. */
export function responses(socket: Socket): () => Promise<void> {
  let wanted = 0
  let have = 0
  let done = { resolve: (): void => {}, reject: (_: Error): void => {} }
  socket.setNoDelay(true)
  socket.on('error', (error) => done.reject(error))
  socket.on('data', (chunk) => {
    if (wanted === 0) wanted = answerLength(chunk)
    have += chunk.length
    if (wanted < 0) done.reject(new Error(chunk.toString()))
    if (wanted === inChunks ? !endsChunks(chunk) : have < wanted) return
    wanted = 0
    have = 0
    done.resolve()
  })
  return () =>
    new Promise((resolve, reject) => {
      done = { resolve, reject }
    })
}

/** In place of a length. */
const inChunks = Number.POSITIVE_INFINITY

/** The last chunk is empty, and no line of JSON is. */
function endsChunks(text: Buffer): boolean {
  return text.subarray(-5).equals(lastChunk)
}

const lastChunk = Buffer.from('0\r\n\r\n')

/** The length of the whole answer, negative for a failure. A head comes in one packet: it is short. */
function answerLength(chunk: Buffer): number {
  const end = chunk.indexOf('\r\n\r\n')
  const head = chunk.toString('latin1', 0, end)
  const length = /content-length: (\d+)/i.exec(head)?.[1]
  if (/^HTTP\/1.1 2[\s\S]*transfer-encoding: chunked/i.test(head)) return inChunks
  return head.startsWith('HTTP/1.1 2') && length !== undefined ? end + 4 + Number(length) : -1
}

/** Sends one request and gives the body of its answer. */
export async function exchange(
  address: Address,
  request: Buffer,
): Promise<{ readonly body: Buffer }> {
  const socket = dial(address)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  const answered = responses(socket)
  socket.write(request)
  await answered()
  socket.destroy()
  const whole = Buffer.concat(chunks)
  return { body: whole.subarray(whole.indexOf('\r\n\r\n') + 4) }
}

/**
 * Opens watches of a collection, then makes changes in it, one after the other. Gives the milliseconds until the last
 * watcher had the event, for the quickest of the changes, and the bytes of an event as they were read. `opened` runs
 * between the two.
 */
export async function watchAll(
  address: Address,
  collection: string,
  count: number,
  bodies: readonly string[],
  opened: () => Promise<void> = async () => {},
): Promise<{ readonly ms: number; readonly event: Buffer }> {
  const list = await exchange(address, requestBytes('GET', `${collection}?limit=1`))
  const { metadata } = JSON.parse(list.body.toString()) as { metadata: { resourceVersion: string } }
  const path = `${collection}?watch=1&resourceVersion=${metadata.resourceVersion}`
  const watches: Watch[] = []
  for (let at = 0; at < count; at++) watches.push(await openWatch(address, path))
  await opened()
  const times: number[] = []
  let event: Buffer = Buffer.alloc(0)
  for (const body of bodies) {
    const arrived = Promise.all(watches.map(({ next }) => next()))
    const began = performance.now()
    const posted = exchange(address, requestBytes('POST', collection, body))
    event = (await arrived)[0] ?? event
    times.push(performance.now() - began)
    await posted
  }
  for (const { socket } of watches) socket.destroy()
  return { ms: Math.min(...times), event }
}

/** One watcher: a socket whose lines are awaited one by one. */
interface Watch {
  readonly socket: Socket
  /** The next line of the stream, without its chunk framing. */
  readonly next: () => Promise<Buffer>
}

/** Opens a watch and waits for its headers. An event ends in a newline, before the end of its chunk. */
async function openWatch(address: Address, path: string): Promise<Watch> {
  const socket = dial(address)
  socket.write(requestBytes('GET', path))
  await new Promise((resolve) => socket.once('data', resolve))
  let chunks: Buffer[] = []
  let arrived = (_: Buffer): void => {}
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    if (chunk.at(-3) !== newline) return
    const whole = Buffer.concat(chunks)
    chunks = []
    arrived(whole.subarray(whole.indexOf('{'), -2))
  })
  return {
    socket,
    next: () =>
      new Promise((resolve) => {
        arrived = resolve
      }),
  }
}

const newline = 0x0a
