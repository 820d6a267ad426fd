/** The table of nftables leads connections, in a network of its own. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'

const tests = suite('service-proxy: nftables')
const program = fileURLToPath(new URL('../../support/service-table.js', import.meta.url))
const setup = [
  'ip link set lo up',
  'ip link add outer type veth peer name inner',
  'ip addr add 192.0.2.7/24 dev outer',
  'ip link set outer up',
  'ip route add default dev outer',
]

function inOwnNetwork(lines: readonly string[]): string {
  const script = ['set -e', ...lines].join('\n')
  return execFileSync('unshare', ['--net', 'sh', '-c', script], { encoding: 'utf8', stdio: 'pipe' })
}

function whyNot(): string | undefined {
  try {
    inOwnNetwork([...setup, 'nft add table ip any'])
    return undefined
  } catch (error) {
    return String((error as Error).message)
      .trim()
      .split('\n')
      .at(-1)
  }
}

const why = whyNot()
if (why !== undefined) console.log(`SKIP nftables: ${why}`)
else {
  tests('frontends lead to their backends, and nothing of the table is left', () => {
    const text = inOwnNetwork([...setup, `"${process.execPath}" "${program}"`, 'nft list tables'])
    assert.equal(JSON.parse(text), {
      both: ['one', 'two'],
      bound: 1,
      stillBound: true,
      empty: 'ECONNREFUSED',
      nodePort: 'one',
      allowed: 'one',
      refused: true,
      asBefore: 'one',
    })
  })
}

tests.run()
