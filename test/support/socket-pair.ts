import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { tempDirectory } from './temp.ts'

let made = 0

/** Two ends of one connection within this process. */
export async function socketPair(): Promise<readonly [Socket, Socket]> {
  made += 1
  const path = join(tempDirectory(), `${made}.socket`)
  const server = createServer().listen(path)
  await once(server, 'listening')
  const near = connect(path)
  const [far] = (await once(server, 'connection')) as [Socket]
  server.close()
  return [near, far]
}
