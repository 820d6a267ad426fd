import type { Socket } from 'node:net'
import type { StallTimer } from './node-message.ts'
import type { Frame, Sink } from './response.ts'
import { closeFrame, frameHead, opcodes } from './websocket-frames.ts'

/** Sends a close frame and ends the connection. Does nothing to one that is being closed already. */
export function closeWebsocket(socket: Socket, code: number, timer: StallTimer): void {
  if (isClosed(socket)) return
  socket.write(closeFrame(code))
  endSocket(socket, timer)
}

/** Ends the connection once the client took everything, or takes nothing for as long as `timer` allows. */
export function endSocket(socket: Socket, timer: StallTimer): void {
  if (socket.destroyed) return
  socket.once(
    'close',
    timer.after(() => socket.destroy()),
  )
  socket.destroySoon()
}

/** True for a socket that takes nothing any more. */
export function isClosed({ destroyed, writableEnded }: Socket): boolean {
  return destroyed || writableEnded
}

/** Bytes of the length before an event of a format that streams with `stream=watch`: a message has a length of its own. */
const prefixBytes = 4

/** A websocket as a sink: each frame of a stream is a message, binary or text. */
export function websocketSink(socket: Socket, binary: boolean, timer: StallTimer): Sink {
  return {
    write({ payload }: Frame) {
      if (isClosed(socket)) return true
      const content = binary ? payload.subarray(prefixBytes) : payload
      const opcode = binary ? opcodes.binary : opcodes.text
      socket.cork()
      socket.write(frameHead(opcode, content.length))
      const ready = socket.write(content)
      socket.uncork()
      return ready
    },
    cork(writes) {
      socket.cork()
      writes()
      socket.uncork()
    },
    drained() {
      return new Promise((resolve) => {
        if (isClosed(socket) || !socket.writableNeedDrain) return resolve()
        const cancel = timer.after(() => socket.destroy())
        const done = (): void => {
          socket.off('drain', done)
          socket.off('close', done)
          cancel()
          resolve()
        }
        socket.on('drain', done)
        socket.on('close', done)
      })
    },
    onClose(run) {
      if (isClosed(socket)) run()
      else socket.once('close', run)
    },
  }
}
