/** A program for a network of its own: leads services by nftables there, and prints what clients get. */
import { type AddressInfo, connect, createServer } from 'node:net'
import type { Frontend } from '../../runtime/service-proxy/contract/plan.ts'
import { serviceTable } from '../../runtime/service-proxy/nftables/service-table.ts'

const node = '192.0.2.7'
const table = serviceTable('orch-test', [node])

const frontend = (more: Partial<Frontend>): Frontend => ({
  ...{ name: 'shop/web', protocol: 'TCP', address: '10.0.0.7', port: 80, backends: [] },
  ...{ affinitySeconds: 0, whenEmpty: 'refuse', sources: [], keepsSource: true, isExternal: false },
  ...more,
})

async function backend(word: string) {
  const server = createServer((socket) => socket.end(word))
  server.unref()
  await new Promise<void>((resolve) => server.listen(0, node, resolve))
  return { address: node, port: (server.address() as AddressInfo).port }
}

function said(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port })
    let got = ''
    socket.on('data', (chunk) => {
      got += chunk
    })
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
    socket.on('end', () => resolve(got))
  })
}

const [one, two] = [await backend('one'), await backend('two')]
const words = async (count: number): Promise<readonly string[]> => {
  const all = new Set<string>()
  for (let i = 0; i < count; i++) all.add(await said('10.0.0.7', 80))
  return [...all].sort()
}

const found: Record<string, unknown> = {}
await table.lead([frontend({ backends: [one, two] })])
found.both = await words(40)
await table.lead([frontend({ backends: [one, two], affinitySeconds: 60 })])
const bound = await words(20)
found.bound = bound.length
// What becomes of another service does not make clients forget where they were.
const other = frontend({ address: '10.0.0.8', backends: [one] })
await table.lead([frontend({ backends: [one, two], affinitySeconds: 60 }), other])
found.stillBound = (await words(20)).join() === bound.join()
await table.lead([
  frontend({}),
  frontend({ address: '', port: 30_080, backends: [one], isExternal: true, keepsSource: false }),
])
found.empty = await said('10.0.0.7', 80)
found.nodePort = await said(node, 30_080)
await table.lead([frontend({ backends: [one], sources: ['192.0.2.0/24'] })])
found.allowed = await said('10.0.0.7', 80)
const refused = table.lead([frontend({ backends: [{ address: 'nowhere }', port: 1 }] })])
found.refused = await refused.then(
  () => 'taken',
  (error: Error) => error.message.startsWith('nft: '),
)
found.asBefore = await said('10.0.0.7', 80)
await table.remove()
console.log(JSON.stringify(found))
