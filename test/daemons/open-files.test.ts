import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { connectionsWithin, openFileLimit } from '../../daemons/open-files.ts'
import { until } from '../support/until.ts'

const test = suite('daemons: open files')

const program = fileURLToPath(new URL('../../packed/orch-apiserver.js', import.meta.url))
const limited = process.platform === 'linux'
if (!limited) console.log('SKIP daemons: open files: no limit on open files is read here')

test('connections leave room for the files of the server', () => {
  assert.is(connectionsWithin(undefined, 10_000), 10_000)
  assert.is(connectionsWithin(1_048_576, 10_000), 10_000)
  assert.is(connectionsWithin(1024, 10_000), 960)
  assert.is(connectionsWithin(64, 10_000), 8)
  assert.is(openFileLimit() !== undefined, limited)
})

const daemon = limited ? test : () => {}

daemon(
  'a server with few open files says so, keeps its connections, and takes new ones',
  async () => {
    const command = `ulimit -n 100; exec "$0" "$1" --insecure-port=0`
    const child = spawn('sh', ['-c', command, process.execPath, program])
    let [output, errors] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    try {
      const url = await until('the server is ready', () => /^ready (\S+)$/m.exec(output)?.[1])
      assert.match(
        errors + output,
        'the limit on open files (ulimit -n) allows for fewer connections',
      )
      const { hostname, port } = new URL(url)
      const open = async (): Promise<Socket> => {
        const socket = connect(Number(port), hostname)
        socket.on('error', () => {})
        await once(socket, 'connect')
        return socket
      }
      const first = await open()
      const answered = async (path: string): Promise<void> => {
        first.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
        assert.match(String((await once(first, 'data'))[0]), 'HTTP/1.1 200')
      }
      await answered('/livez')
      const more = await Promise.all(Array.from({ length: 100 }, open))
      await until('some are closed', () => more.some(({ destroyed }) => destroyed))
      await answered('/openapi/v3')
      assert.match(errors + output, 'too many connections')
      for (const socket of more) socket.destroy()
      await until('a new one is served', async () => (await fetch(`${url}/livez`)).status === 200)
    } finally {
      child.kill()
    }
    await once(child, 'close')
  },
)

test.run()
