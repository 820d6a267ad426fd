import { connect } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startTestServer } from '../harness.ts'

const test = suite('runtime/server: requests of one connection')
const wire = await startTestServer()
test.after(() => wire.stop())

const maps = '/api/v1/namespaces/default/configmaps'

/** What the server says to some bytes until it closes the connection, or until `enough` is in it. */
function talk(bytes: string, enough?: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(new URL(wire.url).port), '127.0.0.1')
    const finish = (): void => {
      socket.destroy()
      resolve(text)
    }
    socket.on('error', reject)
    socket.on('close', finish)
    socket.on('data', (chunk) => {
      text += chunk.toString()
      if (enough?.test(text)) finish()
    })
    socket.write(bytes)
  })
}

const get = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`
const last = 'Connection: close\r\n'

function post(name: string): string {
  const body = JSON.stringify({ metadata: { name } })
  const head = `Host: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  return `POST ${maps} HTTP/1.1\r\n${head}\r\n\r\n${body}`
}

test('a request sees what the ones before it on its connection did', async () => {
  const sent = [post('a'), get(`${maps}/a`), post('b'), get(maps, last)].join('')
  const text = await talk(sent)
  const statuses = [...text.matchAll(/^HTTP\/1.1 (\d+)/gm)].map(([, status]) => status)
  assert.equal(statuses, ['201', '200', '201', '200'])
  assert.match(text.slice(text.lastIndexOf('HTTP/1.1')), '"name":"b"')
})

test('a connection that sends twenty thousand requests at once takes turns with others', async () => {
  let served = 0
  const flood = new Promise<void>((resolve, reject) => {
    const socket = connect(Number(new URL(wire.url).port), '127.0.0.1')
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      served += chunk.toString().split('HTTP/1.1 200').length - 1
    })
    socket.on('close', () => resolve())
    socket.write(get('/version').repeat(20_000) + get('/version', last))
  })
  const seen: number[] = []
  for (let turn = 0; turn < 20; turn++) {
    assert.is((await wire.request({ path: '/livez' })).status, 200)
    seen.push(served)
  }
  await flood
  assert.ok(served > 19_000)
  assert.ok((seen[19] ?? 0) < 19_000, `${seen}`)
})

test('a request with two hosts, and one of HTTP/0.9, is refused', async () => {
  const two = 'GET /version HTTP/1.1\r\nHost: localhost\r\nhOST: other\r\n\r\n'
  assert.match(await talk(two), /^HTTP\/1.1 400 /)
  assert.match(await talk('GET /version HTTP/0.9\r\nHost: localhost\r\n\r\n'), / 400 /)
  assert.match(await talk('GET /version\r\n\r\n'), / 400 /)
  assert.match(await talk(get('/version', last)), /^HTTP\/1.1 200 /)
})

test.run()
