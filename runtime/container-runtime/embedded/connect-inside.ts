import { spawn } from 'node:child_process'
import { Duplex } from 'node:stream'
import { RuntimeError } from '../contract/runtime-error.ts'

/** Says `ok` when it is connected, or why it is not, on its third output. */
const script = `
const { connect } = require('net')
const { exit } = require('process')
const { createWriteStream, writeSync } = require('fs')
const port = Number(process.argv[1])
const why = (error) => error.code === 'ECONNREFUSED' ? 'connect: connection refused' : error.message
const dial = (host, failed) => {
  const socket = connect({ host, port, allowHalfOpen: true })
  socket.once('error', failed)
  socket.once('connect', () => {
    socket.off('error', failed)
    socket.on('error', () => exit(1))
    writeSync(3, 'ok')
    const out = createWriteStream('', { fd: 1 })
    let open = 2
    const over = () => --open === 0 && exit(0)
    for (const each of [socket, out]) each.on('close', over)
    process.stdin.pipe(socket).pipe(out)
  })
}
dial('127.0.0.1', (four) => dial('::1', (six) => {
  writeSync(3, 'IPv4: dial tcp4 127.0.0.1:' + port + ': ' + why(four) + ' IPv6: dial tcp6 [::1]:' + port + ': ' + why(six))
  exit(1)
}))`

/** A connection to a port of a pod that has a network of its own, made by a process that joins it. @throws a RuntimeError that says what was tried. */
export async function connectInside(networkFile: string, port: number): Promise<Duplex> {
  const words = [`--net=${networkFile}`, '--', process.execPath, '-e', script, String(port)]
  const child = spawn('nsenter', words, { stdio: ['pipe', 'pipe', 'ignore', 'pipe'] })
  const { stdin, stdout } = child
  const told = child.stdio[3]
  if (!stdin || !stdout || !told) throw new RuntimeError('Unknown', 'a process has no streams')
  const said = await new Promise<string>((resolve) => {
    told.once('data', (bytes: Buffer) => resolve(String(bytes)))
    child.once('error', (error) => resolve(error.message))
    child.once('exit', () => resolve('the process that connects has ended'))
  })
  if (said !== 'ok') {
    child.kill()
    const why = `failed to connect to localhost:${port} inside the pod, ${said}`
    throw new RuntimeError('Unavailable', why)
  }
  stdin.on('error', () => {})
  const stream = Duplex.from({ readable: stdout, writable: stdin })
  stream.once('close', () => child.kill())
  return stream
}
