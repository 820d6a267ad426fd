/** The streams of a command that runs elsewhere: over SPDY, or over a websocket. */
import type { Readable, Writable } from 'node:stream'
import type { Clock } from '../../kernel/async/clock.ts'
import { SpdySession, type SpdyStream } from '../spdy/spdy-session.ts'
import { acceptWebsocket } from './accept-websocket.ts'
import { acceptSpdy, UpgradeRefused, type UpgradeRequest, upgradeOf } from './negotiation.ts'
import { WebsocketChannels } from './websocket-channels.ts'

/** Which streams the client asked for. */
export interface WantedStreams {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
  readonly tty: boolean
}

/** How the command ended, as clients read it: a Status. */
export type CommandStatus = Readonly<Record<string, unknown>> & {
  readonly status: 'Success' | 'Failure'
  readonly message?: string
}

/** The client's ends of the streams. */
export interface CommandStreams {
  readonly stdin: Readable | undefined
  readonly stdout: Writable | undefined
  readonly stderr: Writable | undefined
  /** What the client says of the size of its terminal, as lines of JSON. */
  readonly resize: Readable | undefined
  /** Resolves when the client is gone. */
  readonly closed: Promise<void>
  /** Tells how the command ended, once its output is sent, and closes the connection. */
  finish(status: CommandStatus): Promise<void>
}

const versions = ['v5.channel', 'v4.channel']
/** The versions over a websocket; the last three tell failures as text. */
const websocketVersions = [...versions, ...['v4.base64.channel', 'channel', 'base64.channel', '']]
/** Milliseconds that a client has to open its streams. */
const openingMs = 30_000

/** The streams that the client opens on an upgraded connection. @throws UpgradeRefused before the connection is upgraded. */
export function acceptCommand(
  upgrade: UpgradeRequest,
  wanted: WantedStreams,
  clock: Clock,
): Promise<CommandStreams> {
  const { request } = upgrade
  switch (upgradeOf(request.headers)) {
    case 'websocket':
      return overWebsocket(upgrade, wanted)
    case 'spdy':
      return overSpdy(upgrade, wanted, clock)
    default:
      throw new UpgradeRefused(400, 'Upgrade request required')
  }
}

async function overSpdy(
  upgrade: UpgradeRequest,
  { stdin, stdout, stderr, tty }: WantedStreams,
  clock: Clock,
): Promise<CommandStreams> {
  const awaited = new Set([
    'error',
    ...(stdin ? ['stdin'] : []),
    ...(stdout ? ['stdout'] : []),
    ...(stderr && !tty ? ['stderr'] : []),
    ...(tty ? ['resize'] : []),
  ])
  const opened = new Map<string, SpdyStream>()
  const carrier = acceptSpdy(upgrade, versions)
  return new Promise((resolve, reject) => {
    const cancel = clock.after(openingMs, () => {
      carrier.destroy()
      reject(new Error('the client did not open its streams in time'))
    })
    const session = new SpdySession(carrier, (stream) => {
      const type = stream.headers.get('streamtype') ?? ''
      if (!awaited.delete(type)) return void stream.destroy()
      opened.set(type, stream)
      if (type !== 'stdin' && type !== 'resize') stream.resume()
      if (awaited.size === 0) {
        cancel()
        resolve(spdyStreams(session, opened))
      }
    })
    void session.closed.then(() => {
      cancel()
      reject(new Error('the client closed the connection'))
    })
  })
}

function spdyStreams(
  session: SpdySession,
  opened: ReadonlyMap<string, SpdyStream>,
): CommandStreams {
  return {
    stdin: opened.get('stdin'),
    stdout: opened.get('stdout'),
    stderr: opened.get('stderr'),
    resize: opened.get('resize'),
    closed: session.closed,
    async finish(status) {
      await Promise.all(['stdout', 'stderr'].map((name) => ended(opened.get(name))))
      opened.get('error')?.write(JSON.stringify(status))
      await ended(opened.get('error'))
      session.close()
    },
  }
}

async function overWebsocket(
  upgrade: UpgradeRequest,
  { stdin, stdout, stderr, tty }: WantedStreams,
): Promise<CommandStreams> {
  const { websocket, protocol } = await acceptWebsocket(upgrade, websocketVersions)
  const channels = new WebsocketChannels(websocket, protocol.includes('base64'))
  const isPlain = !protocol.startsWith('v')
  const streams = {
    stdin: stdin ? channels.reader(0) : undefined,
    stdout: stdout ? channels.writer(1) : undefined,
    stderr: stderr && !tty ? channels.writer(2) : undefined,
    resize: tty ? channels.reader(4) : undefined,
  }
  const closed = new Promise<void>((resolve) => websocket.once('close', () => resolve()))
  await channels.send(stdout ? 1 : stderr ? 2 : 3, Buffer.alloc(0))
  return {
    ...streams,
    closed,
    async finish(status) {
      await Promise.all([ended(streams.stdout), ended(streams.stderr)])
      const text = isPlain ? (status.message ?? '') : JSON.stringify(status)
      if (text !== '') await channels.send(3, Buffer.from(text))
      websocket.close(1000)
    },
  }
}

/** Resolves once everything that was written is on its way, or can go nowhere any more. */
function ended(stream: Writable | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (stream === undefined || stream.destroyed || stream.writableFinished) return resolve()
    stream.once('close', resolve)
    stream.end(resolve)
  })
}
