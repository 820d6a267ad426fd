/** The client's side of SOCKS version 5 (RFC 1928), with name and password (RFC 1929) where they are given. */

import { isIP, type Socket } from 'node:net'

/** Where a connection shall lead, and who asks. */
export interface SocksRequest {
  readonly host: string
  readonly port: number
  readonly username: string
  readonly password: string
}

/** Asks for a connection over `socket`, which carries it once the promise resolves. Names are looked up by the proxy. */
export async function socksHandshake(socket: Socket, request: SocksRequest): Promise<void> {
  const named = request.username !== ''
  socket.write(named ? Buffer.of(5, 2, 0, 2) : Buffer.of(5, 1, 0))
  const [version, method] = await take(socket, 2)
  if (version !== 5) throw new Error('it does not speak SOCKS version 5')
  if (method === 2 && named) await authenticate(socket, request)
  else if (method !== 0) throw new Error('it wants a user and a password')
  const port = Buffer.alloc(2)
  port.writeUInt16BE(request.port)
  socket.write(Buffer.concat([Buffer.of(5, 1, 0), address(request.host), port]))
  const [, reply = 1, , type = 0] = await take(socket, 4)
  if (reply !== 0)
    throw new Error(`no way to ${request.host}: ${replies[reply] ?? `error ${reply}`}`)
  const length = type === 1 ? 4 : type === 4 ? 16 : (await take(socket, 1))[0]!
  await take(socket, length + 2)
}

async function authenticate(socket: Socket, { username, password }: SocksRequest): Promise<void> {
  socket.write(Buffer.concat([Buffer.of(1), text(username), text(password)]))
  const [, status] = await take(socket, 2)
  if (status !== 0) throw new Error('it refuses the user and the password')
}

/** A name or an address as a request holds it. */
function address(host: string): Buffer {
  if (isIP(host) === 4) return Buffer.of(1, ...host.split('.').map(Number))
  if (isIP(host) === 6) return Buffer.concat([Buffer.of(4), addressBytes(host)])
  return Buffer.concat([Buffer.of(3), text(host)])
}

/** The 16 bytes of an address of version 6 without a part in version 4. */
function addressBytes(host: string): Buffer {
  const [head = '', tail] = host.split('::')
  const [before, after] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')))
  const gap = Array.from({ length: 8 - before!.length - after!.length }, () => '0')
  const groups = tail === undefined ? before! : [...before!, ...gap, ...after!]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

/** A text with its length before it. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8')
  if (bytes.length > 255) throw new Error('a name or password is longer than 255 bytes')
  return Buffer.concat([Buffer.of(bytes.length), bytes])
}

/** The next `length` bytes. What comes after them goes back into the socket. */
async function take(socket: Socket, length: number): Promise<Buffer> {
  let held: Buffer = Buffer.alloc(0)
  while (held.length < length) {
    const bytes = socket.read() as Buffer | null
    if (bytes !== null) held = Buffer.concat([held, bytes])
    else if (socket.readableEnded || socket.destroyed) throw new Error('it closed the connection')
    else await somethingArrived(socket)
  }
  if (held.length > length) socket.unshift(held.subarray(length))
  return held.subarray(0, length)
}

/** Resolves when there is more to read, or nothing any more. */
function somethingArrived(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      for (const event of ['readable', 'end', 'close']) socket.off(event, wake)
      socket.off('error', settle)
      if (error === undefined) resolve()
      else reject(error)
    }
    const wake = () => settle()
    for (const event of ['readable', 'end', 'close']) socket.on(event, wake)
    socket.on('error', settle)
  })
}

const replies: Readonly<Record<number, string>> = {
  1: 'it failed',
  2: 'its rules do not allow it',
  3: 'the network is not reachable',
  4: 'the host is not reachable',
  5: 'connection refused',
  6: 'the time to live ran out',
  7: 'it does not know the command',
  8: 'it does not know the kind of address',
}
