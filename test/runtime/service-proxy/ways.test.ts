/** Services of a server are led by nftables, by listeners of root, and by those of an ordinary user, each in a network of its own. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { runProgram } from '../../support/orch.ts'

const tests = suite('service-proxy: ways')
const program = fileURLToPath(new URL('../../support/service-world.js', import.meta.url))
const [node, client] = ['192.0.2.7', '192.0.2.9']

/** A network with an address, and another one beside it, from which clients come. */
const setup = `set -e
ip link set lo up
ip link add outer type veth peer name inner
ip addr add ${node}/24 dev outer
ip link set outer up
ip route add default dev outer
unshare --net sleep infinity & CLIENT_NETWORK=$!
until [ "$(readlink /proc/$CLIENT_NETWORK/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do :; done
ip link set inner netns $CLIENT_NETWORK
nsenter -t $CLIENT_NETWORK -n ip addr add ${client}/24 dev inner
nsenter -t $CLIENT_NETWORK -n ip link set inner up
trap "kill $CLIENT_NETWORK" EXIT
`

const inNetwork = (line: string) => ['--net', 'sh', '-c', `${setup}${line}`]

function whyNot(line: string): string {
  const { status, stderr, error } = spawnSync('unshare', inNetwork(line), { encoding: 'utf8' })
  if (status === 0) return ''
  return error?.message ?? stderr.trim().split('\n').at(-1) ?? 'unshare fails'
}

const common = {
  ...{ ready: 'one,two', later: 'one,three,two', ending: 'one', again: 'two', datagram: true },
  ...{
    atNode: [
      ['one', 'two'],
      ['one', 'two'],
    ],
    bound: true,
    freed: true,
    inner: 'two',
  },
  ...{ outer: ['one,two', 'two'], waiting: true, stopped: 'ECONNREFUSED' },
}
const nothingLeft = 'nft list tables; ip route show table local proto 142'

async function led(way: string, more: string): Promise<Record<string, unknown>> {
  const line = `${more}"${process.execPath}" "${program}" ${way}`
  const { code, stdout, stderr } = await runProgram('unshare', inNetwork(line), {})
  assert.is(code, 0, stderr)
  const [told = '', ...left] = stdout.trim().split('\n')
  assert.equal(left, [], 'nothing of it is left in the machine')
  return JSON.parse(told)
}

const why = whyNot('nft add table ip any')
if (why !== '') console.log(`SKIP ways of services: ${why}`)
else {
  tests('the kernel leads them, also who comes from outside', async () => {
    const found = await led(`nftables ${node}; ${nothingLeft}`, 'CLIENT_NETWORK=$CLIENT_NETWORK ')
    assert.equal(found, {
      ...{ way: 'nftables', none: 'ECONNREFUSED', ...common },
      outside: { plain: `two ${client}`, kept: `two ${client}` },
    })
  })

  tests('listeners of root lead them at addresses that are made local', async () => {
    const found = await led(`userland ${node}; ${nothingLeft}`, '')
    assert.equal(found, { way: 'userland', none: 'ECONNRESET', ...common })
  })

  tests('listeners of an ordinary user lead them at addresses of loopback', async () => {
    const found = await led(`userland ${node} 65534; ${nothingLeft}`, '')
    assert.equal(found, { way: 'userland', none: 'ECONNRESET', ...common })
  })
}

tests.run()
