/**
 * The owner of a file tells those who may read the file what is in it: over a socket that stands beside it, for the owner's user alone.
 *
 * Who connects gets an archive of the store as of that moment, and nothing is asked of it. Writes go on meanwhile; what they replace is
 * kept until the archive is sent.
 */
import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Archive } from '../archive/read-archive.ts'
import type { StoreDump } from '../dump.ts'

/** How long a reader may leave what is sent unread: history is kept for it. */
const patienceMs = 60_000

/** Archives that are sent at a time. */
const mostReaders = 2

/** Bytes that the name of a socket may have. */
const longestName = 100

/** The name of the socket of a file. */
export function ownerSocket(file: string): string {
  return `${file}-socket`
}

/** Serves until it is closed; undefined where the name of the file is too long for that. The caller owns the file. */
export async function serveOwner(
  file: string,
  dump: () => Promise<StoreDump>,
  now: () => number,
): Promise<{ close(): Promise<void> } | undefined> {
  const name = ownerSocket(file)
  if (Buffer.byteLength(name) > longestName) return undefined
  await rm(name, { force: true })
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    if (sockets.size > mostReaders) socket.destroy()
    else void send(socket, dump, now)
  })
  try {
    server.listen(name)
    await once(server, 'listening')
    await chmod(name, 0o600)
  } catch {
    server.close()
    return undefined
  }
  server.unref()
  return { close: () => closeServer(server, sockets) }
}

/** What the process that has a file open says is in it; undefined if none does. */
export async function dumpOfOwner(file: string): Promise<Archive | undefined> {
  const name = ownerSocket(file)
  if (Buffer.byteLength(name) > longestName) return undefined
  const socket = connect(name)
  try {
    await once(socket, 'connect')
  } catch {
    return undefined
  }
  const { readArchive } = await import('../archive/read-archive.ts')
  return readArchive(`the server that has ${file} open`, socket, async () => {
    socket.destroy()
  })
}

async function send(
  socket: Socket,
  dump: () => Promise<StoreDump>,
  now: () => number,
): Promise<void> {
  socket.setTimeout(patienceMs, () => socket.destroy())
  const { writeArchive } = await import('../archive/write-archive.ts')
  let held: StoreDump | undefined
  try {
    held = await dump()
    for await (const chunk of writeArchive(held, new Date(now()).toISOString())) {
      if (socket.destroyed) return
      if (!socket.write(chunk)) await drained(socket)
    }
    socket.end()
  } catch {
    socket.destroy()
  } finally {
    await held?.close()
  }
}

/** Resolves when more can be written, or never will be. */
function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      socket.off('drain', go)
      socket.off('close', go)
      resolve()
    }
    socket.once('drain', go)
    socket.once('close', go)
    if (socket.destroyed) go()
  })
}

async function closeServer(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  for (const socket of sockets) socket.destroy()
  await closed
}
